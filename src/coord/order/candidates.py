"""The branches of the board: what claims say of each. Pure, from the newest event of each scope."""

from __future__ import annotations

import math
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from coord.board.keys import normal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from coord.board.events import Event, Place, State


class Work(NamedTuple):
    """What is claimed for one branch.

    Attributes:
        name: short name, in NFC as scopes are.
        actor: who holds the branch's own scope; else who claimed first for it.
        instance: the same, for certain.
        since: the earliest claim, RFC 3339.
        footprint: the artifacts claimed for it, sorted.
        finished_at: when it was finished, None while at work.
        finished_tip: its commit then.
        deciding: the places that tell whether work goes on: that of the branch's own scope alone,
            if that is held, else all that were taken for it.
    """

    name: str
    actor: str
    instance: str | None
    since: str
    footprint: tuple[str, ...]
    finished_at: str | None
    finished_tip: str | None
    deciding: tuple[Place, ...] = ()


def works(events: Iterable[Event]) -> dict[str, Work]:
    """Return the work of every branch that has a claim, by name."""
    places: dict[str, list[Place]] = {}
    artifacts: dict[str, set[str]] = {}
    states: dict[str, State] = {}
    for event in events:
        kind, _, name = event.scope.partition(":")
        if kind == "branch" and event.state.line:
            states[name] = event.state
            places.setdefault(name, []).append(event.state.line[0])
        for place in event.state.line:
            if place.branch is not None:
                branch = normal(place.branch)
                places.setdefault(branch, []).append(place)
                if kind == "artifact":
                    artifacts.setdefault(branch, set()).add(name)
    return {
        name: _work(name, found, artifacts.get(name, set()), states.get(name))
        for name, found in places.items()
    }


def lines(events: Iterable[Event], counts: Callable[[Place], bool]) -> Iterator[list[str]]:
    """Yield the branches in each line that is one; whoever waits is asked of `counts`."""
    for event in events:
        line = event.state.line
        if len(line) > 1:
            kept = (line[0], *(place for place in line[1:] if counts(place)))
            yield [normal(place.branch) for place in kept if place.branch is not None]


def said_at(place: Place) -> float:
    """Return when a place was taken, or something new was last said of it, in seconds."""
    return seconds(place.renewed or place.since)


def seconds(moment: str) -> float:
    """Return a moment of a record in seconds; what is none is later than any."""
    try:
        return datetime.fromisoformat(moment).timestamp()
    except (ValueError, OverflowError):  # the year 1, west of here
        return math.inf


def _work(name: str, places: Sequence[Place], artifacts: set[str], state: State | None) -> Work:
    first = min(places, key=lambda place: (place.on_behalf, place.since, place.instance or ""))
    owner = first if state is None else state.line[0]
    return Work(
        name=name,
        actor=owner.actor,
        instance=owner.instance,
        since=min(place.since for place in places),
        footprint=tuple(sorted(artifacts)),
        finished_at=None if state is None else state.finished_at,
        finished_tip=None if state is None else state.finished_tip,
        deciding=tuple(places) if state is None else state.line[:1],
    )
