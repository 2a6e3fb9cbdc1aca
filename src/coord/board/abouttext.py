"""Announcements, and what is known of one scope or worker, as a person reads them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.board import text, view
from coord.stores import scopes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coord.board.events import Event, Place, State
    from coord.board.roll import Roll

_EVENTS = 10


class Announcement(NamedTuple):
    """A claim that says what it is for.

    Attributes:
        scope: canonical scope.
        state: the scope's state.
        place: the claim's place in the line.
    """

    scope: str
    state: State
    place: Place

    @property
    def paused_at(self) -> str | None:
        """When its holder paused; who waits cannot."""
        return self.state.paused_at if self.place == self.state.holder else None


def announced(events: Sequence[Event], roll: Roll) -> list[Announcement]:
    """Return the announcements of living workers: claims on branches, or with intent or paths."""
    return [
        Announcement(event.scope, event.state, place)
        for event in events
        for place in event.state.line
        if not (view.is_unknown(place) or roll.is_dead(place))
        and (event.scope.startswith("branch:") or place.intent or place.paths)
    ]


def announcement_lines(found: Sequence[Announcement], me: str | None) -> Iterator[str]:
    """Yield announcements, each with the words and the paths of its worker."""
    yield f"{len(found)} announcement{'' if len(found) == 1 else 's'}"
    for one in found:
        own = " (you)" if one.place.instance == me is not None else ""
        on = f" on {one.place.branch}" if one.place.branch else ""
        paused = " (paused)" if one.paused_at else ""
        yield ""
        yield f"  {scopes.shown(one.scope)}  {one.place.actor}{own}{on}{paused}"
        yield from _words(one.place)


def detail_lines(scope: str, state: State, history: Sequence[Event], roll: Roll) -> Iterator[str]:
    """Yield what the board's row of a scope does not say: paths, pause, offers, what happened."""
    for place in state.line:
        if place.paths:
            yield f"  {scopes.shown(scope)}: {place.actor} means to touch"
            yield from (f"    | {path}" for path in place.paths)
    if state.paused_at:
        own = "" if state.holder is None or roll.dates(state.holder) else text.OWN_CLOCK
        yield f"  {scopes.shown(scope)}: paused at {state.paused_at[:19]}Z{own}"
        yield from (f"    | {line}" for line in (state.paused_why or "").split("\n") if line)
    for offer in state.offers:
        at = f"generation {state.generation}, {offer.id}"
        yield f"  {scopes.shown(scope)}: offered to {offer.name} at {at}"
        yield from (f"    | {line}" for line in offer.note.split("\n") if offer.note)
    if history:
        yield ""
        yield from text.log_lines(history[-_EVENTS:], roll)


def _words(place: Place) -> Iterator[str]:
    if place.intent:
        yield from (f"    | {line}" for line in place.intent.split("\n"))
    if place.paths:
        yield "    means to touch"
        yield from (f"    | {path}" for path in place.paths)
