"""The habits as a person reads them. Pure: lines out, nothing printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord import duration
from coord.board.view import told
from coord.fleet.ledger import seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from coord.fleet.lanes import Row
    from coord.fleet.ledger import PutDown
    from coord.fleet.mirror import Kind, Mirror


def mirror_lines(mirror: Mirror, now: float) -> Iterator[str]:
    """Yield what was shipped lately, a line a kind."""
    if not mirror.shipped:
        yield "nothing shipped yet"
        return
    yield f"the last {mirror.shipped} moves" if mirror.shipped > 1 else "the only move so far"
    width = max(len(kind.name) for kind in mirror.kinds)
    for kind in mirror.kinds:
        yield f"  {kind.name.ljust(width)}  {kind.times:>2}  {_shipped(kind, mirror, now)}"
    if not mirror.cold:
        yield "  a healthy mix: every kind is among them"


def lane_lines(rows: Sequence[Row], now: float) -> Iterator[str]:
    """Yield how each lane stands, the overdue ones first."""
    width = max((len(row.lane.name) for row in rows), default=0)
    for row in rows:
        yield f"  {row.lane.name.ljust(width)}  {row.state:<7}  {_tended(row, now)}"
        if row.lane.about:
            yield f"  {' ' * width}           | {row.lane.about}"


def put_down_lines(entries: Iterable[PutDown], now: float) -> Iterator[str]:
    """Yield what was put down, oldest first; others' words are marked."""
    for entry in entries:
        yield f"  {entry.scope}  {entry.reason}, {ago(entry.at, now)} by {entry.actor}"
        for said in (entry.note, entry.revisit and f"revisit: {entry.revisit}"):
            yield from (f"    | {line}" for line in said.split("\n") if said)


def ago(at: str | None, now: float) -> str:
    """Return how long ago a time of a ledger was."""
    then = seconds(at or "")
    if then is None:
        return "at an unknown time"
    return f"{_span(now - then)} ago"


def _span(age: float) -> str:
    return "less than a minute" if age < duration.UNITS["m"] else duration.told(age)


def _shipped(kind: Kind, mirror: Mirror, now: float) -> str:
    if kind.last_shipped is not None:
        when = f"last {ago(kind.last_shipped, now)}"
    else:
        when = "never shipped" if mirror.whole else "not in the part of the ledger that was read"
    return when if kind.times else f"{when}: going cold"


def _tended(row: Row, now: float) -> str:
    if row.holder is not None:
        return f"claimed by {told(row.holder)}, {ago(row.holder.since, now)}"
    due = f"due every {duration.typed(row.lane.every)}"
    if row.tended is None:
        return f"not tended yet, {due}"
    return f"tended {ago(row.tended.at, now)} by {row.tended.actor}, {due}"
