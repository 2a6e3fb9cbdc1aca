"""``--tree``: what is there now, judged as the commit it would become."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.check import snapshot
from coord.repo import worktree
from harness import Repo
from harness.check import branch, declare, found, problems, report

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

# Histories as in a clone without the toolkit.
UNGUARDED = {
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.hooksPath",
    "GIT_CONFIG_VALUE_0": "/dev/null",
}


def test_a_clean_tree_is_judged_without_its_history(guarded: Repo) -> None:
    """What its commits did is for a range."""
    guarded.commit("edit", {"a.log": "one\n"})

    seen = report(guarded, tree=True)

    assert (seen.problems, seen.commits, seen.guarded) == ((), 0, 3)


def test_uncommitted_changes_are_judged_staged_or_not(guarded: Repo) -> None:
    """By all rules, and no commit is named for there is none."""
    guarded.write("a.log", "one\nTWO\nthree\n")
    guarded.git("add", "a.log")
    guarded.write("coordination/ids/adr/0001.toml", "other\n")
    guarded.write("src/a.proto", "A\n")

    named = problems(guarded, tree=True)

    assert [(each.rule, each.path, each.commit) for each in named] == [
        ("log-rewritten", "a.log", None),
        ("once-changed", "coordination/ids/adr/0001.toml", None),
        ("derived-stale", "schema.json", None),
    ]


def test_the_printed_commands_leave_nothing_to_say(guarded: Repo) -> None:
    """What was done to a log is put aside, not thrown away: it may hold more than the fault."""
    guarded.install()
    guarded.write("a.log", "one\nTWO\nthree\nfour\n")
    (guarded.path / "coordination/ids/adr/0001.toml").unlink()
    guarded.write("src/a.proto", "A\n")
    guarded.coord("regenerate", "--trust", "schema.json")
    guarded.git("checkout", "-q", "HEAD", "--", "schema.json")

    for problem in problems(guarded, tree=True):
        done = guarded.paste(problem.run)
        assert done.code == 0, done.err

    assert not problems(guarded, tree=True)
    assert "four" in guarded.git("show", "stash@{1}:a.log")


def test_a_log_that_git_does_not_track_any_more_is_brought_back(guarded: Repo) -> None:
    """``git stash`` knows of no such path: it takes the index back first."""
    before = guarded.read("a.log")
    guarded.git("rm", "-q", "a.log")

    (problem,) = problems(guarded, tree=True)

    assert guarded.paste(problem.run).code == 0
    assert guarded.read("a.log") == before
    assert guarded.git("stash", "list")


def test_a_conflict_is_settled_and_then_no_loss(guarded: Repo) -> None:
    """No conflict is put aside; and the commit will say what was decided."""
    guarded.install()
    branch(unguarded := guarded.with_env(**UNGUARDED), "side", "edit", {"a.log": "ONE\ntwo\nsix\n"})
    unguarded.commit("edit", {"a.log": "one\nTWO\nfive\n"})
    assert guarded.tried("merge", "side").code == 1

    (problem,) = problems(guarded, tree=True)

    assert (problem.rule, problem.run.split(" --reason")[0]) == (
        "conflict-markers",
        "git coord resolve a.log --take both",
    )
    assert guarded.paste(problem.run).code == 0
    assert problems(guarded, tree=True) == []
    guarded.write("a.log", "five\n")  # no longer what was settled
    (problem,) = problems(guarded, tree=True)
    assert problem.rule == "log-rewritten"


def test_uncommitted_declarations_count(guarded: Repo) -> None:
    """The tree is judged as it is."""
    guarded.write(".gitattributes", guarded.read(".gitattributes") + "*.json merge=npm\n")

    assert found(guarded, tree=True) == [("attribute-unregistered", "schema.json")]


def test_nothing_is_written(guarded: Repo) -> None:
    """Not the index, not an object, not even where the git dir is read-only."""
    guarded.write("a.log", "one\n")
    before = _files(guarded.private())

    assert found(guarded, tree=True) == [("log-rewritten", "a.log")]

    assert _files(guarded.private()) == before


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_merge_in_progress_is_judged_against_both_sides(guarded: Repo) -> None:
    """As the commit that would conclude it."""
    branch(guarded, "side", "append", {"a.log": "one\ntwo\nthree\nside\n"})
    guarded.commit("append", {"a.log": "one\ntwo\nthree\nmain\n"})
    assert guarded.tried("merge", "--no-edit", "side").code == 1
    assert found(guarded, tree=True) == [("log-rewritten", "a.log")]

    guarded.write("a.log", "one\ntwo\nthree\nmain\nside\n")

    assert not found(guarded, tree=True)


def test_an_unborn_branch_is_judged(tmp_path: Path, env: dict[str, str]) -> None:
    """With or without files."""
    unborn = Repo.init(tmp_path / "unborn", env)
    with snapshot.taken(worktree.discover(str(unborn.path), env)) as (_, asked):
        assert asked is None
    for name in ("x", "X"):
        unborn.write(f"coordination/ids/a/{name}.toml", name)
    unborn.git("add", "-A")

    assert found(unborn, tree=True) == [("id-taken", "coordination/ids/a/x.toml")]


def test_a_bare_repository_has_heads_tree(
    guarded: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no other."""
    guarded.commit("double", {"coordination/ids/adr/1.toml": "x"})
    guarded.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))

    bare = guarded.bare(tmp_path / "bare.git")
    for key, text in bare.env.items():
        monkeypatch.setenv(key, text)

    assert found(bare, tree=True) == [("id-taken", "coordination/ids/adr/1.toml")]


def test_a_linked_worktree_and_odd_folders_are_read(odd_path: Repo, tmp_path: Path) -> None:
    """A colon in the path separates entries of git's list of object folders."""
    declare(odd_path)
    tree = odd_path.worktree(tmp_path / 'a:b "c"', "side")
    tree.write("a.log", "one\n")

    assert found(tree, tree=True) == [("log-rewritten", "a.log")]
    moved = Repo(tmp_path / "with:colon", odd_path.env)
    odd_path.path.rename(moved.path)
    moved.write("a.log", "one\n")

    assert found(moved, tree=True) == [("log-rewritten", "a.log")]
