"""Pins at creation, pins in the first later hook, and author files put back."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from coord.identity import includeif, pin
from harness import Repo
from harness.drivers import library
from harness.hooked import add_hooks
from harness.terminal import on_terminal

if TYPE_CHECKING:
    from pathlib import Path


def pinned(repo: Repo) -> pin.Pin:
    """Return the pin of a worktree that must have one."""
    found = pin.read(str(repo.private()))
    assert found is not None
    return found


def is_pinned(repo: Repo) -> bool:
    """Tell whether a worktree has a pin."""
    return repo.private(pin.PIN).exists()


def test_a_new_worktree_is_pinned_and_says_so_to_a_terminal(hooked: Repo, tmp_path: Path) -> None:
    """Branch slug, four hex digits, an instance; one line on stderr names who and where."""
    add = ("git", "worktree", "add", "-q", "-b", "Feature/Ünit_7", str(tmp_path / "w"))
    done = on_terminal(hooked, *add, streams={"err"})
    made = pinned(hooked.at(tmp_path / "w"))

    assert re.fullmatch(r"feature-nit_7-[0-9a-f]{4}", made.actor)
    assert done.err == f"coord: pinned {made.actor} to {tmp_path / 'w'}\n"
    assert (done.code, done.out) == (0, "")


def test_a_script_that_adds_a_worktree_hears_nothing(hooked: Repo, tmp_path: Path) -> None:
    """Git tells no hook of ``--quiet``, and its own tests insist on an empty stderr."""
    done = hooked.tried("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "w"))

    assert (done.code, done.out, done.err) == (0, "", "")
    assert is_pinned(hooked.at(tmp_path / "w"))


def test_the_author_follows_the_pin(hooked: Repo, tmp_path: Path) -> None:
    """Already the first commit is the actor's, and nothing a peer reads has changed."""
    side = hooked.worktree(tmp_path / "w", "side")
    side.commit("first")
    actor = pinned(side).actor

    expected = f"{actor} <ada+{actor}@example.com>"
    assert side.git("log", "-1", "--format=%an <%ae>") == expected
    assert side.git("log", "-1", "--format=%cn <%ce>") == expected
    assert hooked.git("var", "GIT_AUTHOR_IDENT").startswith("Ada Human <ada@example.com>")


def test_a_free_coord_actor_is_taken_as_it_is(hooked: Repo, tmp_path: Path) -> None:
    """A caller that names its worker means that name."""
    named = hooked.with_env(COORD_ACTOR="claude-hopper-a71f")
    side = named.worktree(tmp_path / "w", "side")

    assert pinned(side).actor == "claude-hopper-a71f"


def test_an_orchestrator_that_exports_its_own_name_gets_twenty_actors(
    hooked: Repo, tmp_path: Path
) -> None:
    """The first has the name, the others four hex more, and each is told so; run in parallel."""
    boss = hooked.with_env(COORD_ACTOR="boss")
    # Git's own `worktree add` may die of a sibling that is only half there.
    again = 'until git worktree add -q -B "$1" "../$1"; do sleep 0.1; done'
    adds = [boss.begun("sh", "-c", again, "sh", f"w{number}", text=True) for number in range(20)]
    told = [add.communicate()[1] for add in adds]
    made = [pinned(hooked.at(tmp_path / f"w{number}")) for number in range(20)]

    assert all(add.returncode == 0 for add in adds), told
    assert len({one.actor for one in made}) == len({one.instance for one in made}) == 20
    assert sum(one.actor == "boss" for one in made) == 1
    assert all(re.fullmatch(r"boss(-[0-9a-f]{4})?", one.actor) for one in made)
    assert (
        sum("(boss, the COORD_ACTOR in the environment, is pinned" in line for line in told) == 19
    )


