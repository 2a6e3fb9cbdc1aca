"""A scope as a log of events; each carries the whole state, so the top is the state.

    claims/<scope>/<seq>   {"schema": 1, "scope", "seq", "nonce", "after", "kind", "actor",
                            "instance", "at", …details, "state": {"generation", "line", …}}

Of a long line, a record names the places that others hold (``coord.board.linejson``).
``after`` is the predecessor's nonce. The first place in the line holds, later ones wait. Pure: the
decisions below turn a state into the next one, or into None where nothing has to change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.board.line import UNKNOWN, Change, Event, Place, State, carries, is_own

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from coord.liveness.process import Process

__all__ = ["UNKNOWN", "Change", "Event", "Place", "State", "is_own"]


def joined(
    state: State,
    mine: Place,
    is_dead: Callable[[Place], bool],
    stays: Callable[[Place], bool] = lambda _: False,
) -> Change | None:
    """Take a place in the line by a claim: the first one holds, a later one waits.

    Who has a place keeps it, whatever branch is checked out by now: the place follows. Only what
    `stays` names is bound to its branch. A place that somebody else took on behalf of this branch
    is taken up instead. The worker's own runs keep theirs, and come to stand on the claim.
    """
    own = places_for(state, mine, stays)
    kept = _index(state, lambda place: place.on_behalf and _for_branch(place, mine))
    if kept is not None and not mine.on_behalf and (not own or kept < own[0]):
        return _adopted(state, kept, mine, own)
    if own:
        bound = stays(state.line[own[0]])
        return _updated(state, own[0], mine, () if bound else own[1:])
    at = _index(state, lambda place: place.run and is_own(place, mine))
    if at is not None:
        alive = tuple(one for one in state.line if not _is_left(one, mine, is_dead))
        line = _gathered((*alive[:at], mine, *alive[at:]), at)
        return _entered(state, line, at)
    if state.line:
        return _entered(state, (*state.line, mine), len(state.line))
    return Change("claim", State(state.generation + 1, (mine,)))


def queued(state: State, mine: Place, is_dead: Callable[[Place], bool]) -> Change | None:
    """Take a place by ``run``: behind what it stands on, else at the end; None where it has one.

    What a killed run of the same worker has left is taken up, also by one that waits already.
    """
    left = [at for at, one in enumerate(state.line) if _is_left(one, mine, is_dead)]
    there = _index(state, lambda place: place.nonce == mine.nonce)
    if there is not None and not left:
        return None
    line = tuple(one for at, one in enumerate(state.line) if at not in left and at != there)
    if not (line or left):
        return Change("claim", State(state.generation + 1, (mine,)))
    at = min(left[0] if left else len(line), _behind(line, mine) if there is None else there)
    placed = (*line[:at], mine if there is None else state.line[there], *line[at:])
    if there is not None:
        return Change("update", state._replace(line=placed))
    return _entered(state, placed, at)


def places_for(
    state: State, mine: Place, stays: Callable[[Place], bool] = lambda _: False
) -> list[int]:
    """Return which places in the line claiming `mine` again means; the first of them is it."""
    return [
        index
        for index, place in enumerate(state.line)
        if is_same(place, mine) and (place.branch == mine.branch or not stays(place))
    ]


def is_same(place: Place, mine: Place) -> bool:
    """Tell whether claiming `mine` again means `place`.

    One instance has one place, one more for each branch that it claims on behalf of, and one more
    for each ``run``, which no claim and no other run of its worker touches.
    """
    return not place.run and is_own(place, mine)


def started(state: State, is_it: Callable[[Place], bool], command: Process) -> Change | None:
    """Record the command that a place of ``run`` guards; None where there is no such place."""
    index = _index(state, is_it)
    if index is None:
        return None
    line = _put(state.line, index, state.line[index]._replace(command=command), ())
    return Change("update", state._replace(line=line), {"command": command.pid})


def left(
    state: State,
    gives_up: Callable[[Place], bool],
    is_dead: Callable[[Place], bool],
    rank: Callable[[Place], int] = lambda _: 0,
) -> Change | None:
    """Give up places; behind a given-up holder, its run at work holds on, else another is next.

    Next is the first of those whom `rank` gives the least; who stood before it keeps its place.
    """
    line = tuple(place for place in state.line if not gives_up(place))
    if len(line) == len(state.line):
        return None
    if not gives_up(state.line[0]):
        return Change("release", state._replace(line=line))
    if any(one in line and not is_dead(one) for one in state.at_work()):
        return Change("release", State(state.generation, line))
    live = tuple(place for place in line if not is_dead(place))
    details: dict[str, object] = {}
    if len(live) < len(line):
        details["passed_over"] = [brief(place) for place in line if place not in live]
    if not live:
        return Change("release", State(state.generation), details)
    after = _called(live, rank)
    return Change("release", State(state.generation + 1, after), {**details, "to": brief(after[0])})


def taken(
    state: State,
    mine: Place,
    reason: str,
    lingers: Callable[[Place], bool] = lambda _: False,
) -> Change | None:
    """Take the scope from whoever holds it, and from its runs; who waits keeps its place.

    Of one's own it takes only from killed runs of which something `lingers`, which no other run of
    the worker would ever take up.
    """
    holder = state.holder
    if holder is None:
        return None
    line = instead(state, mine)
    if holder.instance == mine.instance:
        left = [one for one in state.at_work() if is_own(one, mine) and lingers(one)]
        if not left:
            return None
        rest = tuple(one for one in state.line if one not in left)
        line, holder = rest if holder not in left else _ahead(rest, mine), left[0]
    details = {"reason": reason, "from": brief(holder)}
    return Change("take-over", State(state.generation + 1, line), details)


def given(state: State, mine: Place) -> State:
    """Return the state in which `mine` has the holder's place, once its runs at work have ended."""
    working = tuple(one for one in state.at_work() if not is_own(one, mine))
    more = 0 if working else 1
    return State(state.generation + more, instead(state, mine, working))


