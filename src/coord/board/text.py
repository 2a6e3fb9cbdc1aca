"""The board and a scope's log as a person reads them. Pure: lines out, nothing printed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from coord.base import duration
from coord.base.columns import aligned, cut, width
from coord.board.view import is_unknown, on_host, orders_merges
from coord.liveness.presence import NOT_YET
from coord.stores import scopes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coord.board.events import Event, Place
    from coord.board.roll import Member, Roll
    from coord.board.view import Claimant, Row
    from coord.liveness.presence import Status

_WIDEST = 40
_DAY = 86400
_GONE = "git has forgotten its worktree"


def board_lines(
    members: Sequence[Member],
    rows: Sequence[Row],
    me: str | None,
    now: float | None,
    most: int | None = None,
) -> Iterator[str]:
    """Yield the board; `me` is marked, ages are counted to `now`.

    Scopes are cut to `most` cells, if any; without `now` nothing is said of ages.
    """
    taken = [row for row in rows if row.state != "free"]
    yield _summary(members, taken)
    if members:
        yield ""
        table = aligned([_member(member, me, now) for member in members])
        yield from (("  " + "  ".join(cells)).rstrip() for cells in table)
    if taken:
        yield ""
        said = [scopes.shown(row.scope) for row in taken]
        names = aligned([(name if most is None else cut(name, most),) for name in said], _WIDEST)
        for (name,), row in zip(names, taken, strict=True):
            yield from _row(name, row, me, now)


#: What is said of a time by another clone's clock, which may be years off.
OWN_CLOCK = " by its own clock"


def log_lines(events: Sequence[Event], roll: Roll) -> Iterator[str]:
    """Yield a scope's events, oldest first; others' words are marked."""
    clocks = ["" if roll.dates_of(event.instance) else OWN_CLOCK for event in events]
    wide = max(map(len, clocks), default=0)
    for event, clock in zip(events, clocks, strict=True):
        at = f"{event.at[:19]}Z{clock:<{wide}}"
        yield f"{event.seq:>4}  {at}  {event.kind:<9}  {event.actor}{_result(event)}"
        yield from (f"      | {line}" for line in _words(event))


def span(seconds: float) -> str:
    """Return an age as a person says it."""
    return "less than a minute" if seconds < duration.UNITS["m"] else duration.told(seconds)


def _summary(members: Sequence[Member], taken: Sequence[Row]) -> str:
    present = sum(member.status.present for member in members)
    contested = sum(row.state == "contested" for row in taken)
    stale = sum(row.stale and not row.done for row in taken)
    parts = [
        f"{present} present",
        f"{len(taken)} claim{'' if len(taken) == 1 else 's'}",
        *([f"{contested} contested"] if contested else []),
        *([f"{stale} stale"] if stale else []),
    ]
    return ", ".join(parts)


def _member(member: Member, me: str | None, now: float | None) -> tuple[str, ...]:
    status = member.status
    own = " (you)" if member.actor.instance == me else ""
    why = member.away if status.present else status.why
    seen = _seen(status, now)
    return (member.actor.actor + own, _word(status), member.branch or "-", seen, why)


def _word(status: Status) -> str:
    """Return one of the six words; who has not been here yet is away."""
    if status.why == NOT_YET:
        return "away"
    return "silent" if status.liveness == "left" else status.liveness


def silence(status: Status, now: float | None) -> str:
    """Return since when somebody is silent, and for how long."""
    if status.seen is None:
        return "silent"
    word = "unknown, " if status.liveness == "unknown" else ""
    if status.heard:
        return f"{word}{_no_news(status.seen, now)}"
    at = datetime.fromtimestamp(status.seen, UTC)
    age = "" if now is None else f" ({span(now - status.seen)})"
    day = "%Y-%m-%d %H:%MZ" if now is None or now - status.seen >= _DAY else "%H:%MZ"
    return f"{word}silent since {at.strftime(day)}{age}"


def _seen(status: Status, now: float | None) -> str:
    """Return how long ago a worker was seen; without a clock, since when it was no news here."""
    if status.seen is None or now is None:
        return ""
    if not status.heard:
        return f"seen {span(now - status.seen)} ago"
    if status.present:
        return f"news first seen here {span(now - status.seen)} ago"
    return _no_news(status.seen, now)


def _no_news(seen: float, now: float | None) -> str:
    age = "" if now is None else f" for {span(now - seen)}"
    return f"no news{age} since this clone looks"


def _row(name: str, row: Row, me: str | None, now: float | None) -> Iterator[str]:
    first, *others = row.claimants
    marks = [
        *([_issue(first.place)] if first.place.issue is not None else []),
        *([f"runs {_run(first.place)}"] if first.place.run else []),
        *([f"now {row.renamed}"] if row.renamed else []),
        *(["paused"] if row.paused_at else []),
        *(["finished"] if row.done else []),
        *(_why_stale(row) if row.stale and not row.done else []),
    ]
    tail = f" ({', '.join(marks)})" if marks else ""
    who = f"{_named(first, me)}{_age(first, now, row.began)}"
    yield f"  {name}  {who}{tail}"
    margin = " " * (min(_WIDEST, width(name)) + 4)
    if first.place.intent:
        yield from (f"{margin}| {line}" for line in first.place.intent.split("\n"))
    for other in others:
        yield f"{margin}{_follower(other, row, me, now)}"


def _why_stale(row: Row) -> tuple[str, ...]:
    if is_unknown(row.claimants[0].place):
        return ()
    status = row.status
    if row.gone:
        return ("gone",)
    if status is None or (row.dead and not status.dead):  # a run that has ended
        return ("ended",) if row.dead else ("silent",)
    why = f": {status.why}" if status.why and status.why != _GONE else ""
    return (f"{_word(status)}{why}",)


def _follower(claimant: Claimant, row: Row, me: str | None, now: float | None) -> str:
    place = claimant.place
    age = _age(claimant, now, row.began)
    if place.run and claimant.state == "held":
        return f"runs {_run(place)}{age}"
    if claimant.number is None and place.run:
        return f"-  {_named(claimant, me)} ran {_run(place)}, but that has ended"
    if claimant.number is None:
        end = "its worktree is gone" if claimant.gone else "it has ended"
        return f"-  {_named(claimant, me)} waited, but {end}"
    to = f" to run {_run(place)}" if place.run else ""
    if not to and orders_merges(row.scope, [row.claimants[0].place]):
        return f"{claimant.number}. {_named(claimant, me)}{age}, merged later"
    return f"{claimant.number}. {_named(claimant, me)}, waiting{to}{age}"


def _run(place: Place) -> str:
    return place.words or "a command"


def _named(claimant: Claimant, me: str | None) -> str:
    place = claimant.place
    if is_unknown(place):
        return "held by unknown: its record cannot be read"
    own = " (you)" if place.instance == me and me is not None else ""
    where = on_host(place, afar=claimant.afar)
    if claimant.branch is None:
        return f"{place.actor}{own}{where}"
    was = f", was {claimant.was}," if claimant.was else ""
    to = "for" if place.on_behalf else "on"
    return f"{place.actor}{own} {to} {claimant.branch}{was}{where}"


def _issue(place: Place) -> str:
    return f"#{place.issue}" if isinstance(place.issue, int) else str(place.issue)


def _age(claimant: Claimant, now: float | None, began: float | None) -> str:
    """Return for how long a place was taken; the store's clock bounds what a claimant's said."""
    since = seconds(claimant.place.since)
    if since is None or now is None:
        return ""
    if not claimant.dated:
        return f" since {minute(since)}{OWN_CLOCK}"
    return f" for {span(now - (since if began is None else max(since, began)))}"


def seconds(moment: str) -> float | None:
    """Return a moment of a record in seconds, None of what is none."""
    try:
        return datetime.fromisoformat(moment).timestamp()
    except (ValueError, OverflowError):  # the year 1, west of here
        return None


def minute(at: float) -> str:
    """Return a moment that another machine's clock showed, as it would be read there."""
    try:
        return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%MZ}"
    except (ValueError, OverflowError):  # before the year 1
        return "an unknown time"


def _result(event: Event) -> str:
    holder = event.state.holder
    if holder is None:
        return ", now free"
    if event.kind == "offer" and event.state.offers:
        to = event.state.offers[-1].name
        return f" → offered to {to}, held by {holder.actor}, generation {event.state.generation}"
    waiting = sum(at > 0 and not event.state.has_turn(at) for at in range(len(event.state.line)))
    line = f", {waiting} waiting" if waiting else ""
    return f" → held by {holder.actor}, generation {event.state.generation}{line}"


def _words(event: Event) -> Iterator[str]:
    """Yield what was said of an event, and what was shipped before it."""
    for key, lead in (("reason", ""), ("shipped", "shipped ")):
        said = event.details.get(key)
        if isinstance(said, str) and said:
            yield from (f"{lead}{line}" for line in said.split("\n"))
