"""Who "ours" and "theirs" are, in terms of commits: a rebase turns them round."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.repo import git, underway

if TYPE_CHECKING:
    from coord.repo.worktree import Worktree


class Sides(NamedTuple):
    """The two sides of a conflict as a person would name them."""

    ours: str
    theirs: str


def labels(here: Worktree) -> Sides:
    """Return who is who in the operation in progress."""
    ours = f"the commit built on, {_commit(here, 'HEAD')}"
    for one in underway.kept(here):
        return Sides(ours, f"{one.role} {_commit(here, one.brought)}")
    return Sides(ours, "the change brought in")


def _commit(here: Worktree, rev: str) -> str:
    done = git.ask("log", "-1", "--format=%h (%s)", rev, "--", cwd=here.cwd)
    return done.text or "unborn"
