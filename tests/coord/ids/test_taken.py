"""``id check``: what two branches, or one, hold twice; and what was settled since."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.board import answer
from harness.check import branch
from harness.ids import FOLDER, claim, clone_of, contested, guard, mended, path, taken

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def test_nothing_is_contested_in_the_beginning(installed: Repo) -> None:
    """No folder, and one that many branches share."""
    assert contested(installed) == []
    guard(installed).commit("one", {path(1): claim(1, "ada")})
    for number in range(3):
        installed.git("branch", f"b{number}")

    assert installed.coord("id", "check").out == "ok: 1 identifier in 4 branches\n"
    assert answer(installed, "id", "check") == {"schema": 1, "ok": True, "problems": [], "ids": 1}


def test_two_branches_with_one_path_are_named_with_their_claimants(installed: Repo) -> None:
    """Whether or not anybody has merged them yet; the command mends it here."""
    guard(installed)
    branch(installed, "side", "side", {path(1): claim(1, "lin")})
    installed.commit("main", {path(1): claim(1, "ada")})

    message = "claimed by ada here and by lin on side"
    assert contested(installed) == [(path(1), message)]
    mended(installed)


def test_a_fetched_branch_counts(installed: Repo, tmp_path: Path) -> None:
    """Two clones raced; the one that looks first knows."""
    other = clone_of(guard(installed), tmp_path / "clone")
    for there, actor in ((installed, "ada"), (other, "lin")):
        there.git("switch", "-q", "-c", actor)
        assert taken(there.with_env(COORD_ACTOR=actor)) == "HW-0001"
        there.git("commit", "-q", "-m", "claim")
    installed.git("fetch", "-q", str(other.path), "lin:refs/remotes/clone/lin")

    message = "claimed by ada here and by lin on clone/lin"
    assert contested(installed) == [(path(1), message)]
    mended(installed)


@pytest.mark.parametrize("where", ["worktree", "branch", "remote"])
def test_the_command_goes_where_the_claim_is(installed: Repo, tmp_path: Path, where: str) -> None:
    """A peer's worktree, a branch nobody has out, or one of a remote."""
    guard(installed)
    for name in ("one", "two"):
        branch(installed, name, name, {path(1): claim(1, name)})
    if where == "worktree":
        installed.git("worktree", "add", "-q", str(tmp_path / "a b"), "one")
    if where == "remote":
        for name in ("one", "two"):
            installed.git("update-ref", f"refs/remotes/origin/{name}", name)
            installed.git("branch", "-q", "-D", name)
    [problem] = answer(installed, "id", "check", code=1)["problems"]
    done = installed.paste(problem["run"])
    assert done.code == 0, done.err
    there = installed.at(tmp_path / "a b") if where == "worktree" else installed
    there.git("commit", "-q", "-m", "renumbered")
    if where == "remote":
        installed.git("update-ref", "refs/remotes/origin/one", "HEAD")

    assert contested(installed) == []


def test_a_branch_that_has_not_merged_the_renumbering_yet_is_no_problem(installed: Repo) -> None:
    """It still holds the old claim, and a merge will bring it the new number."""
    guard(installed)
    branch(installed, "side", "side", {path(1): claim(1, "lin")})
    installed.commit("main", {path(1): claim(1, "ada")})
    installed.git("branch", "third")
    installed.tried("merge", "side")
    assert installed.coord("id", "renumber", path(1)).code == 0
    installed.git("commit", "-q", "--no-edit")

    assert contested(installed) == []
    installed.git("switch", "-q", "third")
    assert contested(installed) == []
    installed.git("merge", "-q", "--no-edit", "main")
    assert contested(installed) == []


def test_both_sides_of_an_open_merge_are_seen(installed: Repo) -> None:
    """Before the refusal is settled, and not after."""
    guard(installed)
    branch(installed, "side", "side", {path(1): claim(1, "lin")})
    installed.commit("main", {path(1): claim(1, "ada")})
    installed.tried("merge", "side")

    assert [where for where, _ in contested(installed)] == [path(1)]
    mended(installed)


