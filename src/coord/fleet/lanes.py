"""Lanes: duties that somebody should tend now and then, and how long nobody has. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.fleet.ledger import seconds
from coord.stores import keys, scopes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from coord.board.events import Event, Place
    from coord.fleet.ledger import Move
    from coord.fleet.ledgerfile import Tail
    from coord.settings.config import Lane


class Row(NamedTuple):
    """How a lane stands.

    Attributes:
        lane: what is declared of it.
        tended: the last move that was shipped for it; None when there is none to be found.
        age: seconds since then.
        holder: who has claimed it now.
        dated: how long ago that was can be told (:meth:`coord.board.roll.Roll.dates`).
    """

    lane: Lane
    tended: Move | None
    age: float | None
    holder: Place | None
    dated: bool = True

    @property
    def late(self) -> float:
        """By how many seconds it is overdue: endless where it was never tended."""
        return float("inf") if self.age is None else self.age - self.lane.every

    @property
    def state(self) -> str:
        """``held``, ``overdue`` or ``tended``: who claims a lane takes it off the list at once."""
        if self.holder is not None:
            return "held"
        return "overdue" if self.late > 0 else "tended"


def survey(
    declared: Sequence[Lane],
    ledgers: Iterable[Tail[Move]],
    holders: Mapping[str, Place],
    now: float,
) -> list[Row]:
    """Return how each lane stands: the overdue ones first, the most overdue before all.

    Args:
        declared: ``[lane.NAME]``.
        ledgers: the shipped moves, of every worktree that counts: a lane that a peer has tended on
            a branch still to be merged is tended. They are read back no further than it takes.
        holders: scope → who has claimed it.
        now: the present, in seconds.
    """
    tended = _last(ledgers, {lane.name for lane in declared})
    rows = []
    for lane in declared:
        move = tended.get(lane.name)
        at = None if move is None else seconds(move.at)
        age = None if at is None else max(0.0, now - at)
        rows.append(Row(lane, move, age, holders.get(scope_of(lane.name))))
    return sorted(rows, key=lambda row: (row.state != "overdue", -row.late, row.lane.name))


def scope_of(name: str) -> str:
    """Return the scope that a lane is claimed as."""
    return f"lane:{keys.normal(name)}"


def holders(tops: Iterable[Event]) -> dict[str, Place]:
    """Return scope → holder of the lanes that are claimed, from the newest event of each scope."""
    return {
        event.scope: event.state.line[0]
        for event in tops
        if event.state.line and scopes.kind_of(event.scope) == "lane"
    }


def _last(ledgers: Iterable[Tail[Move]], names: set[str]) -> dict[str, Move]:
    """Return the newest move of each lane, of all ledgers."""
    found: dict[str, Move] = {}
    for newest in ledgers:
        for lane, move in _last_of(newest, names).items():
            found[lane] = max(move, found.get(lane, move), key=lambda one: seconds(one.at) or 0.0)
    return found


def _last_of(newest: Tail[Move], names: set[str]) -> dict[str, Move]:
    found: dict[str, Move] = {}
    for move in newest if names else ():
        if move.lane in names:
            found.setdefault(move.lane, move)
            if len(found) == len(names):
                break
    return found
