"""The roll: whoever acts in a worktree is put on it, so that a removed one can be told."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.board import actors, claims
from coord.identity.pin import now
from coord.liveness import beats, clone
from coord.stores import chosen
from coord.stores.store import StoreError

if TYPE_CHECKING:
    from coord.identity.pin import Pin
    from coord.repo.worktree import Worktree
    from coord.stores.store import Store


def enrol(here: Worktree, store: Store, actor: str, instance: str) -> None:
    """Put who acts in a worktree on the roll, for whoever comes after it is gone.

    Where a server is away its next command does; what it does by this one says whether that can be.

    Raises:
        StoreError: the board cannot be written.
    """
    try:
        actors.enrol(store, _known(here, actor, instance), here.common_dir)
    except StoreError as error:
        if error.pending is None:
            raise


def enlist(here: Worktree, store: Store, actor: str, instance: str) -> None:
    """Put who acts in a worktree on the roll by its first claim, where one step can be both.

    Raises:
        StoreError: as :func:`enrol`.
    """
    copy = chosen.copy_of(store)
    if copy is None:
        enrol(here, store, actor, instance)
    elif not actors.is_on(copy, instance):
        copy.bring(*actors.record(_known(here, actor, instance), here.common_dir))


def _known(here: Worktree, actor: str, instance: str) -> actors.Actor:
    home, host = actors.home_of(here.git_dir, here.common_dir), os.uname().nodename
    return actors.Actor(actor, instance, home, host, now())


def enrol_pinned(here: Worktree, made: Pin) -> None:
    """Put a worker that was just pinned on the roll: it is there, though it has done nothing yet.

    A board that cannot be written does not undo the pin: the worker's first command says so.
    """
    beats.beat(here.git_dir, None, None)
    home = actors.home_of(here.git_dir, here.common_dir)
    known = actors.Actor(made.actor, made.instance, home, made.host, made.created)
    try:
        actors.enrol(chosen.board_of(here.common_dir), known, here.common_dir)
    except StoreError:
        return


def left_behind(here: Worktree, made: Pin) -> list[str]:
    """Return the scopes held by whoever acted in this worktree before `made` was pinned."""
    store = chosen.board_of(here.common_dir)
    home = actors.home_of(here.git_dir, here.common_dir)
    own = clone.may_own(here.common_dir, shared=store.caps.hosts)
    found = (one for one in actors.every(store) if one.home == home and own(one.clone))
    earlier = {one.instance for one in found} - {made.instance}
    tops = claims.tops(store) if earlier else ()
    held = ((event.scope, event.state.holder) for event in tops)
    return [scope for scope, holder in held if holder and holder.instance in earlier]