def instead(state: State, mine: Place, before: Sequence[Place] = ()) -> tuple[Place, ...]:
    """Return the line with `mine` for the holder and its runs, behind those of them in `before`."""
    first = (*state.line[:1], *state.at_work())
    held = [one for one in first if not (one.run and is_own(one, mine))]
    return _ahead((one for one in state.line if one not in held), mine, before)


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
    )
    if index == 0 and said != old:  # whoever says something new of it is at work on it again
        state = state._replace(finished_at=None, finished_tip=None)
    new = said if mine.on_behalf else said._replace(branch=mine.branch, on_behalf=False)
    if new != old:
        new = new._replace(tip=mine.tip, renewed=mine.since)
    line = _put(state.line, index, new._replace(by=mine.by or old.by), more)
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
    if index == 0:
        return Change("adopt", given(state, new), {"from": brief(old)})
    line = _gathered(_put(state.line, index, new, own), index)
    return Change("adopt", state._replace(line=line), {"from": brief(old)})


def _entered(state: State, line: tuple[Place, ...], at: int) -> Change:
    """Return the change that brings the place at `at` into a line that others are in."""
    after = state._replace(line=line)
    if after.has_turn(at):
        return Change("run" if line[at].run else "claim", after)
    return Change("wait", after, _on(line[0]))


def _behind(line: Sequence[Place], mine: Place) -> int:
    """Return where a run enters: behind what carries it, and those that stand on the same."""
    carriers = [at for at, one in enumerate(line) if carries(one, mine)]
    if not carriers:
        return len(line)
    last, at = line[carriers[-1]], carriers[-1] + 1
    while at < len(line) and line[at].run and carries(last, line[at]):
        at += 1
    return at


def _ahead(rest: Iterable[Place], mine: Place, before: Sequence[Place] = ()) -> tuple[Place, ...]:
    """Return the line with `mine` next to `before`, and only there."""
    others = (one for one in rest if not is_same(one, mine))
    return _gathered((*before, mine, *others), len(before))


def _gathered(line: tuple[Place, ...], index: int) -> tuple[Place, ...]:
    """Return `line` with the runs behind the claim at `index` that stand on it next to it.

    Behind somebody else they would wait for one who waits for that very claim.
    """
    mine, behind = line[index], line[index + 1 :]
    runs = tuple(one for one in behind if one.run and is_own(one, mine))
    return (*line[: index + 1], *runs, *(one for one in behind if one not in runs))


def _called(live: tuple[Place, ...], rank: Callable[[Place], int]) -> tuple[Place, ...]:
    """Return `live` with the next holder first, and with it what its worker has beside it."""
    begin = min(range(len(live)), key=lambda at: rank(live[at]))
    end, mine = begin + 1, live[begin]
    while begin and is_own(live[begin - 1], mine):
        begin -= 1
    while end < len(live) and live[end].run and is_own(live[end], mine):
        end += 1
    return (*live[begin:end], *live[:begin], *live[end:])


def _is_left(place: Place, mine: Place, is_dead: Callable[[Place], bool]) -> bool:
    """Tell whether `place` is what a killed run of the same worker has left."""
    return place.run and place.nonce != mine.nonce and is_own(place, mine) and is_dead(place)


def _put(
    line: tuple[Place, ...], index: int, place: Place, gone: Collection[int]
) -> tuple[Place, ...]:
    """Return the line with `place` at `index`, without those at `gone`."""
    kept = (at for at in range(len(line)) if at == index or at not in gone)
    return tuple(place if at == index else line[at] for at in kept)


def _index(state: State, test: Callable[[Place], bool]) -> int | None:
    return next((index for index, place in enumerate(state.line) if test(place)), None)


def _for_branch(place: Place, mine: Place) -> bool:
    return place.branch is not None and place.branch == mine.branch


def _on(holder: Place) -> dict[str, object]:
    return {"waits_on": brief(holder)}
