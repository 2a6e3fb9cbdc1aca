"""``release --landed``: claims of branches that are merged are settled, by whoever sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.board import claims, done
from coord.order import candidates, standing
from coord.order.arrange import LANDED
from coord.stores import scopes
from coord.stores.keys import normal
from coord.work import arrive, tidy
from coord.work.target import target

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from coord.board.events import Event, Place, State
    from coord.board.roll import Roll
    from coord.order.branches import Onto
    from coord.order.standing import Branch
    from coord.work.arrive import Worker
    from coord.work.call import Call


class Settled(NamedTuple):
    """A scope that was settled.

    Attributes:
        scope: canonical scope.
        before: the scope's generation before it.
        state: its state from then on.
        branches: whose branches had landed.
    """

    scope: str
    before: int
    state: State
    branches: tuple[str, ...]


class Landed(NamedTuple):
    """What branches landed on, and the scopes that were settled for it."""

    onto: Onto
    settled: list[Settled]


def settle(call: Call, names: Sequence[str], onto: str | None = None) -> Landed:
    """Give up the claims of every branch that has landed; only the scopes named, if any are.

    Raises:
        Usage: `onto` is no commit, or a name no scope.
        Refused: who acts here is only inferred.
    """
    worker = arrive.leaving(call, names)
    goal = target(worker.here, onto, "release --landed")
    tops = sorted(claims.tops(worker.store), key=lambda event: event.scope)
    roll = worker.roll()
    found = standing.looked_up(worker.here, tops, goal, roll.names)
    landed = {name: branch for name, branch in found.items() if branch.state == LANDED}
    if onto is None and _is_workers_own(worker, goal, tops):
        landed = _finished(call, landed, goal)
    settled = []
    for event in tops:
        if worker.scopes and event.scope not in worker.scopes:
            continue
        gone = _places(worker, goal, event, landed, roll)
        if gone:
            settled += _settled(worker, roll, event, goal, gone)
    tidy.portion(worker.store, roll)
    return Landed(goal, settled)


def _settled(
    worker: Worker, roll: Roll, event: Event, goal: Onto, gone: Mapping[Place, Branch]
) -> list[Settled]:
    """Give up places; nothing is settled here where somebody else just did it."""
    scope, before = event.scope, event.state.generation
    names = tuple(sorted({branch.name for branch in gone.values()}))
    words = f"{' and '.join(names)} landed on {goal.name}"
    outcome = claims.change(
        worker.store,
        scope,
        worker.me,
        lambda state: done.landed(state, gone, words, roll.is_dead, roll.rank(scope)),
    )
    return [] if outcome.event is None else [Settled(scope, before, outcome.state, names)]


def _places(
    worker: Worker, goal: Onto, event: Event, landed: Mapping[str, Branch], roll: Roll
) -> dict[Place, Branch]:
    """Return the places in a line that were taken for what has landed of a branch.

    What was claimed later is for new work on it. What a living ``git coord run`` holds guards a
    process, whatever became of the branch.
    """
    found = {}
    line = event.state.line
    for place in line:
        name = candidates.called(place, roll.names)
        if scopes.kind_of(event.scope) == "branch" and place is line[0]:
            name = candidates.scoped(event, roll.names)
        branch = landed.get(name)
        if branch is None or not _is_same(branch, place, roll):
            continue
        if place.run and not roll.is_dead(place):
            continue
        if standing.is_of_landed(worker.here, goal, branch, place):
            found[place] = branch
    return found


def _is_same(branch: Branch, place: Place, roll: Roll) -> bool:
    """Tell whether a place was taken for this branch, and not for one of its name elsewhere.

    Of another clone's branch it is known only that it was finished, at a commit that has landed.
    """
    if not branch.away:
        return not roll.is_elsewhere(place.clone)
    return any(place.clone == one.clone for one in branch.work.deciding)


def _is_workers_own(worker: Worker, goal: Onto, events: Iterable[Event]) -> bool:
    """Tell whether HEAD is a worker's branch in its own worktree, which holds others' commits.

    Such a branch began at somebody's commit, so that what was never finished seems to have landed.
    """
    name = normal(goal.name)
    return worker.here.linked and any(
        normal(place.branch or "") == name for event in events for place in event.state.line
    )


def _finished(call: Call, landed: Mapping[str, Branch], goal: Onto) -> dict[str, Branch]:
    kept = {name: one for name, one in landed.items() if one.work.finished_at is not None}
    for name in sorted(landed.keys() - kept.keys()):
        call.note(
            f"{landed[name].name} is in {goal.name}, but was not finished: "
            "say --onto to settle its claims"
        )
    return kept
