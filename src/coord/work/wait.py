"""``wait``: until a scope could be held."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.board import claims
from coord.liveness import sessionfile
from coord.work import arrive, circle, lost, patience

if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.board.events import State
    from coord.liveness.sessionfile import Session
    from coord.work.arrive import Worker
    from coord.work.call import Call


class Waited(NamedTuple):
    """Who waited for which scope, and its state: free, or the waiter's own."""

    worker: Worker
    scope: str
    state: State


def wait(
    call: Call, name: str, timeout: float, slept: Callable[[Waited, Session], None] | None = None
) -> Waited:
    """Wait until the scope `name` could be held, at most `timeout` seconds.

    Args:
        call: who calls.
        name: the scope.
        timeout: seconds to wait at most.
        slept: called once it is sure that there is something to wait for: it may sleep in the
            caller's own way, and never return.

    Raises:
        Usage: it is no scope.
        Refused: the time is up, or the worker who waits has ended; something is offered to it; or
            who is waited for waits for it.
    """
    worker = arrive.looking(call, [name])
    scope, within = worker.scopes[0], circle.inside(call)

    def is_open(state: State) -> bool:
        return could_hold(worker, state, within)

    state = claims.state(worker.store, scope)
    if is_open(state):
        return Waited(worker, scope, state)
    patience.require_no_offer(worker, scope, state)
    if timeout:
        lost.tell(call, worker, scope, state, worker.roll())
    session = attending(worker, scope, within)
    try:
        if timeout:
            circle.require_not_inside(worker, scope, state, None, within)
            circle.require_none(call, worker, scope, None)
        if slept is not None and session is not None:
            slept(Waited(worker, scope, state), session)
        patience.until(
            worker, scope, is_open, timeout, lambda: patience.require_no_new_offer(worker, scope)
        )
    finally:
        if session is not None:
            session.drop()
    return Waited(worker, scope, claims.state(worker.store, scope))


def could_hold(worker: Worker, state: State, within: tuple[str, ...] = ()) -> bool:
    """Tell whether `worker` could go to work: free, or its own with no other run of it at work."""
    if state.holder is None:
        return True
    if state.holder.instance != worker.me.instance or worker.me.instance is None:
        return False
    others = [one for one in state.at_work() if one.nonce not in within]
    return not others or all(map(worker.roll().is_dead, others))


def attending(worker: Worker, scope: str, within: tuple[str, ...]) -> Session | None:
    """Begin a wait for all to see who can prove it; None where nothing can be written.

    What killed waits of the same worker have left is taken away.
    """
    git_dir = worker.here.git_dir
    if worker.me.instance is None:
        return None
    try:
        for found in sessionfile.every(git_dir):
            if found.kind == "wait" and found.scope == scope and sessionfile.has_ended(git_dir, found):
                sessionfile.forget(git_dir, found)
        return sessionfile.begin(git_dir, "wait", worker.instance, scope, within=within)
    except OSError:
        return None