@pytest.mark.parametrize("other", [f"{FOLDER}/HW/hw-0001.toml", f"{FOLDER}/hw/HW-0001.md"])
def test_names_that_fold_to_one_are_found_across_branches(installed: Repo, other: str) -> None:
    """Git merges them as two; a file system that folds case has room for one."""
    guard(installed)
    branch(installed, "side", "side", {other: claim(1, "lin")})
    installed.commit("main", {path(1): claim(1, "ada")})
    [(where, message)] = contested(installed)

    assert where in {path(1), other}
    assert message.startswith("the same identifier as ")
    [problem] = answer(installed, "id", "check", code=1)["problems"]
    assert installed.paste(problem["run"]).code == 0
    installed.git("commit", "-q", "-m", "renumbered")
    assert contested(installed) == []


def test_a_file_that_says_it_is_another_and_a_copy_are_found(installed: Repo) -> None:
    """One command mends both: a number and a nonce of its own."""
    guard(installed)
    installed.commit("copy", {path(1): claim(1, "ada"), path(2): claim(1, "ada")})

    assert contested(installed) == [(path(2), "its file says it is HW-0001 here")]
    mended(installed)
    installed.write(path(4), claim(3, "ada").replace("HW-0003", "HW-0004"))
    installed.write(path(5), claim(3, "ada").replace("HW-0003", "HW-0005"))
    installed.git("add", "-A")
    assert contested(installed) == [(path(5), f"a copy of {path(4)}: both hold one nonce")]
    mended(installed)


def test_an_identical_claim_without_a_nonce_is_found(installed: Repo) -> None:
    """Before and after the merge that git makes of it without a word; a picked one is the same."""
    guard(installed)
    text = claim(1, "team", nonce=None)
    later = installed.with_env(GIT_AUTHOR_DATE="1700000000 +0000")
    branch(later, "side", "side", {path(1): text})
    installed.commit("main", {path(1): text})
    installed.git("branch", "-q", "picked", "main~1")
    [(where, message)] = contested(installed)
    assert where == path(1)
    assert message.startswith("claimed with the same bytes by ")

    installed.git("merge", "-q", "--no-edit", "side")
    assert len(contested(installed)) == 1
    mended(installed)


def test_a_claimant_with_two_claims_alike_is_contested_all_the_same(installed: Repo) -> None:
    """Without nonces, what ada says of 2 is no proof that 1 was given up."""
    guard(installed)
    installed.commit("two", {path(2): claim(2, "ada", nonce=None)})
    branch(installed, "side", "side", {path(1): claim(1, "lin", nonce=None)})
    installed.commit("main", {path(1): claim(1, "ada", nonce=None)})

    message = "claimed by ada here and by lin on side"
    assert contested(installed) == [(path(1), message)]
    mended(installed)


def test_a_picked_claim_is_one_claim(installed: Repo) -> None:
    """The same bytes with a nonce, or the same author, date and subject."""
    guard(installed)
    made = branch(installed, "side", "side", {path(1): claim(1, "lin", nonce=None)})
    installed.commit("main")
    installed.git("cherry-pick", made)

    assert contested(installed) == []


def test_odd_names_and_contents_are_shown_escaped(installed: Repo) -> None:
    """One line of each, whatever is in the folder."""
    guard(installed)
    name = f"{FOLDER}/HW/a\nb\x1b[2J.toml"
    branch(installed, "side", "side", {name: 'actor = "l\x1b[31m"\n'})
    installed.commit("main", {name: b"\xff\xfe\0binary"})
    done = installed.coord("id", "check")

    assert done.code == 1
    assert "\x1b" not in done.out
    assert len(done.out.splitlines()) == 3
    run = done.out.splitlines()[1].partition("run: ")[2]
    assert installed.paste(run).code == 0
    assert contested(installed) == []


def test_a_symlink_or_submodule_in_the_folder_is_no_claim(installed: Repo) -> None:
    """Nothing is followed."""
    (installed.path / FOLDER / "HW").mkdir(parents=True)
    (installed.path / path(1)).symlink_to("/etc/passwd")
    installed.git("add", "-A")
    installed.commit("link")

    assert installed.coord("id", "check").out == "ok: 0 identifiers in 1 branch\n"
