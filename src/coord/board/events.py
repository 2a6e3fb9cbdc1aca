"""A scope as a log of events; each carries the whole state, so the top record *is* the state.

    claims/<scope>/<seq>   {"schema": 1, "scope", "seq", "nonce", "after", "kind", "actor",
                            "instance", "at", …details, "state": {"generation", "line", …}}

``after`` is the predecessor's nonce. The first place in the line holds, later ones wait. Pure: the
decisions below turn a state into the next one, or into None where nothing has to change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.board.line import UNKNOWN, Change, Event, Place, State

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from coord.liveness.process import Process

__all__ = ["UNKNOWN", "Change", "Event", "Place", "State"]


def joined(
    state: State,
    mine: Place,
    is_dead: Callable[[Place], bool],
    stays: Callable[[Place], bool] = lambda _: False,
) -> Change | None:
    """Take a place in the line: the first one holds, a later one waits.

    Who has a place keeps it, whatever branch is checked out by now: the place follows. Only what
    `stays` names is bound to its branch. A place that somebody else took on behalf of this branch
    is taken up instead.
    """
    own = places_for(state, mine, is_dead, stays)
    kept = _index(state, lambda place: place.on_behalf and _for_branch(place, mine))
    if kept is not None and not mine.on_behalf and (not own or kept < own[0]):
        return _adopted(state, kept, mine, own)
    if own:
        bound = mine.run or stays(state.line[own[0]])
        return _updated(state, own[0], mine, () if bound else own[1:])
    if state.line:
        return Change("wait", state._replace(line=(*state.line, mine)), _on(state.line[0]))
    return Change("claim", State(state.generation + 1, (mine,)))


def places_for(
    state: State,
    mine: Place,
    is_dead: Callable[[Place], bool],
    stays: Callable[[Place], bool] = lambda _: False,
) -> list[int]:
    """Return which places in the line claiming `mine` again means; the first of them is it."""
    return [
        index
        for index, place in enumerate(state.line)
        if is_same(place, mine, is_dead) and (place.branch == mine.branch or not stays(place))
    ]


def is_same(place: Place, mine: Place, is_dead: Callable[[Place], bool]) -> bool:
    """Tell whether claiming `mine` again means `place`.

    One instance has one place, and one more for each branch that it claims on behalf of. Two
    commands under ``run`` exclude each other though one worker started both; what a killed one
    left is its worker's to take up.
    """
    if not _is_own(place, mine):
        return False
    return not (place.run and mine.run) or place.process == mine.process or is_dead(place)


def started(state: State, is_it: Callable[[Place], bool], command: Process) -> Change | None:
    """Record the command that a place of ``run`` guards; None where there is no such place."""
    index = _index(state, is_it)
    if index is None:
        return None
    line = _put(state.line, index, state.line[index]._replace(command=command), ())
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
    rest = others(state, mine)
    details = {"reason": reason, "from": brief(holder)}
    return Change("take-over", State(state.generation + 1, (mine, *rest)), details)


def others(state: State, mine: Place) -> tuple[Place, ...]:
    """Return who is behind the holder, without the place that `mine` stands for."""
    return tuple(place for place in state.line[1:] if not _is_own(place, mine))


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


def _updated(state: State, index: int, mine: Place, more: Collection[int]) -> Change | None:
    """Return the change a repeated claim makes: none, unless it says something new.

    What the same worker has further behind, at `more`, becomes one with it.
    """
    old = state.line[index]
    said = old._replace(
        issue=old.issue if mine.issue is None else mine.issue,
        session=old.session if mine.session is None else mine.session,
        intent=old.intent if mine.intent is None else mine.intent,
        paths=mine.paths or old.paths,
        run=old.run and mine.run,
        process=mine.process if old.run else old.process,
        command=None,
    )
    if index == 0 and said != old:  # whoever says something new of it is at work on it again
        state = state._replace(finished_at=None, finished_tip=None)
    follows = not mine.on_behalf and (old.run or not mine.run)
    new = said._replace(branch=mine.branch, on_behalf=False) if follows else said
    if new._replace(run=old.run, process=old.process, command=old.command) != old:
        new = new._replace(tip=mine.tip, renewed=mine.since)
    line = _put(state.line, index, new, more)
    if line == state.line:
        return None
    return Change("update", state._replace(line=line))


def _adopted(state: State, index: int, mine: Place, own: Collection[int]) -> Change:
    old = state.line[index]
    new = mine._replace(
        issue=old.issue if mine.issue is None else mine.issue,
        intent=old.intent if mine.intent is None else mine.intent,
        paths=mine.paths or old.paths,
    )
    line = _put(state.line, index, new, own)
    after = State(state.generation + 1, line) if index == 0 else state._replace(line=line)
    return Change("adopt", after, {"from": brief(old)})


def _put(
    line: tuple[Place, ...], index: int, place: Place, gone: Collection[int]
) -> tuple[Place, ...]:
    """Return the line with `place` at `index`, without those at `gone` but what is under way."""
    return tuple(
        place if at == index else there
        for at, there in enumerate(line)
        if at == index or at not in gone or there.run
    )


def _is_own(place: Place, mine: Place) -> bool:
    if place.instance != mine.instance:
        return False
    return place.branch == mine.branch or not (place.on_behalf or mine.on_behalf)


def _index(state: State, test: Callable[[Place], bool]) -> int | None:
    return next((index for index, place in enumerate(state.line) if test(place)), None)


def _for_branch(place: Place, mine: Place) -> bool:
    return place.branch is not None and place.branch == mine.branch


def _on(holder: Place) -> dict[str, object]:
    return {"waits_on": brief(holder)}
