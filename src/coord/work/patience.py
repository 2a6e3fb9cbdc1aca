"""Waiting for a scope, and why it may end without it: the time is up, or nobody is left to wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base import duration
from coord.base.errors import Refused
from coord.base.names import quote
from coord.board import claims, view, waiting
from coord.work import lost

if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.board.events import State
    from coord.work.arrive import Worker


def until(worker: Worker, scope: str, is_open: Callable[[], bool], timeout: float) -> None:
    """Wait until `is_open`, at most `timeout` seconds, with signs of life all the while.

    Raises:
        Refused: the time is up, or a process above this one has ended.
    """
    try:
        done = waiting.until(is_open, worker.watch, timeout, worker.beat, worker.beat_every)
    except waiting.Orphaned:
        raise _orphaned(worker, scope) from None
    if not done:
        raise _timed_out(worker, scope, claims.state(worker.store, scope), timeout)


def _orphaned(worker: Worker, scope: str) -> Refused:
    ended = worker.watch.ended
    who = "a process" if ended is None else f"{ended.name} (pid {ended.pid})"
    wait = f"git coord wait {quote(scope)}"
    return Refused(
        "worker-gone",
        f"nobody is left to wait for {scope}",
        where=scope,
        why=f"{who} that this wait was started from has ended; what is to outlive its shell "
        f"is started by setsid {wait}",
        run=wait,
    )


def _timed_out(worker: Worker, scope: str, state: State, timeout: float) -> Refused:
    holder = state.holder
    found = None if holder is None else lost.found(scope, holder, worker.roll(), state.generation)
    by = f"held by {view.told(holder)}" if holder else "held by others"
    by += found.words if found else ""
    if state.paused_at:
        by += f", who has paused it since {state.paused_at[:19]}Z"
    after = f"after {duration.told(timeout)}" if timeout else "and this call does not wait"
    return Refused(
        "still-held",
        f"{scope} is {by}",
        where=scope,
        why=f"it did not become yours {after}" if timeout else f"it is not yours, {after}",
        run=found.run if found and found.surely else f"git coord wait {quote(scope)}",
    )