def test_a_coord_actor_that_is_no_name_is_said_and_not_used(hooked: Repo, tmp_path: Path) -> None:
    """Whatever it holds, it reaches the terminal escaped."""
    hostile = hooked.with_env(COORD_ACTOR="a\nb\x1b[31m")
    done = hostile.tried("worktree", "add", "-q", "-b", "side", str(tmp_path / "w"))

    assert pinned(hooked.at(tmp_path / "w")).actor.startswith("side-")
    assert "(COORD_ACTOR=a\\x0ab\\x1b[31m is not the name of an actor)" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--detach", "{w}"], "w"),
        (["-b", "日本", "{w}"], "w"),
        (["-b", "a" * 200, "{w}"], "a" * 95),
    ],
)
def test_without_a_usable_branch_the_worktrees_id_names_it(
    hooked: Repo, tmp_path: Path, options: list[str], expected: str
) -> None:
    """A detached HEAD and a name of which no character can be kept; a long one is cut."""
    words = [word.format(w=tmp_path / "w") for word in options]
    hooked.git("worktree", "add", "-q", *words)

    assert pinned(hooked.at(tmp_path / "w")).actor.rpartition("-")[0] == expected


def test_an_orphan_worktree_is_pinned_by_its_first_commit(hooked: Repo, tmp_path: Path) -> None:
    """An unborn branch has the null id on both sides, or no hook at all."""
    side = hooked.worktree(tmp_path / "w", "side")
    side.private(pin.PIN).unlink()
    side.git("checkout", "-q", "--orphan", "fresh")
    side.commit("root")

    assert is_pinned(side)


@pytest.mark.parametrize("git_dir", [None, ".git"])
def test_the_main_worktree_is_never_pinned(
    hooked: Repo, tmp_path: Path, git_dir: str | None
) -> None:
    """Not by a checkout with the null id (a template clone, ``--orphan``), not by a commit."""
    hooked.worktree(tmp_path / "w", "side")
    main = hooked.with_env(GIT_DIR=git_dir) if git_dir else hooked
    null, head = "0" * 40, hooked.git("rev-parse", "HEAD")
    done = main.run(str(hooked.common("hooks/post-checkout")), null, head, "1")
    hooked.git("checkout", "-q", "--orphan", "fresh")
    hooked.commit("root")

    assert (done.code, done.err) == (0, "")
    assert not is_pinned(hooked)


def test_a_worktree_of_a_bare_repository_is_pinned(
    bare_with_worktree: Repo, tmp_path: Path
) -> None:
    """Its common dir is the repository itself."""
    add_hooks(bare_with_worktree)
    bare = bare_with_worktree.at(bare_with_worktree.common())
    side = bare.worktree(tmp_path / "w", "other")
    side.commit("one")

    assert side.git("log", "-1", "--format=%an") == pinned(side).actor
    assert not (bare.path / pin.PIN).exists()


def test_a_sha256_worktree_is_pinned(tmp_path: Path, env: dict[str, str]) -> None:
    """The null id has another length there."""
    repo = Repo.init(tmp_path / "long", env, "--object-format=sha256")
    repo.commit("start")
    add_hooks(repo)

    assert is_pinned(repo.worktree(tmp_path / "w", "side"))


def test_no_checkout_is_pinned_by_the_next_hook(hooked: Repo, tmp_path: Path) -> None:
    """``--no-checkout`` runs no hook; the commit that pins says whose author it still bears."""
    side = hooked.worktree(tmp_path / "w", "side", "--no-checkout")
    assert not is_pinned(side)
    done = side.tried("commit", "-q", "--allow-empty", "-m", "first")

    assert is_pinned(side)
    assert done.err.endswith("; the commit under way still has the author of before\n")
    assert side.git("log", "-1", "--format=%an") == "Ada Human"
    side.commit("second")
    assert side.git("log", "-1", "--format=%an") == pinned(side).actor


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -q -b other",
        "git commit -q --allow-empty -m x",
        "git commit -q --allow-empty --no-verify -m x",
        "git commit -q --amend --allow-empty --no-edit",
        "git push -q ../repo HEAD:refs/heads/pushed",
        "git rebase -q --force-rebase HEAD~1",
        "git cherry-pick --allow-empty HEAD",
        "git format-patch -q -1 --always && git am -q --empty=keep 0001*",
    ],
)
def test_any_later_hook_pins(hooked: Repo, tmp_path: Path, command: str) -> None:
    """A worktree from before the install, or made by a tool that runs no hooks."""
    side = hooked.worktree(tmp_path / "w", "side")
    side.commit("one")
    side.private(pin.PIN).unlink()
    done = on_terminal(side, "sh", "-c", command, streams={"err"})

    assert done.code == 0, done.err
    assert is_pinned(side)
    assert done.err.count("coord: pinned ") == 1


