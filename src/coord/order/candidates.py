"""The branches of the board: what claims say of each. Pure, from the newest event of each scope."""

from __future__ import annotations

import math
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from coord.board import renamed
from coord.stores.keys import normal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from coord.board.events import Event, Place, State


class Names(Protocol):
    """What branches are called now, as :class:`coord.board.renamed.Names` has it."""

    def of(self, place: Place) -> str:
        """Return what the branch of a place is called."""

    def of_scope(self, name: str, state: State) -> str:
        """Return what the branch is called that a ``branch:`` scope stands for."""


class _AsSaid:
    """Names that nobody has changed."""

    def of(self, place: Place) -> str:
        return place.branch or ""

    def of_scope(self, name: str, _: State) -> str:
        return name


_AS_SAID = _AsSaid()


class Work(NamedTuple):
    """What is claimed for one branch.

    Attributes:
        name: short name of today, in NFC as scopes are.
        actor: who holds the branch's own scope; else who claimed first for it.
        instance: the same, for certain.
        since: the earliest claim, RFC 3339.
        footprint: the artifacts claimed for it, sorted.
        finished_at: when it was finished, None while at work.
        finished_tip: its commit then.
        deciding: the places that tell whether work goes on: that of the branch's own scope alone,
            if that is held, else all that were taken for it.
        was: the names that it was claimed under before.
    """

    name: str
    actor: str
    instance: str | None
    since: str
    footprint: tuple[str, ...]
    finished_at: str | None
    finished_tip: str | None
    deciding: tuple[Place, ...] = ()
    was: tuple[str, ...] = ()


def works(events: Iterable[Event], names: Names = _AS_SAID) -> dict[str, Work]:
    """Return the work of every branch that has a claim, by the name it has now."""
    found: dict[str, _Found] = {}
    for event in events:
        kind, _, name = event.scope.partition(":")
        if kind == "branch" and event.state.line:
            one = found.setdefault(scoped(event, names), _Found())
            one.said(event.state)
            one.take(event.state.line[0], name)
        for place in event.state.line:
            if place.branch is not None:
                one = found.setdefault(called(place, names), _Found())
                one.take(place, normal(place.branch))
                if kind == "artifact":
                    one.artifacts.add(name)
    return {name: _work(name, one) for name, one in found.items()}


def lines(
    events: Iterable[Event], counts: Callable[[Place], bool], names: Names = _AS_SAID
) -> Iterator[list[str]]:
    """Yield the branches in each line that is one; whoever waits is asked of `counts`."""
    for event in events:
        line = event.state.line
        if len(line) > 1:
            kept = (line[0], *(place for place in line[1:] if counts(place)))
            yield [called(place, names) for place in kept if place.branch is not None]


def called(place: Place, names: Names) -> str:
    """Return what the branch of a place is called now, in NFC."""
    return normal(names.of(place))


def scoped(event: Event, names: Names) -> str:
    """Return what the branch that a ``branch:`` scope stands for is called now, in NFC."""
    return normal(names.of_scope(event.scope.partition(":")[2], event.state))


class _Found:
    """What claims say of one branch, as they are read."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.artifacts: set[str] = set()
        self.names: set[str] = set()
        self.state: State | None = None

    def take(self, place: Place, name: str) -> None:
        self.places.append(place)
        self.names.add(name)

    def said(self, state: State) -> None:
        """Keep what was said last, if it was said under several names."""
        said = renamed.said_of_scope
        if self.state is None or said(state)[0] > said(self.state)[0]:
            self.state = state


def said_at(place: Place) -> float:
    """Return when a place was taken, or something new was last said of it, in seconds."""
    return seconds(place.renewed or place.since)


def seconds(moment: str) -> float:
    """Return a moment of a record in seconds; what is none is later than any."""
    try:
        return datetime.fromisoformat(moment).timestamp()
    except (ValueError, OverflowError):  # the year 1, west of here
        return math.inf


def _work(name: str, found: _Found) -> Work:
    places, state = found.places, found.state
    first = min(places, key=lambda place: (place.on_behalf, place.since, place.instance or ""))
    owner = first if state is None else state.line[0]
    return Work(
        name=renamed.plain(name),
        actor=owner.actor,
        instance=owner.instance,
        since=min(place.since for place in places),
        footprint=tuple(sorted(found.artifacts)),
        finished_at=None if state is None else state.finished_at,
        finished_tip=None if state is None else state.finished_tip,
        deciding=tuple(places) if state is None else state.line[:1],
        was=tuple(sorted(found.names - {renamed.plain(name)})),
    )
