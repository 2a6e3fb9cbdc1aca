"""A scope as a log of events; each carries the whole state, so the top record *is* the state.

    claims/<scope>/<seq>   {"schema": 1, "scope", "seq", "nonce", "after", "kind", "actor",
                            "instance", "at", …details, "state": {"generation", "line", …}}

``after`` is the predecessor's nonce. The first place in the line holds, later ones wait. Pure: the
decisions below turn a state into the next one, or into None where nothing has to change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coord.board.offer import Offer
    from coord.board.process import Process

UNKNOWN = "unknown"
_NOTHING: Mapping[str, object] = {}


class Place(NamedTuple):
    """A place in a scope's line.

    Attributes:
        actor: readable name; ``unknown`` for a record that could not be read.
        instance: the owner; None only for an unknown one.
        branch: branch it is claimed for, None when detached.
        since: when the place was taken, RFC 3339.
        issue: number or key of the issue, if said.
        session: session of the worker, if said.
        intent: what is meant to be done, if said.
        paths: globs of files meant to be touched.
        process: the worker's process; the command's own under ``run``.
        run: the place belongs to ``git coord run`` and is dead when that is.
        on_behalf: claimed for another branch, whose worker may take it up.
        tip: the branch's commit when it was claimed, or something new last said of it.
        renewed: when that was said, if ever.
        command: what ``run`` has started: while it works, its place is not dead.
    """

    actor: str
    instance: str | None
    branch: str | None
    since: str
    issue: int | str | None = None
    session: str | None = None
    intent: str | None = None
    paths: tuple[str, ...] = ()
    process: Process | None = None
    run: bool = False
    on_behalf: bool = False
    tip: str | None = None
    renewed: str | None = None
    command: Process | None = None


class State(NamedTuple):
    """All that is true of a scope now.

    Attributes:
        generation: how often the scope has changed its holder; the fencing token of a claim.
        line: the places; the first one holds.
        paused_at: when the holder paused, None while at work.
        finished_at: when the holder said that its branch is done (``branch:`` scopes).
        finished_tip: the branch's commit then.
        offers: what the holder offers, at this generation only.
    """

    generation: int = 0
    line: tuple[Place, ...] = ()
    paused_at: str | None = None
    finished_at: str | None = None
    finished_tip: str | None = None
    offers: tuple[Offer, ...] = ()

    @property
    def holder(self) -> Place | None:
        """The first place in the line."""
        return self.line[0] if self.line else None

    def places_of(self, instance: str) -> list[Place]:
        """Return the places an instance has here."""
        return [place for place in self.line if place.instance == instance]


class Change(NamedTuple):
    """The next event, not yet published.

    Attributes:
        kind: ``claim wait adopt update release take-over offer ack pause resume finish land``.
        state: the state it leads to.
        details: what the log shows of it besides.
        nonce: the event's, where the state names it already.
    """

    kind: str
    state: State
    details: Mapping[str, object] = _NOTHING
    nonce: str | None = None


class Event(NamedTuple):
    """A published event.

    Attributes:
        seq: its number in the scope's log, from 1.
        nonce: random; for an unreadable record, made from its bytes.
        after: nonce of the event it was decided on, None for the first.
        kind: as in :class:`Change`; ``unreadable`` for a record that is none.
        scope: canonical scope.
        actor: who acted.
        instance: who acted, for certain.
        at: when, by the actor's clock.
        state: what is true from here on.
        details: kind-specific.
    """

    seq: int
    nonce: str
    after: str | None
    kind: str
    scope: str
    actor: str
    instance: str | None
    at: str
    state: State
    details: Mapping[str, object] = _NOTHING


def joined(state: State, mine: Place, is_dead: Callable[[Place], bool]) -> Change | None:
    """Take a place in the line: the first one holds, a later one waits.

    A place that somebody else took on behalf of this branch is taken up instead.
    """
    there = _index(state, lambda place: is_same(place, mine, is_dead))
    if there is not None:
        return _updated(state, there, mine)
    kept = _index(state, lambda place: place.on_behalf and _for_branch(place, mine))
    if kept is not None and not mine.on_behalf:
        return _adopted(state, kept, mine)
    if state.line:
        return Change("wait", state._replace(line=(*state.line, mine)), _on(state.line[0]))
    return Change("claim", State(state.generation + 1, (mine,)))


def is_same(place: Place, mine: Place, is_dead: Callable[[Place], bool]) -> bool:
    """Tell whether claiming `mine` again means `place`: the same instance and branch.

    Two commands under ``run`` exclude each other though one worker started both; what a killed one
    left is its worker's to take up.
    """
    if place.instance != mine.instance or place.branch != mine.branch:
        return False
    return not (place.run and mine.run) or place.process == mine.process or is_dead(place)


def started(state: State, is_it: Callable[[Place], bool], command: Process) -> Change | None:
    """Record the command that a place of ``run`` guards; None where there is no such place."""
    index = _index(state, is_it)
    if index is None:
        return None
    line = _put(state.line, index, state.line[index]._replace(command=command))
    return Change("update", state._replace(line=line), {"command": command.pid})


def left(
    state: State, gives_up: Callable[[Place], bool], is_dead: Callable[[Place], bool]
) -> Change | None:
    """Give up places; the first one behind a given-up holder that lives becomes holder."""
    line = tuple(place for place in state.line if not gives_up(place))
    if len(line) == len(state.line):
        return None
    if not gives_up(state.line[0]):
        return Change("release", state._replace(line=line))
    live = tuple(place for place in line if not is_dead(place))
    details: dict[str, object] = {}
    if len(live) < len(line):
        details["passed_over"] = [brief(place) for place in line if place not in live]
    if not live:
        return Change("release", State(state.generation), details)
    return Change("release", State(state.generation + 1, live), {**details, "to": brief(live[0])})


def taken(state: State, mine: Place, reason: str) -> Change | None:
    """Take the scope from whoever holds it; those who wait keep their places."""
    holder = state.holder
    if holder is None or holder.instance == mine.instance:
        return None
    rest = tuple(
        place
        for place in state.line[1:]
        if (place.instance, place.branch) != (mine.instance, mine.branch)
    )
    details = {"reason": reason, "from": brief(holder)}
    return Change("take-over", State(state.generation + 1, (mine, *rest)), details)


def brief(place: Place) -> dict[str, object]:
    """Return who has a place, as JSON answers name a holder."""
    return {
        "actor": place.actor,
        "instance": place.instance,
        "branch": place.branch,
        "since": place.since,
    }


def unknown(at: str, before: State) -> State:
    """Return the state of a scope whose top record cannot be read: held, never free.

    Those in the line of the last readable record keep their places behind the unknown holder.
    """
    return State(before.generation + 1, (Place(UNKNOWN, None, None, at), *before.line))


def _updated(state: State, index: int, mine: Place) -> Change | None:
    """Return the change a repeated claim makes: none, unless it says something new."""
    old = state.line[index]
    new = old._replace(
        issue=old.issue if mine.issue is None else mine.issue,
        session=old.session if mine.session is None else mine.session,
        intent=old.intent if mine.intent is None else mine.intent,
        paths=mine.paths or old.paths,
        run=old.run and mine.run,
        process=mine.process if old.run else old.process,
        command=None,
    )
    if new == old:
        return None
    if new._replace(run=old.run, process=old.process, command=old.command) != old:
        new = new._replace(tip=mine.tip, renewed=mine.since)
    if index == 0:  # whoever says something new of it is at work on it again
        state = state._replace(finished_at=None, finished_tip=None)
    return Change("update", state._replace(line=_put(state.line, index, new)))


def _adopted(state: State, index: int, mine: Place) -> Change:
    old = state.line[index]
    new = mine._replace(
        issue=old.issue if mine.issue is None else mine.issue,
        intent=old.intent if mine.intent is None else mine.intent,
        paths=mine.paths or old.paths,
    )
    line = _put(state.line, index, new)
    after = State(state.generation + 1, line) if index == 0 else state._replace(line=line)
    return Change("adopt", after, {"from": brief(old)})


def _put(line: tuple[Place, ...], index: int, place: Place) -> tuple[Place, ...]:
    return (*line[:index], place, *line[index + 1 :])


def _index(state: State, test: Callable[[Place], bool]) -> int | None:
    return next((index for index, place in enumerate(state.line) if test(place)), None)


def _for_branch(place: Place, mine: Place) -> bool:
    return place.branch is not None and place.branch == mine.branch


def _on(holder: Place) -> dict[str, object]:
    return {"waits_on": brief(holder)}