def test_a_pin_is_never_replaced(hooked: Repo, tmp_path: Path) -> None:
    """Another branch, another COORD_ACTOR: the pin stays who it was."""
    side = hooked.worktree(tmp_path / "w", "side")
    before = pinned(side)
    other = side.with_env(COORD_ACTOR="somebody-else")
    other.git("checkout", "-q", "-b", "elsewhere")
    other.commit("one")

    assert pinned(side).instance == before.instance


def test_a_missing_author_file_is_put_back(hooked: Repo, tmp_path: Path) -> None:
    """Deleted by hand, it comes back in the next hook, and the author with it."""
    side = hooked.worktree(tmp_path / "w", "side")
    side.private(includeif.AUTHOR).unlink()
    hooked.common("coord/identities").unlink()
    side.commit("heals")
    side.commit("healed")

    assert side.git("log", "-1", "--format=%an") == pinned(side).actor


def test_authors_that_are_kept_start_no_python(repo: Repo, tmp_path: Path) -> None:
    """With ``author = "keep"`` an empty file says that nothing is missing."""
    add_hooks(repo, author='[coord]\n\tauthor = "keep"\n')
    side = repo.worktree(tmp_path / "w", "side")
    (repo.common("hooks/coord/launch")).unlink()
    side.commit("one")

    assert side.git("log", "-1", "--format=%an") == "Ada Human"
    assert side.private(includeif.AUTHOR).read_bytes() == b""


def test_a_foreign_pin_file_is_said_and_kept(hooked: Repo, tmp_path: Path) -> None:
    """A torn or newer pin is not taken for "unpinned"; the hook never fails a checkout."""
    side = hooked.worktree(tmp_path / "w", "side")
    side.private(pin.PIN).write_text("version = 9\n")
    side.private(includeif.AUTHOR).unlink()
    done = side.tried("checkout", "-q", "-b", "other")

    assert done.code == 0
    assert "is no pin; git coord pin --replace mends it" in done.err
    assert side.private(pin.PIN).read_text() == "version = 9\n"


def test_a_git_dir_that_cannot_be_written_fails_no_checkout(hooked: Repo, tmp_path: Path) -> None:
    """A file where the lock's folder should be stands for a read-only git dir, also for root."""
    shutil.rmtree(hooked.common("coord"), ignore_errors=True)
    hooked.common("coord").write_text("")
    done = hooked.tried("worktree", "add", "-q", "-b", "side", str(tmp_path / "w"))

    assert done.code == 0
    assert re.fullmatch(rf"coord: {tmp_path / 'w'} is not pinned: .*\n", done.err)


def test_a_checkout_of_files_and_a_rebase_are_left_alone(hooked: Repo, tmp_path: Path) -> None:
    """In a pinned worktree nothing is said, whatever the flag."""
    side = hooked.worktree(tmp_path / "w", "side")
    side.commit("one", {"f": "1\n"})
    side.write("f", "2\n")

    assert side.tried("checkout", "-q", "--", "f").err == ""
    assert side.tried("rebase", "-q", "--force-rebase", "HEAD~1").err == ""


def test_the_pin_imports_nothing_that_costs() -> None:
    """``git worktree add`` waits for it: 12 ms over Python's start are all there is."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import coord.hooks.entry, "
        "coord.hooks.post_checkout; print(*sorted(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, library()],
        capture_output=True,
        text=True,
        check=True,
    )
    costly = {"typing", "re", "subprocess", "tomllib", "json", "dataclasses", "pathlib", "enum"}

    assert costly.isdisjoint(done.stdout.split())
    assert os.path.basename(library())
