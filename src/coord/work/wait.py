"""``wait``: until a scope could be held."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from coord.board import attending, claims
from coord.board.events import State
from coord.work import arrive, circle, cutoff, lost, news, patience

if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.liveness.sessionfile import Session
    from coord.work.arrive import Worker
    from coord.work.call import Call


class Waited(NamedTuple):
    """Who waited for which scope, and its state: free, or the waiter's own."""

    worker: Worker
    scope: str
    state: State


class Waiting(NamedTuple):
    """A wait that is sure to last.

    Attributes:
        worker: who waits.
        scope: what for.
        event: the number of the scope's next event.
        end: when its time is up, by the monotonic clock.
        session: its lock, None where nothing could be written.
        within: the runs it was started from, by nonce.
    """

    worker: Worker
    scope: str
    event: int
    end: float
    session: Session | None
    within: tuple[str, ...]


class Resumed(NamedTuple):
    """What is left of a wait that has slept: when its time is up, and its lock."""

    end: float
    session: Session | None


def wait(
    call: Call,
    name: str,
    timeout: float,
    sleep: Callable[[Waiting], None] = lambda _: None,
    resumed: Resumed | None = None,
) -> Waited:
    """Wait until the scope `name` could be held, at most `timeout` seconds.

    Args:
        call: who calls.
        name: the scope.
        timeout: seconds to wait at most.
        sleep: called once it is sure that there is something to wait for: it may become another
            program, which waits for less than this one costs.
        resumed: what that program has left of the time, and the lock.

    Raises:
        Usage: it is no scope.
        Refused: the time is up, or the worker who waits has ended; something is offered to it; or
            who is waited for waits for it.
    """
    worker = arrive.looking(call, [name])
    scope, within = worker.scopes[0], circle.inside(call)

    def is_open(state: State) -> bool:
        return could_hold(worker, state, within)

    def require_no_offer() -> None:
        reader = news.reader(worker)
        why = None if reader is None else cutoff.offered_anew(reader, scope)
        if why is not None:
            raise why

    newest = claims.top(worker.store, scope)
    state = State() if newest is None else newest.state
    session = None if resumed is None else resumed.session
    try:
        if is_open(state):
            return Waited(worker, scope, state)
        patience.require_not_offered(worker, scope, state)
        end = time.monotonic() + timeout if resumed is None else resumed.end
        if resumed is None and timeout:
            lost.tell(call, worker, scope, state, worker.roll())
            if worker.me.instance is not None:
                session = attending.begin(worker.here.git_dir, worker.instance, scope, within)
            circle.require_not_inside(worker, scope, state, None, within)
            circle.require_none(call, worker, scope, None)
        require_no_offer()
        if worker.watch.is_broken():
            raise cutoff.orphaned(worker.watch.told, scope)
        own = any(one.run and one.instance == worker.me.instance for one in state.line)
        if newest is not None and not own and time.monotonic() < end:
            sleep(Waiting(worker, scope, newest.seq + 1, end, session, within))
        patience.until(worker, scope, is_open, timeout, require_no_offer, end=end)
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
