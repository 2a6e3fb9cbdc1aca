"""Of which clone a repository is a copy, as far as that can be found."""

from __future__ import annotations

from coord.base import sharing
from coord.liveness import clone
from coord.repo import worktree


def is_copied(common_dir: str) -> bool:
    """Tell whether a repository is not proved to be the one that its board was made in."""
    found = clone.read(common_dir)
    return found is not None and not found.proved


def original(common_dir: str) -> str | None:
    """Return the common git dir of the clone that a copy was made of, if it is there.

    The worktrees that git has copied the records of still are the original's, and name it.
    """
    found = clone.read(common_dir)
    if found is None or found.proved or not found.id:
        return None
    owners = (worktree.owner(git_dir, common_dir) for git_dir in sharing.private_dirs(common_dir))
    return next((one for one in owners if one and clone.known(one) == found.id), None)
