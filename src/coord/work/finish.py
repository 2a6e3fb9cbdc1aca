"""``finish``: the branch that is checked out is done; its claims stay until it lands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import Refused
from coord.base.names import slug
from coord.board import claims, done, events, view
from coord.repo import git, underway
from coord.settle import index
from coord.work import arrive, lost, where

if TYPE_CHECKING:
    from coord.board.events import Change, Place, State
    from coord.board.roll import Roll
    from coord.work.arrive import Worker
    from coord.work.call import Call


class Finished(NamedTuple):
    """What was finished, and by whom.

    Attributes:
        worker: who finished it.
        branch: short name.
        scope: the scope that stands for the branch.
        tip: the commit that it is finished at.
        state: the scope's state from then on.
        kept: the scopes that stay claimed until the branch lands.
    """

    worker: Worker
    branch: str
    scope: str
    tip: str
    state: State
    kept: list[str]


def finish(call: Call) -> Finished:
    """Say that the branch that is checked out is done: it may be merged from now on.

    Raises:
        Refused: there is none, or no commit on it; or somebody else holds it.
    """
    index.spot(where.located(call), call.cwd, "finish")
    worker = arrive.acting(call, [])
    branch = _current(worker)
    tip = _tip(worker, branch)
    scope, roll, mine = done.scope_of(branch), worker.roll(), arrive.place(worker, branch)
    _bring_along(worker, roll, mine)
    newest = _newest(worker, roll, branch)

    def decide(state: State) -> Change | None:
        change = done.finished(state, mine, tip, roll.is_dead, newest)
        after = state if change is None else change.state
        _require_held(worker, roll, scope, branch, after)
        return change

    state = claims.change(worker.store, scope, worker.me, decide).state
    return Finished(worker, branch, scope, tip, state, _kept(worker, roll, branch, scope))


def _current(worker: Worker) -> str:
    """Return the branch that is checked out.

    Raises:
        Refused: HEAD is detached, on purpose or by an operation in progress.
    """
    branch = worker.branch
    if branch is not None:
        return branch
    rebasing = underway.is_rebasing(worker.here)
    raise Refused(
        "head-detached",
        "there is no branch to finish",
        where=worker.here.cwd,
        why="a rebase is under way" if rebasing else "HEAD is detached: nothing names this work",
        run="git rebase --continue" if rebasing else f"git switch -c {slug(worker.me.actor)}",
    )


def _tip(worker: Worker, branch: str) -> str:
    """Return the branch's commit.

    Raises:
        Refused: it has none yet.
    """
    ref = f"refs/heads/{branch}^{{commit}}"
    tip = git.ask("rev-parse", "--verify", "--quiet", ref, cwd=worker.here.cwd).text
    if tip:
        return tip
    raise Refused(
        "branch-unborn",
        f"{branch} has no commit to finish",
        where=worker.here.cwd,
        why="a branch lands with its commits",
        run="git commit --allow-empty --only -m start",
    )


def _bring_along(worker: Worker, roll: Roll, mine: Place) -> None:
    """Claim for this branch what the worker has claimed for branches that are no more."""
    for event in list(claims.tops(worker.store)):
        for place in event.state.places_of(worker.instance):
            lost = not (place.run or place.on_behalf) and roll.branch(place) != mine.branch
            if lost and _is_missing(worker, roll.branch(place)) and not roll.is_finished(place):
                _claim(worker, roll, event.scope, mine)


def _claim(worker: Worker, roll: Roll, scope: str, mine: Place) -> None:
    def decide(state: State) -> Change | None:
        held = state.places_of(worker.instance)
        return events.joined(state, mine, roll.is_dead, roll.is_finished) if held else None

    claims.change(worker.store, scope, worker.me, decide)


def _is_missing(worker: Worker, branch: str | None) -> bool:
    asked = ("show-ref", "--verify", "--quiet", f"refs/heads/{branch}")
    return branch is not None and git.ask(*asked, cwd=worker.here.cwd).code == 1


def _newest(worker: Worker, roll: Roll, branch: str) -> str:
    """Return when `worker` last claimed something for `branch`."""
    places = (
        place
        for event in claims.tops(worker.store)
        for place in event.state.places_of(worker.instance)
    )
    said = (one.renewed or one.since for one in places if roll.branch(one) == branch)
    return max(said, default="")


def _require_held(worker: Worker, roll: Roll, scope: str, branch: str, state: State) -> None:
    """Refuse to finish a branch that somebody else holds."""
    if view.is_held_by(state, worker.instance):
        return
    words, run = lost.held(scope, state, roll, branch)
    raise Refused(
        "not-holder",
        f"{branch} is not {worker.me.actor}'s to finish",
        where=scope,
        why=f"it is {words}; only its owner says that it is done",
        run=run,
    )


def _kept(worker: Worker, roll: Roll, branch: str, scope: str) -> list[str]:
    """Return the scopes that `worker` has a place in for `branch`."""
    return sorted(
        event.scope
        for event in claims.tops(worker.store)
        if event.scope == scope
        or any(roll.branch(place) == branch for place in event.state.places_of(worker.instance))
    )
