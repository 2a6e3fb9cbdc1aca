"""The pin, and the author that follows it."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from coord.base import gitconfig
from coord.identity import includeif, pin
from harness.crash import killed_at_every_call
from harness.repo import author

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

LIB = os.path.dirname(os.path.dirname(os.path.dirname(pin.__file__)))
RULE = pin.Authorship("{actor}", "me+{actor}@example.com")


@pytest.fixture
def joined(repo: Repo) -> Repo:
    """A repository whose config includes the identities file, as the installer leaves it."""
    repo.git("config", "include.path", "coord/identities")
    return repo


def ensure(repo: Repo, wanted: str, rule: pin.Authorship = RULE) -> pin.Pin:
    """Pin the worktree `repo` stands for."""
    return pin.ensure(str(repo.private()), str(repo.common()), wanted, rule)[0]


def test_each_worktree_commits_as_its_own_pin(joined: Repo, tmp_path: Path) -> None:
    """The author follows the pin in its own worktree and nowhere else."""
    a, b = joined.worktree(tmp_path / "a", "a"), joined.worktree(tmp_path / "b", "b")
    ensure(a, "hopper")
    ensure(b, "lovelace")

    assert author(a) == "hopper <me+hopper@example.com>"
    assert author(b) == "lovelace <me+lovelace@example.com>"
    assert author(joined) == "Ada Human <ada@example.com>"


def test_the_main_worktree_can_be_pinned_without_touching_linked_ones(
    joined: Repo, tmp_path: Path
) -> None:
    """``gitdir:.git`` matches the main worktree only."""
    linked = joined.worktree(tmp_path / "a", "a")
    ensure(joined, "boss")

    assert author(joined) == "boss <me+boss@example.com>"
    assert author(linked) == "Ada Human <ada@example.com>"


@pytest.mark.parametrize("scope", ["--local", "--global", "--worktree"])
def test_no_later_user_setting_wins_over_a_pin(joined: Repo, tmp_path: Path, scope: str) -> None:
    """``git config user.email`` in any worktree poisoned every one of them (gastown#3410)."""
    joined.git("config", "extensions.worktreeConfig", "true")
    linked = joined.worktree(tmp_path / "a", "a")
    ensure(linked, "hopper")

    linked.git("config", scope, "user.email", "peer@example.com")
    linked.git("config", scope, "user.name", "Peer")

    assert author(linked) == "hopper <me+hopper@example.com>"


def test_a_global_author_does_not_win_over_a_pin(joined: Repo, tmp_path: Path) -> None:
    """author.* outranks user.*, so the pin writes author.* as well."""
    linked = joined.worktree(tmp_path / "a", "a")
    ensure(linked, "hopper")
    joined.git("config", "--global", "author.name", "Global")

    assert author(linked) == "hopper <me+hopper@example.com>"


def test_a_new_worktree_does_not_inherit_a_pin(joined: Repo, tmp_path: Path) -> None:
    """``git worktree add`` copies config.worktree to the next agent, never a private file."""
    joined.git("config", "extensions.worktreeConfig", "true")
    first = joined.worktree(tmp_path / "a", "a")
    ensure(first, "hopper")

    second = first.worktree(tmp_path / "b", "b")

    assert pin.read(str(second.private())) is None
    assert author(second) == "Ada Human <ada@example.com>"


def test_a_recreated_worktree_of_the_same_name_is_nobodys(joined: Repo, tmp_path: Path) -> None:
    """The includeIf entry may still be there; the private file died with the worktree."""
    first = joined.worktree(tmp_path / "a", "a")
    ensure(first, "hopper")
    joined.git("worktree", "remove", "--force", str(first.path))

    again = joined.worktree(tmp_path / "a", "a2")

    assert again.private().name == "a"
    assert author(again) == "Ada Human <ada@example.com>"


def test_a_pin_survives_moves_of_worktree_and_repository(joined: Repo, tmp_path: Path) -> None:
    """No absolute path of the repository is written anywhere."""
    linked = joined.worktree(tmp_path / "a", "a")
    ensure(linked, "hopper")
    joined.git("worktree", "move", str(linked.path), str(tmp_path / "b"))
    joined.path.rename(tmp_path / "elsewhere")
    moved = joined.at(tmp_path / "elsewhere")
    moved.git("worktree", "repair", str(tmp_path / "b"))

    assert author(joined.at(tmp_path / "b")) == "hopper <me+hopper@example.com>"


@pytest.mark.parametrize("name", ['q"uote', "ha#sh", "se;mi", "sp ace", "é"])
def test_worktree_names_with_config_syntax_are_escaped(
    joined: Repo, tmp_path: Path, name: str
) -> None:
    """A folder's name reaches git config through the one escaping writer."""
    linked = joined.worktree(tmp_path / name, "side")
    ensure(linked, "hopper")

    assert author(linked) == "hopper <me+hopper@example.com>"
    assert joined.git("status", "--porcelain") == ""


def test_a_pin_is_never_replaced_by_ensure(joined: Repo) -> None:
    """Create-only: the second call gives the first pin back."""
    first = ensure(joined, "a")

    there, new = pin.ensure(str(joined.private()), str(joined.common()), "b", RULE)

    assert (there.instance, new) == (first.instance, False)


def test_a_replaced_pin_is_another_instance(joined: Repo) -> None:
    """Ownership does not pass to whoever pins next."""
    first = ensure(joined, "a")

    second = pin.replace(str(joined.private()), str(joined.common()), "a", RULE)

    assert second.actor == "a"
    assert second.instance != first.instance


def test_a_name_pinned_in_a_live_worktree_gets_a_suffix(joined: Repo, tmp_path: Path) -> None:
    """An orchestrator that exports one COORD_ACTOR to all its children names each apart."""
    a, b = joined.worktree(tmp_path / "a", "a"), joined.worktree(tmp_path / "b", "b")

    assert ensure(a, "boss").actor == "boss"
    second = ensure(b, "boss").actor

    assert second.startswith("boss-")
    assert len(second) == len("boss-a71f")


def test_the_name_of_a_removed_worktree_is_free_again(joined: Repo, tmp_path: Path) -> None:
    """Only live worktrees hold their names."""
    a = joined.worktree(tmp_path / "a", "a")
    ensure(a, "boss")
    joined.git("worktree", "remove", "--force", str(a.path))

    assert ensure(joined.worktree(tmp_path / "b", "b"), "boss").actor == "boss"


def _pin_many(start: object, pairs: list[tuple[str, str]], number: int) -> None:
    start.wait()  # type: ignore[attr-defined]
    pin.ensure(*pairs[number], "boss", RULE)


def test_twenty_pins_at_once_lose_no_entry_and_share_no_name(joined: Repo, tmp_path: Path) -> None:
    """``git config -f`` lost 13 to 23 of 40 entries in parallel."""
    trees = [joined.worktree(tmp_path / f"w{n}", f"b{n}") for n in range(20)]
    pairs = [(str(tree.private()), str(tree.common())) for tree in trees]
    context = multiprocessing.get_context("fork")
    start = context.Barrier(20)
    racers = [context.Process(target=_pin_many, args=(start, pairs, n)) for n in range(20)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()

    names = [author(tree) for tree in trees]

    assert len(set(names)) == 20
    assert all(name.startswith("boss") for name in names)


def test_entries_of_removed_worktrees_are_dropped_at_the_next_pin(
    joined: Repo, tmp_path: Path
) -> None:
    """Every git command pays for each entry, so dead ones go."""
    a = joined.worktree(tmp_path / "a", "a")
    ensure(a, "one")
    joined.git("worktree", "remove", "--force", str(a.path))

    ensure(joined.worktree(tmp_path / "b", "b"), "two")

    text = joined.common("coord/identities").read_text()
    assert "worktrees/b" in text
    assert "worktrees/a" not in text


def test_pinning_killed_at_any_call_leaves_nothing_half_pinned(
    joined: Repo, tmp_path: Path, env: dict[str, str]
) -> None:
    """Whatever call we die before, the next pin ends with one actor that the author follows."""
    deaths = 0
    body = "pin.ensure(sys.argv[1], sys.argv[2], 'h-', pin.Authorship('{actor}', '{actor}@x'))"
    for number in range(60):
        tree = joined.worktree(tmp_path / f"w{number}", f"b{number}")
        args = [str(tree.private()), str(tree.common())]
        died = next(
            killed_at_every_call(
                "from coord.identity import pin", body, args, tmp_path, env, start=number
            ),
            None,
        )
        there = pin.read(args[0])
        if died is None:
            break
        deaths += 1
        assert there is None or author(tree).startswith(there.actor)
        final, _ = pin.ensure(*args, "h-", RULE)
        assert author(tree).startswith(final.actor)
        joined.git("worktree", "remove", "--force", str(tree.path))  # each is read by the next
    else:
        pytest.fail("never done")

    assert deaths >= 15


def test_a_foreign_pin_file_is_never_taken_for_unpinned(joined: Repo) -> None:
    """Torn, edited or of another version: unreadable, and nobody is pinned over it."""
    for text in ("", "version = 2\n", "actor = 'single'\n", "\xff"):
        joined.private(pin.PIN).write_bytes(text.encode("latin-1"))

        with pytest.raises(pin.Unreadable):
            pin.read(str(joined.private()))
        with pytest.raises(pin.Unreadable):
            ensure(joined, "a")


def test_a_control_character_in_the_email_pins_nothing(joined: Repo) -> None:
    """The writer refuses before the pin is published."""
    with pytest.raises(gitconfig.Unwritable):
        ensure(joined, "a", pin.Authorship("{actor}", "x\n[alias]\n\ts = !id\n@y"))

    assert pin.read(str(joined.private())) is None


def test_keep_leaves_the_author_alone(joined: Repo) -> None:
    """``[identity] author = "keep"`` pins the actor only."""
    made = ensure(joined, "a", pin.Authorship("{actor}", "x@y", keep=True))

    assert made.actor == "a"
    assert author(joined) == "Ada Human <ada@example.com>"


def test_mending_brings_back_deleted_author_files(joined: Repo) -> None:
    """Somebody deleted the private config or the include entries by hand."""
    made = ensure(joined, "a")
    joined.private(includeif.AUTHOR).unlink()
    joined.common("coord/identities").unlink()

    pin.mend(str(joined.private()), str(joined.common()), made, RULE)

    assert author(joined) == "a <me+a@example.com>"


def test_the_handle_comes_from_the_branch_else_from_the_worktree(
    repo: Repo, tmp_path: Path
) -> None:
    """A detached or unspeakable branch leaves the worktree's own id."""
    named = repo.worktree(tmp_path / "one", "feat/Big Thing".replace(" ", "_"))
    odd = repo.worktree(tmp_path / "two", "日本")
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "three"))

    assert pin.branch_handle(str(named.private())) == "feat-big_thing-"
    assert pin.branch_handle(str(odd.private())) == "two-"
    assert pin.branch_handle(str(repo.at(tmp_path / "three").private())) == "three-"


def test_pinning_imports_nothing_slow() -> None:
    """``git worktree add`` waits for this module: 12 ms over Python's start at most."""
    code = (
        f"import sys; sys.path.insert(0, {LIB!r}); import coord.identity.pin; print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        capture_output=True,
        check=True,
        text=True,
    )

    slow = {
        "re",
        "typing",
        "dataclasses",
        "subprocess",
        "pathlib",
        "tomllib",
        "enum",
        "collections",
    }
    assert slow.isdisjoint(done.stdout.split())


def test_a_minted_instance_is_a_valid_uuid() -> None:
    """Version 4, variant 1, as every reader expects."""
    text = pin.uuid()

    assert text[14] == "4"
    assert text[19] in "89ab"
    assert [len(part) for part in text.split("-")] == [8, 4, 4, 4, 12]
