"""The board of a repository, and the workers that commands put on its roll."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.board import actors, beats, claims
from coord.board.directory import Directory
from coord.board.store import StoreError

if TYPE_CHECKING:
    from coord.board.store import Store
    from coord.identity.pin import Pin
    from coord.repo.worktree import Worktree


def board_of(here: Worktree) -> Store:
    """Return the repository's board."""
    return Directory(os.path.join(here.common_dir, "coord", "board"))


def left_behind(here: Worktree, made: Pin) -> list[str]:
    """Return the scopes held by whoever acted in this worktree before `made` was pinned."""
    store, home = board_of(here), actors.home_of(here.git_dir, here.common_dir)
    earlier = {one.instance for one in actors.every(store) if one.home == home} - {made.instance}
    tops = claims.tops(store) if earlier else ()
    held = ((event.scope, event.state.holder) for event in tops)
    return [scope for scope, holder in held if holder and holder.instance in earlier]


def enrol_pinned(here: Worktree, made: Pin) -> None:
    """Put a worker that was just pinned on the roll: it is there, though it has done nothing yet.

    A board that cannot be written does not undo the pin: the worker's first command says so.
    """
    beats.beat(here.git_dir, None, None)
    home = actors.home_of(here.git_dir, here.common_dir)
    known = actors.Actor(made.actor, made.instance, home, made.host, made.created)
    try:
        actors.enrol(board_of(here), known)
    except StoreError:
        return
