"""The worktrees an install is about: all that have a folder, each as a place."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.repo import worktree
from coord.repo.worktree import Worktree

if TYPE_CHECKING:
    from coord.repo.worktree import Sibling


def present(here: Worktree) -> list[Worktree]:
    """Return every worktree that can be looked into, the main one first; bare: without a top.

    A locked one on a disk that is away has no folder, and is not prunable either. git lists the
    git dir for the main worktree of a submodule, whose top only `here` itself knows.
    """
    found = [
        Worktree(sibling.git_dir, here.common_dir, _top(sibling))
        for sibling in worktree.siblings(here)
        if sibling.git_dir and not sibling.prunable and os.path.isdir(sibling.path)
    ]
    return [here if one.git_dir == here.git_dir and here.top else one for one in found]


def _top(sibling: Sibling) -> str | None:
    """Return a sibling's folder; git lists the git dir where it does not know that of the files."""
    return None if sibling.bare or sibling.path == sibling.git_dir else sibling.path


def with_top(here: Worktree) -> Worktree:
    """Return `here`, or from inside its git dir the worktree that belongs to it.

    A bare repository has none, and keeps none.
    """
    if here.top is not None:
        return here
    tops = [one for one in present(here) if one.git_dir == here.git_dir]
    return here._replace(top=tops[0].top) if tops else here
