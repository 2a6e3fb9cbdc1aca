"""The habits as a person reads them. Pure: lines out, nothing printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base import duration
from coord.base.columns import aligned, width
from coord.base.names import is_actor, shown
from coord.board.text import OWN_CLOCK, minute
from coord.board.view import told
from coord.fleet.ledger import GRACE, REASONS, seconds
from coord.stores import scopes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from coord.fleet.lanes import Row
    from coord.fleet.ledger import Move, PutDown
    from coord.fleet.mirror import Kind, Mirror

_LONGEST = 2000  # what the verbs let through; who writes a ledger by hand may write a book


def mirror_lines(mirror: Mirror, now: float) -> Iterator[str]:
    """Yield what was shipped lately, a line a kind."""
    if not mirror.shipped:
        yield "nothing shipped yet"
        return
    yield f"the last {mirror.shipped} moves" if mirror.shipped > 1 else "the only move so far"
    names = [kind.name if kind.declared else foreign(kind.name) for kind in mirror.kinds]
    for (name,), kind in zip(aligned([(name,) for name in names]), mirror.kinds, strict=True):
        yield f"  {name}  {kind.times:>2}  {_shipped(kind, mirror, now)}"
    if not mirror.cold:
        yield "  a healthy mix: every kind is among them"


def lane_lines(rows: Sequence[Row], now: float) -> Iterator[str]:
    """Yield how each lane stands, the overdue ones first."""
    names = aligned([(scopes.shown(row.lane.name),) for row in rows])
    for (name,), row in zip(names, rows, strict=True):
        yield f"  {name}  {row.state:<7}  {_tended(row, now)}"
        if row.lane.about:
            yield f"  {' ' * width(name)}           | {row.lane.about}"


def put_down_lines(entries: Iterable[PutDown], now: float) -> Iterator[str]:
    """Yield what was put down, oldest first; others' words are marked."""
    for entry in entries:
        reason = entry.reason if entry.reason in REASONS else foreign(entry.reason)
        when = f"{ago(entry.at, now)} by {who(entry.actor)}"
        yield f"  {scopes.shown(entry.scope)}  {reason}, {when}"
        for said in (entry.note, entry.revisit and f"revisit: {entry.revisit}"):
            text = said if len(said) <= _LONGEST else said[:_LONGEST] + "…"
            yield from (f"    | {line}" for line in text.split("\n") if text)


def ahead_lines(path: str, entries: Iterable[Move | PutDown]) -> Iterator[str]:
    """Yield what is to be said of records that are dated beyond the present: one line, or none."""
    found = sorted(entries, key=lambda entry: seconds(entry.at) or 0.0)
    if found:
        last, times = found[-1], "a record is" if len(found) == 1 else f"{len(found)} records are"
        yield (
            f"{path}: {times} dated in the future and passed over until then, "
            f"the last {last.at[:10]} by {who(last.actor)}: its clock was wrong"
        )


def who(actor: str) -> str:
    """Return an actor of a ledger as a screen shows it: as it is if it can be one."""
    return actor if is_actor(actor) else foreign(actor)


def foreign(field: str) -> str:
    """Return what stands in a ledger where one of our words should: short, and in quotes.

    A branch that was merged, or a line written by hand, may hold a sentence there.
    """
    text = shown(field)
    text = text if len(text) <= scopes.SHOWN else text[: scopes.SHOWN] + "…"
    return "'" + text.replace("'", "'\\''") + "'"


def ago(at: str | None, now: float) -> str:
    """Return how long ago a time of a ledger was."""
    then = seconds(at or "")
    if at is None or then is None:
        return "at an unknown time"
    if then > now + GRACE:
        return f"dated {at:.10}"
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
        since = ago(row.holder.since, now)
        if not row.dated:
            at = seconds(row.holder.since)
            since = f"{'at an unknown time' if at is None else minute(at)}{OWN_CLOCK}"
        return f"claimed by {told(row.holder)}, {since}"
    due = f"due every {duration.typed(row.lane.every)}"
    if row.tended is None:
        return f"not tended yet, {due}"
    return f"tended {ago(row.tended.at, now)} by {who(row.tended.actor)}, {due}"
