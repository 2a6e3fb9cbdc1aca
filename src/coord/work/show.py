"""``show``: all that is known of one scope, worker or branch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import Refused
from coord.board import claims, recipients, view
from coord.stores import scopes
from coord.work import arrive
from coord.work import board as boards

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from coord.board.events import Event
    from coord.board.roll import Member, Roll
    from coord.board.view import Row
    from coord.work.arrive import Worker
    from coord.work.call import Call


class Subject(NamedTuple):
    """What a name means.

    Attributes:
        kind: ``scope``, ``actor`` or ``branch``.
        name: its canonical name.
        events: newest events of the scopes it has to do with, in the order of their names.
        instances: the workers it has to do with.
    """

    kind: str
    name: str
    events: tuple[Event, ...]
    instances: frozenset[str]


class Shown(NamedTuple):
    """What is known of a subject, and who asks.

    Attributes:
        worker: who asks.
        roll: of the workers.
        subject: what was meant.
        members: the workers it has to do with, and those who have a place in its scopes.
        rows: its scopes, one for each of its events.
    """

    worker: Worker
    roll: Roll
    subject: Subject
    members: list[Member]
    rows: list[Row]


def show(call: Call, name: str | None = None) -> Shown:
    """Return what is known of `name`; by default, of the worker itself.

    It is tried as a scope with its kind, a worker's name or instance, a branch, and a task.

    Raises:
        Usage: it has a colon, and is no scope.
        Refused: it means nothing that is known here.
    """
    worker = arrive.looking(call)
    roll = worker.roll()
    subject = _subject(worker, roll, name or worker.me.instance or worker.me.actor)
    rows = boards.rows_of(subject.events, roll)
    known = view.owners(rows) | subject.instances
    members = [one for one in roll.members(known) if one.actor.instance in known]
    return Shown(worker, roll, subject, members, rows)


def aged(found: Shown) -> list[Row]:
    """Return the rows with their ages, as the board has them; for text only."""
    return boards.aged(found.worker.store, found.rows, found.roll.now)


def past(found: Shown, event: Event) -> list[Event]:
    """Return what happened to a scope, where it is the subject itself; for text only."""
    is_subject = found.subject.kind == "scope"
    return claims.history(found.worker.store, event.scope) if is_subject else []


def _subject(worker: Worker, roll: Roll, name: str) -> Subject:
    events = sorted(claims.taken(worker.store), key=lambda event: event.scope)
    named = None if ":" in name else _actor(events, roll, name) or _branch(events, roll, name)
    found = named or _scope(worker, events, scopes.parse(name, worker.here.top))
    if found is None and name in {worker.me.actor, worker.me.instance}:
        # Whoever has claimed nothing yet may not be on the roll.
        return Subject("actor", worker.me.actor, (), frozenset({worker.instance} - {""}))
    if found is None:
        raise _unknown(roll, claims.tops(worker.store), name)
    return found


def _actor(events: Sequence[Event], roll: Roll, name: str) -> Subject | None:
    meant = recipients.meant(roll.everyone(), name).actors
    instances = frozenset(one.instance for one in meant)
    theirs = _where(events, lambda event: any(map(event.state.places_of, instances)))
    return Subject("actor", meant[0].actor, theirs, instances) if meant else None


def _branch(events: Sequence[Event], roll: Roll, name: str) -> Subject | None:
    """Return what is claimed for a branch, by whatever name it had then."""
    scopes_of = {f"branch:{one}" for one in roll.names.borne(name)}
    found = _where(
        events,
        lambda event: (
            (event.scope in scopes_of and bool(event.state.line))
            or any(name in {place.branch, roll.branch(place)} for place in event.state.line)
        ),
    )
    return Subject("branch", name, found, frozenset()) if found else None


def _scope(worker: Worker, events: Sequence[Event], scope: str) -> Subject | None:
    found = _where(events, lambda event: event.scope == scope)
    free = None if found else claims.top(worker.store, scope)
    found = found or (() if free is None else (free,))
    return Subject("scope", scope, found, frozenset()) if found else None


def _where(events: Sequence[Event], test: Callable[[Event], bool]) -> tuple[Event, ...]:
    return tuple(filter(test, events))


def _unknown(roll: Roll, events: Iterable[Event], name: str) -> Refused:
    names = {one.actor for one in roll.everyone()} | {event.scope for event in events}
    near = recipients.nearest(names, name)
    return Refused(
        "name-unknown",
        "no worker, branch or scope of that name is known",
        where=name,
        why=f"the nearest: {', '.join(near)}" if near else "nothing was claimed under it",
        run="git coord board",
    )
