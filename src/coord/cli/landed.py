"""``release --landed``: claims of branches that are merged are settled, by whoever sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.board import claims, done, scopes
from coord.board.keys import normal
from coord.cli import merge_order, show
from coord.cli.leaving import released
from coord.order import standing
from coord.order.arrange import LANDED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from coord.board.events import Event, Place, State
    from coord.board.roll import Roll
    from coord.cli.seat import Seat
    from coord.order.branches import Onto
    from coord.order.standing import Branch


class Settled(NamedTuple):
    """A scope that was settled: its state from then on, and whose branches had landed."""

    scope: str
    state: State
    branches: tuple[str, ...]


def settle(seat: Seat, onto: str | None, *, as_json: bool) -> None:
    """Settle the claims of every branch that has landed, and print them, a line a scope."""
    goal, settled = _settle(seat, onto)
    if as_json:
        documents = [
            {**released(one.scope, one.state), "landed": list(one.branches)} for one in settled
        ]
        show.document({"onto": goal.name, "released": documents})
        return
    for one in settled:
        heir = one.state.holder
        now = f"now held by {heir.actor}" if heir else "free"
        show.line(f"{one.scope} is {now}: {' and '.join(one.branches)} landed on {goal.name}")
    if not settled:
        show.line(f"no claim is left of a branch that landed on {goal.name}")


def _settle(seat: Seat, onto: str | None) -> tuple[Onto, list[Settled]]:
    """Give up the claims of every branch that has landed; only the scopes named, if any are."""
    goal = merge_order.target(seat.here, onto, "release --landed")
    tops = sorted(claims.tops(seat.store), key=lambda event: event.scope)
    found = standing.looked_up(seat.here, tops, goal)
    landed = {name: branch for name, branch in found.items() if branch.state == LANDED}
    if onto is None and _is_workers_own(seat, goal, tops):
        landed = _finished(landed, goal)
    roll, settled = seat.roll(), []
    for event in tops:
        if seat.scopes and event.scope not in seat.scopes:
            continue
        gone = _places(seat, goal, event, landed, roll)
        if gone:
            settled += _settled(seat, roll, event.scope, goal, gone)
    return goal, settled


def _settled(
    seat: Seat, roll: Roll, scope: str, goal: Onto, gone: Mapping[Place, Branch]
) -> list[Settled]:
    """Give up places; nothing is settled here where somebody else just did it."""
    names = tuple(sorted({branch.name for branch in gone.values()}))
    words = f"{' and '.join(names)} landed on {goal.name}"
    outcome = claims.change(
        seat.store, scope, seat.me, lambda state: done.landed(state, gone, words, roll.is_dead)
    )
    return [] if outcome.event is None else [Settled(scope, outcome.state, names)]


def _places(
    seat: Seat, goal: Onto, event: Event, landed: Mapping[str, Branch], roll: Roll
) -> dict[Place, Branch]:
    """Return the places in a line that were taken for what has landed of a branch.

    What was claimed later is for new work on it. What a living ``git coord run`` holds guards a
    process, whatever became of the branch.
    """
    found = {}
    line = event.state.line
    for place in line:
        name = normal(place.branch or "")
        if scopes.kind_of(event.scope) == "branch" and place is line[0]:
            name = scopes.name_of(event.scope)
        branch = landed.get(name)
        if branch is None or (place.run and not roll.is_dead(place)):
            continue
        if standing.is_of_landed(seat.here, goal, branch, place):
            found[place] = branch
    return found


def _is_workers_own(seat: Seat, goal: Onto, events: Iterable[Event]) -> bool:
    """Tell whether HEAD is a worker's branch in its own worktree, which holds others' commits.

    Such a branch began at somebody's commit, so that what was never finished seems to have landed.
    """
    name = normal(goal.name)
    return seat.here.linked and any(
        normal(place.branch or "") == name for event in events for place in event.state.line
    )


def _finished(landed: Mapping[str, Branch], goal: Onto) -> dict[str, Branch]:
    kept = {name: one for name, one in landed.items() if one.work.finished_at is not None}
    for name in sorted(landed.keys() - kept.keys()):
        show.note(
            f"{landed[name].name} is in {goal.name}, but was not finished: "
            "say --onto to settle its claims"
        )
    return kept
