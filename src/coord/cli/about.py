"""``show`` and ``list``: everything about one scope, branch or worker; and all announcements."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from coord.base.errors import Refused
from coord.board import abouttext, claims, recipients, scopes, view
from coord.board.text import board_lines
from coord.cli import edge
from coord.cli import show as screen
from coord.work import arrive

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coord.board.events import Event
    from coord.board.roll import Roll
    from coord.work.arrive import Worker


class Subject(NamedTuple):
    """What a name means.

    Attributes:
        kind: ``scope``, ``actor`` or ``branch``.
        name: its canonical name.
        events: newest events of the scopes it has to do with.
        instances: the workers it has to do with.
    """

    kind: str
    name: str
    events: tuple[Event, ...]
    instances: frozenset[str]


@click.command()
@click.argument("name", required=False, metavar="[NAME]")
@screen.json_option
@click.pass_obj
def show(asked: str | None, *, name: str | None, as_json: bool) -> None:
    """Show all that is known of a worker, a scope or a branch; by default, of yourself.

    NAME is tried as a scope with its kind, a worker's name or instance, a branch, and a task.
    """
    worker = arrive.looking(edge.call(asked, "show"))
    roll = worker.roll()
    subject = _subject(worker, roll, name or worker.me.instance or worker.me.actor)
    rows = [view.row(event.scope, event.state, roll) for event in subject.events]
    known = view.owners(rows) | subject.instances
    members = [one for one in roll.members(known) if one.actor.instance in known]
    if as_json:
        documents = [
            {**view.row_document(row), "offers": abouttext.offer_documents(event.state)}
            for row, event in zip(rows, subject.events, strict=True)
        ]
        screen.document(
            {
                "kind": subject.kind,
                "name": subject.name,
                "actors": [view.member_document(one) for one in members],
                "claims": documents,
            }
        )
        return
    screen.line(f"{subject.kind} {subject.name}")
    screen.lines(board_lines(members, rows, worker.me.instance, roll.now))
    screen.lines(
        f"  {one.actor.actor} works in {one.worktree}, as instance {one.actor.instance}"
        for one in members
        if one.actor.instance in subject.instances and one.worktree
    )
    for event in subject.events:
        past = claims.history(worker.store, event.scope) if subject.kind == "scope" else []
        screen.lines(abouttext.detail_lines(event.scope, event.state, past))


@click.command("list")
@screen.json_option
@click.pass_obj
def announcements(asked: str | None, *, as_json: bool) -> None:
    """Show what living workers have announced: claims on branches, and those with intent or paths.

    The board shows every claim; this shows what is meant by them.
    """
    worker = arrive.looking(edge.call(asked, "list"))
    roll = worker.roll()
    found = abouttext.announced(_events(worker), roll)
    if as_json:
        listed = [abouttext.announcement_document(one, roll) for one in found]
        screen.document({"announcements": listed})
        return
    screen.lines(abouttext.announcement_lines(found, worker.me.instance))


list = announcements  # noqa: A001  # the table of verbs names it so


def _events(worker: Worker) -> Sequence[Event]:
    return sorted(claims.tops(worker.store), key=lambda event: event.scope)


def _subject(worker: Worker, roll: Roll, name: str) -> Subject:
    """Return what `name` means.

    Raises:
        Usage: it has a colon, and is no scope.
        Refused: it means nothing that is known here.
    """
    events = _events(worker)
    found = (
        _scope(events, scopes.parse(name, worker.here.top))
        if ":" in name
        else _actor(events, roll, name)
        or _branch(events, name)
        or _scope(events, scopes.parse(name, worker.here.top))
    )
    if found is None and name in {worker.me.actor, worker.me.instance}:
        # Whoever has claimed nothing yet may not be on the roll.
        return Subject("actor", worker.me.actor, (), frozenset({worker.instance} - {""}))
    if found is None:
        raise _unknown(roll, events, name)
    return found


def _actor(events: Sequence[Event], roll: Roll, name: str) -> Subject | None:
    meant = recipients.meant(roll.everyone(), name).actors
    instances = frozenset(one.instance for one in meant)
    theirs = _where(events, lambda event: any(map(event.state.places_of, instances)))
    return Subject("actor", meant[0].actor, theirs, instances) if meant else None


def _branch(events: Sequence[Event], name: str) -> Subject | None:
    scope = f"branch:{name}"
    found = _where(
        events,
        lambda event: (
            (event.scope == scope and bool(event.state.line))
            or any(place.branch == name for place in event.state.line)
        ),
    )
    return Subject("branch", name, found, frozenset()) if found else None


def _scope(events: Sequence[Event], scope: str) -> Subject | None:
    found = _where(events, lambda event: event.scope == scope)
    return Subject("scope", scope, found, frozenset()) if found else None


def _where(events: Sequence[Event], test: Callable[[Event], bool]) -> tuple[Event, ...]:
    return tuple(filter(test, events))


def _unknown(roll: Roll, events: Sequence[Event], name: str) -> Refused:
    names = {one.actor for one in roll.everyone()} | {event.scope for event in events}
    near = recipients.nearest(names, name)
    return Refused(
        "name-unknown",
        "no worker, branch or scope of that name is known",
        where=name,
        why=f"the nearest: {', '.join(near)}" if near else "nothing was claimed under it",
        run="git coord board",
    )
