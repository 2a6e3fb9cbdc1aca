"""``board``: who is here, who works on what, and who waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.board import claims, view
from coord.board.text import seconds
from coord.repo import underneath, worktree
from coord.stores import chosen
from coord.work import arrive

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from coord.board.events import Event
    from coord.board.roll import Member, Roll
    from coord.board.view import Row
    from coord.stores.store import Store
    from coord.stores.unreached import Unreached
    from coord.work.arrive import Worker
    from coord.work.call import Call

_LONG = 86400


class Board(NamedTuple):
    """What the board shows, and to whom."""

    worker: Worker
    roll: Roll
    members: list[Member]
    rows: list[Row]

    @property
    def unreached(self) -> Unreached | None:
        """Since when the board's server cannot be reached; None where it can, or there is none."""
        return chosen.unreached(self.worker.store)


def board(call: Call, *, everything: bool = True) -> Board:
    """Return every worker and every claim, scopes in order; `everything`: free ones as well."""
    worker = arrive.looking(call)
    for one in underneath.moved(worktree.siblings(worker.here), worker.here.common_dir):
        call.note(f"{one.what} in {one.sibling.path}: git coord doctor")
    roll = worker.roll()
    rows = rows_of(newest(worker.store, everything=everything), roll)
    return Board(worker, roll, roll.members(view.owners(rows)), rows)


def newest(store: Store, *, everything: bool) -> Iterator[Event]:
    """Return the newest events of all scopes, or of those that are not free."""
    return claims.tops(store) if everything else claims.taken(store)


def rows_of(events: Iterable[Event], roll: Roll) -> list[Row]:
    """Return the newest events of scopes as rows, in the order of their names."""
    return sorted((view.row(one.scope, one.state, roll) for one in events), key=_name)


def aged(store: Store, rows: Iterable[Row], now: float | None) -> list[Row]:
    """Return rows with when each scope began, where a claim says that it is more than a day old.

    A record says when its owner's clock made it; the store knows when the scope really began. Only
    text shows ages, so only text pays for the look. Where the store has no clock, it knows only
    since when it is known here, which is no bound for what this machine's clock says.
    """
    return [_aged(store, row, now) for row in rows]


def _aged(store: Store, row: Row, now: float | None) -> Row:
    since = (seconds(one.place.since) for one in row.claimants)
    if now is None or not store.caps.clock or all(at is None or now - at < _LONG for at in since):
        return row
    return row._replace(began=claims.began(store, row.scope))


def _name(row: Row) -> str:
    return row.scope
