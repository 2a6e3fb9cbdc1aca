"""The worktrees an install is about: all that have a folder, each as a place."""

from __future__ import annotations

import os

from coord.repo import worktree
from coord.repo.worktree import Place


def present(place: Place) -> list[Place]:
    """Return every worktree that can be looked into, the main one first; bare: without a top.

    A locked one on a disk that is away has no folder, and is not prunable either. git lists the
    git dir for the main worktree of a submodule, whose top only `place` itself knows.
    """
    found = [
        Place(sibling.git_dir, place.common_dir, None if sibling.bare else sibling.path)
        for sibling in worktree.siblings(place)
        if sibling.git_dir and not sibling.prunable and os.path.isdir(sibling.path)
    ]
    return [place if one.git_dir == place.git_dir and place.top else one for one in found]


def with_top(place: Place) -> Place:
    """Return `place`, or from inside its git dir the worktree that belongs to it.

    A bare repository has none, and keeps none.
    """
    if place.top is not None:
        return place
    tops = [one for one in present(place) if one.git_dir == place.git_dir]
    return place._replace(top=tops[0].top) if tops else place
