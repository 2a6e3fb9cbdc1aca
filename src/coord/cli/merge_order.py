"""``finish`` and ``merge-order``: what is done, and in which order it is merged."""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING

import click

from coord.base.errors import Refused, Usage
from coord.base.names import quote, slug
from coord.board import claims, done, events, view
from coord.cli import edge, leave, show
from coord.order import merging, text
from coord.order.arrange import FINISHED, LANDED
from coord.repo import git
from coord.settle import index
from coord.work import arrive, where
from coord.work.target import target

if TYPE_CHECKING:
    from coord.board.events import Change, Place, State
    from coord.board.roll import Roll
    from coord.order.merging import Plan
    from coord.rehearse.report import Rehearsal
    from coord.repo.worktree import Worktree
    from coord.work.arrive import Worker


@click.command()
@show.json_option
@click.pass_obj
def finish(asked: str | None, *, as_json: bool) -> None:
    """Say that the branch you are on is done: it may be merged, and its claims stay until then."""
    call = edge.call(asked, "finish")
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
    kept = _kept(worker, branch, scope)
    if as_json:
        show.document(_finish_document(branch, scope, state, kept))
        return
    count = f"{len(kept)} claim{'' if len(kept) == 1 else 's'}"
    stays = "stay" if len(kept) > 1 else "stays"
    show.line(f"{branch} is finished at {tip[:12]}; {count} {stays} until it lands")
    if not worker.here.linked:
        show.note(
            f"{branch} is what the main worktree merges into: it lands nowhere but with --onto"
        )
    changed = leave.changed(worker.here)
    if changed:
        several = "s are" if len(changed) > 1 else " is"
        show.note(f"{len(changed)} path{several} not committed, and not part of it")


@click.command()
@click.option("--onto", metavar="B", help="What the branches are merged into; default: HEAD.")
@click.option("--rehearse", is_flag=True, help="Merge the finished ones, touching nothing.")
@click.option("--exec", "command", metavar="CMD", help="Rehearse, and test each step with CMD.")
@show.json_option
@click.pass_obj
def merge_order(
    asked: str | None, *, onto: str | None, rehearse: bool, command: str | None, as_json: bool
) -> int:
    """Show in which order the branches of the board are to be merged.

    Finished branches come first, the widest footprint first, none before a branch it waits on.
    Running ones are not to be disturbed; landed ones are in B already. A rehearsal tells of the
    finished ones what would conflict, what would be refused, and which commands they need; it exits
    with 1 unless all are clean.
    """
    gc.disable()  # as for the board: all that is read here is kept to the end
    _require_command(command)
    worker = arrive.looking(edge.call(asked, "merge-order"))
    goal = target(worker.here, onto, "merge-order")
    plan = merging.planned(worker.here, list(claims.tops(worker.store)), goal, worker.roll())
    found = _rehearsed(worker.here, plan, command) if rehearse or command else None
    if as_json:
        told = {} if found is None else {"rehearsal": found.document()}
        show.document({**text.document(plan), **told})
        return int(found is not None and not found.ok)
    show.lines(text.lines(plan))
    if any(entry.branch.state == LANDED for entry in plan.entries):
        show.note("git coord release --landed settles the claims of what has landed")
    if found is None:
        return 0
    show.lines(["", *found.lines()])
    return int(not found.ok)


def _require_command(command: str | None) -> None:
    """Refuse an empty test, such as an unset variable's: sh runs it, and every branch passes.

    Raises:
        Usage: it is empty.
    """
    if command is None or command.strip():
        return
    raise Usage(
        "usage",
        "a test without a command",
        where="--exec",
        why="sh takes an empty command for a success: every branch would pass",
        run="git coord merge-order --rehearse",
    )


def _rehearsed(here: Worktree, plan: Plan, command: str | None) -> Rehearsal:
    from coord.cli import rehearsal  # noqa: PLC0415  # 10 ms, when it is asked for

    finished = [one.branch.name for one in plan.entries if one.branch.state == FINISHED]
    return rehearsal.rehearsed(here, plan.onto.name, finished, command, plan.onto.commit)


def _current(worker: Worker) -> str:
    """Return the branch that is checked out.

    Raises:
        Refused: HEAD is detached, on purpose or by an operation in progress.
    """
    branch = worker.branch
    if branch is not None:
        return branch
    rebasing = any(
        os.path.isdir(worker.here.private(name)) for name in ("rebase-merge", "rebase-apply")
    )
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
        why=f"it is held by {view.told(holder)}{', whose worktree was removed' if gone else ''}; "
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


def _finish_document(branch: str, scope: str, state: State, kept: list[str]) -> dict[str, object]:
    """Return a finished branch as ``finish --json`` answers."""
    return {
        "branch": branch,
        "scope": scope,
        "state": "finished",
        "tip": state.finished_tip,
        "finished_at": state.finished_at,
        "generation": state.generation,
        "holder": events.brief(state.line[0]),
        "claims": kept,
    }
