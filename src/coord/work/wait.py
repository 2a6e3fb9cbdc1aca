"""``wait``: until a scope could be held."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from coord.base import deadline
from coord.board import attending, claims, view
from coord.board.events import State
from coord.work import arrive, circle, cutoff, lost, news, patience
from coord.work.claim import join

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from coord.liveness.sessionfile import Session
    from coord.work.arrive import Worker
    from coord.work.call import Call
    from coord.work.claim import Claim, Claims


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
        told: what was said of a holder who is not there.
        known: what is known to have ended of the holder.
    """

    worker: Worker
    scope: str
    event: int
    end: float
    session: Session | None
    within: tuple[str, ...]
    told: str
    known: str


class Resumed(NamedTuple):
    """What is left of a wait that has slept.

    Attributes:
        end: when its time is up.
        session: its lock.
        told: as :class:`Waiting` has it.
        known: likewise.
    """

    end: float
    session: Session | None
    told: str = ""
    known: str = ""


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
    end = time.monotonic() + timeout if resumed is None else resumed.end
    with deadline.by(end if timeout else deadline.NEVER):
        worker = arrive.looking(call, [name])
        scope, within = worker.scopes[0], circle.inside(call)

        def is_open(state: State) -> bool:
            return _could_surely_hold(worker, scope, state, within)

        def require_no_offer() -> None:
            reader = news.reader(worker)
            why = None if reader is None else cutoff.offered_anew(reader, scope)
            if why is not None:
                raise why

        newest = claims.top(worker.store, scope)
        state = State() if newest is None else newest.state
        session, told, known = (None, "", "") if resumed is None else resumed[1:]
        try:
            if is_open(state):
                return Waited(worker, scope, state)
            patience.require_not_offered(worker, scope, state)
            if resumed is None and timeout:
                _say(call, worker, scope, state, timeout)
                if worker.me.instance is not None:
                    session = attending.begin(worker.here.git_dir, worker.instance, scope, within)
                circle.require_not_inside(worker, scope, state, None, within)
                circle.require_none(call, worker, scope, None, session)
            require_no_offer()
            if worker.watch.is_broken():
                raise cutoff.orphaned(worker.watch.told, scope)
            own = any(one.run and one.instance == worker.me.instance for one in state.line)
            if newest is not None and not own and time.monotonic() < end:
                told = lost.tell(call, worker, scope, state, told)
                sleep(Waiting(worker, scope, newest.seq + 1, end, session, within, told, known))
            patience.until(
                call, worker, scope, is_open, timeout, rung=require_no_offer, end=end, told=told
            )
        finally:
            if session is not None:
                session.drop()
        return Waited(worker, scope, claims.state(worker.store, scope))


def held(
    call: Call,
    made: Claims,
    timeout: float,
    sleep: Callable[[Waiting], None] = lambda _: None,
    resumed: Resumed | None = None,
) -> Iterator[Waited]:
    """Wait for each of some claims that only waits, in order, and yield each once it is held.

    Args:
        call: who calls.
        made: the claims.
        timeout: seconds to wait at most, for all of them.
        sleep: as for :func:`wait`; called for the last of them alone.
        resumed: likewise.

    Raises:
        Refused: as :func:`wait`; the places in line stay.
    """
    end = time.monotonic() + timeout
    waiting = [one for one in made.made if not could_hold(made.worker, one.state)]
    for one in waiting:
        is_last = one is waiting[-1]
        left = timeout if one is waiting[0] else max(1.0, end - time.monotonic())
        done = wait(call, one.scope, left, sleep, resumed) if is_last else (
            wait(call, one.scope, left)
        )  # fmt: skip
        yield done if done.state.holder else _taken(made, one)


def _taken(made: Claims, one: Claim) -> Waited:
    """Claim what is free, but was given up in the line: the caller goes to work on this answer."""
    again = join(made.worker, made.worker.roll(), one.scope, one.place)
    return Waited(made.worker, one.scope, again.state)


def _say(call: Call, worker: Worker, scope: str, state: State, timeout: float) -> None:
    """Say what is waited for, before it may take long."""
    if state.holder is None:
        return
    roll = worker.roll()
    mine = [one for one in state.places_of(worker.instance) if not one.run]
    number = view.claimant(state, mine[0], roll).number if mine else None
    working = (one for one in state.at_work() if one.instance == worker.instance)
    call.note(patience.told(scope, next(working, state.holder), number, timeout))
    if view.orders_merges(scope, state.line):
        call.note(f"no work has to wait for {scope}: that line is the order of merging")


def _could_surely_hold(worker: Worker, scope: str, state: State, within: tuple[str, ...]) -> bool:
    """Return :func:`could_hold`; not by a copy that may be old.

    Raises:
        Unavailable: it says so, and the board cannot be asked.
    """
    if not could_hold(worker, state, within):
        return False
    if worker.store.fresh():
        return True
    return could_hold(worker, claims.state(worker.store, scope), within)


def could_hold(worker: Worker, state: State, within: tuple[str, ...] = ()) -> bool:
    """Tell whether `worker` could go to work: free, or its own with no other run of it at work."""
    if state.holder is None:
        return True
    if state.holder.instance != worker.me.instance or worker.me.instance is None:
        return False
    others = [one for one in state.at_work() if one.nonce not in within]
    return not others or all(map(worker.roll().is_dead, others))
