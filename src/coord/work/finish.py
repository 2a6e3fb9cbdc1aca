"""``finish``: the branch that is checked out is done; its claims stay until it lands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import Refused
from coord.base.names import quote, slug
from coord.board import claims, done, view
from coord.repo import git, underway
from coord.settle import index
from coord.work import arrive, where

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
    newest = _newest(worker, branch)

    def decide(state: State) -> Change | None:
        change = done.finished(state, mine, tip, roll.is_dead, newest)
        after = state if change is None else change.state
        _require_held(worker, roll, scope, branch, after.line[0])
        return change

    state = claims.change(worker.store, scope, worker.me, decide).state
    return Finished(worker, branch, scope, tip, state, _kept(worker, branch, scope))


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
        run="git commit --allow-empty -m start",
    )


def _newest(worker: Worker, branch: str) -> str:
    """Return when `worker` last claimed something for `branch`."""
    places = (
        place
        for event in claims.tops(worker.store)
        for place in event.state.places_of(worker.instance)
    )
    return max((one.renewed or one.since for one in places if one.branch == branch), default="")


def _require_held(worker: Worker, roll: Roll, scope: str, branch: str, holder: Place) -> None:
    """Refuse to finish a branch that somebody else holds."""
    if holder.instance == worker.instance:
        return
    status = None if holder.instance is None else roll.of(holder.instance)
    gone = status is not None and status.gone
    raise Refused(
        "not-holder",
        f"{branch} is not {worker.me.actor}'s to finish",
        where=scope,
        why=f"it is held by {view.told(holder)}{', whose worktree is gone' if gone else ''}; "
        "only its owner says that it is done",
        run=f"git coord {'take-over' if gone else 'log'} {quote(scope)}{' --gone' if gone else ''}",
    )


def _kept(worker: Worker, branch: str, scope: str) -> list[str]:
    """Return the scopes that `worker` has a place in for `branch`."""
    return sorted(
        event.scope
        for event in claims.tops(worker.store)
        if event.scope == scope
        or any(place.branch == branch for place in event.state.places_of(worker.instance))
    )
