"""The one thing that ``wake`` suggests: an overdue lane, else the kind of move going cold. Pure.

Twenty workers that wake together must not all be sent to one lane. Each scores every overdue lane
with a hash of its own instance and the lane's name, and is sent to the highest: nobody has to be
asked, and when a lane is claimed, only those who were sent to it are sent elsewhere.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from coord.base import duration
from coord.base.names import quote
from coord.fleet.lanes import scope_of
from coord.fleet.text import ago

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.fleet.lanes import Row
    from coord.fleet.mirror import Kind, Mirror


class Suggestion(NamedTuple):
    """One suggestion; whoever reads it decides.

    Attributes:
        kind: ``lane`` or ``move``.
        name: the lane, or the kind of move.
        reason: why now.
        run: the command that takes it, None where there is nothing to claim.
    """

    kind: str
    name: str
    reason: str
    run: str | None


def suggest(rows: Sequence[Row], mirror: Mirror | None, who: str, now: float) -> Suggestion | None:
    """Return what to suggest to `who` (the instance); None when nothing is late or cold."""
    overdue = [row for row in rows if row.state == "overdue"]
    if overdue:
        row = max(overdue, key=lambda row: _score(who, row.lane.name))
        return Suggestion("lane", row.lane.name, _late(row, now), _claim(row.lane.name))
    if mirror is None or not mirror.cold:
        return None
    kind = mirror.cold[0]
    return Suggestion("move", kind.name, _cold(kind, mirror, now), None)


def _cold(kind: Kind, mirror: Mirror, now: float) -> str:
    if kind.last_shipped is None:
        return "never shipped" if mirror.whole else "not in the part of the ledger that was read"
    last = f"last shipped {ago(kind.last_shipped, now)}"
    return f"{last}, none of the last {mirror.shipped} moves"


def _late(row: Row, now: float) -> str:
    tended = f"tended {ago(row.tended.at, now)}" if row.tended else "not tended yet"
    return f"{tended}, due every {duration.typed(row.lane.every)}"


def _claim(lane: str) -> str:
    return f"git coord claim {quote(scope_of(lane))}"


def _score(who: str, lane: str) -> bytes:
    return hashlib.sha256(f"{who}\0{lane}".encode("utf-8", "surrogateescape")).digest()
