"""Who "ours" and "theirs" are, in terms of commits: a rebase turns them round."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.repo import git

if TYPE_CHECKING:
    from coord.repo.worktree import Place

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


def labels(place: Place) -> Sides:
    """Return who is who in the operation in progress."""
    ours = f"the commit built on, {_commit(place, 'HEAD')}"
    for name, rev, role in _BROUGHT:
        if place.has(name):
            return Sides(ours, f"{role} {_commit(place, rev)}")
    return Sides(ours, "the change brought in")


def _commit(place: Place, rev: str) -> str:
    done = git.ask("log", "-1", "--format=%h (%s)", rev, "--", cwd=place.cwd)
    return done.text or "unborn"
