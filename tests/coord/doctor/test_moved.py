"""Branches that were moved under a worktree which has them checked out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.clinic import findings, healthy
from harness.grounds import git_version

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

SIGNED = "--format=%an %cn"


@pytest.fixture
def side(installed: Repo, tmp_path: Path) -> Repo:
    """A pinned worktree with a commit of its own, on two of the human's."""
    installed.commit("base", {"f": "1\n"})
    installed.commit("two", {"g": "2\n"})
    made = installed.worktree(tmp_path / "side", "side")
    made.commit("work", {"w": "w\n"})
    return made


@pytest.fixture
def _new(repo: Repo) -> None:
    if git_version(repo) < (2, 55):
        pytest.skip("git has history and refs rename since 2.55")


def moved(side: Repo, to: str) -> None:
    """Move the branch as another worktree does: the reflog of that HEAD is not written."""
    side.git("--git-dir", str(side.common()), "update-ref", "-m", "x: y", "refs/heads/side", to)


@pytest.mark.usefixtures("_new")
def test_a_branch_that_git_history_rewrote_is_named_with_what_brings_it_along(
    installed: Repo, side: Repo
) -> None:
    """A commit below it is dropped: its files stood staged again, its committer was the human."""
    worker = side.git("log", "-1", SIGNED)
    installed.git("history", "drop", "HEAD~1")
    assert side.git("log", "-1", SIGNED) != worker
    board = installed.coord("board")
    assert "side was rewritten by Ada Human <ada@example.com>, drop, from outside in" in board.err

    (found,) = findings(installed)
    assert (found.rule, found.worktree) == ("branch-rewritten", str(side.path))
    assert installed.paste(found.run).code == 0

    assert healthy(installed)
    assert side.git("log", "-1", SIGNED) == worker
    assert side.git("status", "--porcelain") == ""
    assert not (side.path / "f").exists()
    assert "rewritten" not in installed.coord("board").err


@pytest.mark.usefixtures("_new")
def test_a_branch_that_refs_rename_renamed_is_named_with_what_brings_it_back(
    installed: Repo, side: Repo
) -> None:
    """HEAD names no commit any more: the next one would begin a history of its own."""
    if installed.common("reftable").exists():
        pytest.skip("git reads no log of a HEAD that names no commit out of a reftable")
    installed.git("refs", "rename", "refs/heads/side", "refs/heads/other")
    assert "side was renamed to other from outside in" in installed.coord("board").err

    (found,) = findings(installed)
    assert found.rule == "branch-renamed"
    assert installed.paste(found.run).code == 0

    assert healthy(installed)
    assert side.git("status", "--porcelain", "--branch") == "## other"


def test_a_branch_that_was_rewritten_by_any_other_means_keeps_edits(
    installed: Repo, side: Repo
) -> None:
    """What is not committed yet stays, and a copy that bears the worker is left alone."""
    tree = side.git("rev-parse", "HEAD~1^{tree}")
    copy = side.git("commit-tree", tree, "-p", "main", "-m", "emptied")
    side.write("g", "edited\n")
    moved(side, copy)

    (found,) = findings(installed)
    assert found.rule == "branch-rewritten"
    assert "reauthor" in found.run
    assert installed.paste(found.run).code == 0

    assert healthy(installed)
    assert side.git("rev-parse", "HEAD") == copy
    assert side.git("status", "--porcelain") == " M g"


def test_what_only_grew_or_is_not_born_yet_is_no_finding(installed: Repo, side: Repo) -> None:
    """As after a commit of a library that writes no reflog, or on an orphan branch."""
    grown = side.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "grown")
    moved(side, grown)
    assert healthy(installed)
    assert "outside" not in installed.coord("board").err

    side.git("switch", "-q", "--orphan", "new")
    assert healthy(installed)
