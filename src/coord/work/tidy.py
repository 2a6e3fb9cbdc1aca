"""What nobody needs any more goes off the board: a portion at the end of a session, or all."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import CoordError
from coord.board import bygone, chosen, claims, sweep
from coord.board.roll import Roll
from coord.settings import config
from coord.work import where

if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.board.store import Store
    from coord.board.sweep import Done
    from coord.work.call import Call

# More than a year of a busy fleet leaves; whoever has more does it again.
_MOST = 1_000_000
_AT_ONCE = 512  # records, while writers wait


class Swept(NamedTuple):
    """How many records went off the board, and whether that may not be all."""

    records: int
    more: bool


def portion(store: Store, roll: Roll) -> None:
    """Take a portion of what is bygone; a board that cannot be swept now is swept another time."""
    try:
        sweep.scopes(store)
        bygone.mail(store)
        bygone.posted(store)
        bygone.workers(store, roll)
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
    total, folders = 0, store.folders("claims")
    for at in range(0, len(folders), _AT_ONCE):
        among = folders[at : at + _AT_ONCE]
        total += _until_done(partial(sweep.scopes, store, _AT_ONCE, among), total)
    total += sum(claims.compact(store, folder, _MOST) for folder in store.folders("claims"))
    total += _until_done(partial(bygone.mail, store, _AT_ONCE, _MOST), total)
    total += _until_done(partial(bygone.posted, store, _AT_ONCE, _MOST), total)
    total += _until_done(partial(bygone.workers, store, roll, _AT_ONCE, _MOST), total)
    return Swept(total, more=total >= _MOST)


def _until_done(act: Callable[[], Done], before: int) -> int:
    """Repeat `act` until it finds no more than it takes; return how many records it took."""
    total = 0
    while before + total < _MOST and (taken := act().records):
        total += taken
        if taken < _AT_ONCE:
            break
    return total
