"""Who "ours" and "theirs" are, in terms of commits: a rebase turns them round."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.repo import git

if TYPE_CHECKING:
    from coord.repo.worktree import Worktree

# The head that git keeps of what it brings in. A revert brings the state before the commit.
_BROUGHT = (
    ("REBASE_HEAD", "REBASE_HEAD", "the replayed"),
    ("CHERRY_PICK_HEAD", "CHERRY_PICK_HEAD", "the picked"),
    ("REVERT_HEAD", "REVERT_HEAD^", "the state before the reverted commit,"),
    ("MERGE_HEAD", "MERGE_HEAD", "the merged"),
)


class Sides(NamedTuple):
    """The two sides of a conflict as a person would name them."""

    ours: str
    theirs: str


def labels(here: Worktree) -> Sides:
    """Return who is who in the operation in progress."""
    ours = f"the commit built on, {_commit(here, 'HEAD')}"
    for name, rev, role in _BROUGHT:
        if here.has(name):
            return Sides(ours, f"{role} {_commit(here, rev)}")
    return Sides(ours, "the change brought in")


def _commit(here: Worktree, rev: str) -> str:
    done = git.ask("log", "-1", "--format=%h (%s)", rev, "--", cwd=here.cwd)
    return done.text or "unborn"
