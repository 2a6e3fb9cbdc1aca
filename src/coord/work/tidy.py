"""What nobody needs any more goes off the board: a portion at the end of a session, or all."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import CoordError
from coord.board import bygone, claims, sweep
from coord.board.roll import Roll
from coord.board.sweep import Done
from coord.settings import config
from coord.stores import chosen
from coord.work import where

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from coord.stores.store import Store
    from coord.work.call import Call

# More than a year of a busy fleet leaves; whoever has more does it again.
_MOST = 1_000_000
_AT_ONCE = 512  # records, while writers wait


class Swept(NamedTuple):
    """How many records went off the board, and whether that may not be all.

    Not `alone` it was kept from some: somebody was writing, or there are no locks.
    """

    records: int
    more: bool
    alone: bool = True


def portion(store: Store, roll: Roll) -> None:
    """Take a portion of what is bygone; a board that cannot be swept now is swept another time."""
    try:
        sweep.scopes(store)
        bygone.mail(store)
        bygone.posted(store)
        bygone.workers(store, roll)
        bygone.strays(store, roll)
    except CoordError:
        return


def everything(call: Call) -> Swept:
    """Sweep the board, portion by portion, so that others get on with their work in between.

    Killed in between, it has done what it has done, and the next one goes on from there.

    Raises:
        Refused: this is another worktree's, or a copied repository.
        StoreError: the board cannot be read or written.
    """
    here = where.located(call)
    where.require_own(call, here)
    if not here.has_board:
        return Swept(0, more=False)
    store = chosen.board_of(here.common_dir)
    roll = Roll(store, here, config.load(here.top).expires)
    folders = store.folders("claims")
    parts = [folders[at : at + _AT_ONCE] for at in range(0, len(folders), _AT_ONCE)]
    scopes = _all([partial(sweep.scopes, store, _AT_ONCE, among) for among in parts], 0)
    total = scopes.records
    total += sum(claims.compact(store, folder, _MOST) for folder in store.folders("claims"))
    acts = [partial(act, store, _AT_ONCE, _MOST) for act in (bygone.mail, bygone.posted)]
    acts += [partial(act, store, roll, _AT_ONCE, _MOST) for act in (bygone.workers, bygone.strays)]
    rest = _all(acts, total)
    total += rest.records
    return Swept(total, total >= _MOST, scopes.alone and rest.alone)


def _all(acts: Iterable[Callable[[], Done]], before: int) -> Done:
    """Repeat each of `acts` until it finds no more than it takes; return what they did."""
    total, alone = 0, True
    for act in acts:
        while before + total < _MOST:
            done = act()
            total += done.records
            alone &= done.alone
            if done.records < _AT_ONCE:
                break
    return Done(total, 0, alone)
