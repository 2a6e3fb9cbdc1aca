"""Waiting for a scope, and why it may end without it: the time is up, or its worker's."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from coord.base import deadline, duration, sharing
from coord.base.errors import Refused
from coord.base.names import quote
from coord.board import claims, text, view
from coord.board.events import State
from coord.liveness import clone
from coord.stores import chosen, keys, waiting
from coord.stores.moved import Moved
from coord.work import cutoff, lost, news

if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.board.events import Place
    from coord.stores.waiting import Rings
    from coord.work.arrive import Worker
    from coord.work.call import Call

_AGAIN = 1.0  # seconds; that somebody has ended is no event
_AFAR = 15.0  # likewise, where each look is a request


def until(
    call: Call,
    worker: Worker,
    scope: str,
    is_open: Callable[[State], bool],
    timeout: float,
    *,
    rung: Callable[[], None],
    end: float | None = None,
    told: str = "",
) -> None:
    """Wait until `is_open`, at most `timeout` seconds, with signs of life all the while.

    That its holder has ended meanwhile is said as soon as that is seen: it is no event.

    Args:
        call: who calls.
        worker: who waits.
        scope: what for.
        is_open: judges how the scope stands, at once and after each event.
        timeout: seconds at most; 0 does not wait.
        rung: called when there may be news.
        end: when its time is up, by the monotonic clock, where it began before.
        told: what was said already of a holder who is not there (:func:`coord.work.lost.tell`).

    Raises:
        Refused: the time is up, a process above this one has ended, the scope is offered, or the
            board is elsewhere by now.
    """
    end = time.monotonic() + timeout if end is None else end
    beaten, bell = time.monotonic(), None
    again = _AFAR if worker.store.caps.hosts else _AGAIN
    with deadline.by(end if timeout else deadline.NEVER):
        try:
            while True:
                require_same_board(worker, scope)
                newest = claims.top(worker.store, scope)
                state = State() if newest is None else newest.state
                # It listens before anything is judged: what comes after the judgement rings.
                event = claims.next_after(worker.store, newest)
                if bell is None:
                    bell = bell_of(worker, scope, event)
                bell.expect(event_of(worker, scope, event))
                rung()
                if is_open(state):
                    return
                require_not_offered(worker, scope, state)
                now = time.monotonic()
                if now >= end:
                    raise timed_out(worker, scope, state, timeout)
                told = lost.tell(call, worker, scope, state, told)
                rest = min(end - now, again, worker.beat_every)
                if worker.watch.is_broken() or bell.rest(rest) == "ended":
                    raise cutoff.orphaned(worker.watch.told, scope)
                if time.monotonic() - beaten >= worker.beat_every:
                    worker.attend()
                    beaten = time.monotonic()
        except Moved as error:  # the clone that moves it writes down last where it is
            if error.goal.clone == clone.own(worker.here.common_dir):
                raise _moved(scope) from error
            raise
        finally:
            if bell is not None:
                bell.close()


def told(scope: str, holder: Place, number: int | None, timeout: float) -> str:
    """Return what is waited for, and whom: a wait may last for half an hour."""
    place = "you are not in line" if number is None else f"you are number {number}"
    return (
        f"waiting for {scope}: held by {view.told(holder)}, {place}, "
        f"at most {duration.told(timeout)}"
    )


def bell_of(worker: Worker, scope: str, event: int) -> Rings:
    """Return what rings at event number `event` of `scope`, and at news for `worker`."""
    copy = chosen.copy_of(worker.store)
    if copy is not None:
        told = [] if news.reader(worker) is None else [keys.notices(worker.instance)]
        return waiting.afar(copy, [keys.claim(scope), *told], worker.watch)
    return waiting.bell(event_of(worker, scope, event), news_of(worker), worker.watch)


def event_of(worker: Worker, scope: str, event: int) -> str:
    """Return the file of event number `event` of `scope`."""
    return f"{chosen.folder(worker.here.common_dir)}/{keys.event(keys.claim(scope), event)}"


def news_of(worker: Worker) -> str:
    """Return the folder of the news for `worker`, so that it can be watched; empty for nobody's."""
    if news.reader(worker) is None:
        return ""
    told = f"{chosen.folder(worker.here.common_dir)}/{keys.notices(worker.instance)}"
    try:
        sharing.folders(told, sharing.of(worker.here.common_dir))
    except OSError:  # read-only: it is looked for from time to time
        pass
    return told


def require_same_board(worker: Worker, scope: str) -> None:
    """End a wait on a board that has moved since it began: nothing would ever come there.

    Raises:
        Refused: it has.
    """
    if not chosen.is_board_of(worker.here.common_dir, worker.store):
        raise _moved(scope)


def _moved(scope: str) -> Refused:
    return Refused(
        "store-moved",
        f"the board has moved while somebody waited for {scope}",
        where=scope,
        why="nothing comes any more where this waits; a place in line has moved along",
        run=f"git coord wait {quote(scope)}",
    )


def require_not_offered(worker: Worker, scope: str, state: State) -> None:
    """End a wait for what is offered to who waits: the holder waits for its ack.

    Raises:
        Refused: it is offered.
    """
    why = cutoff.offered(state, scope, worker.me.instance or "")
    if why is not None:
        raise why


def timed_out(worker: Worker, scope: str, state: State, timeout: float) -> Refused:
    """Return why a wait ends: its time is up."""
    holder = state.holder
    roll, own = worker.roll(), worker.branch
    found = None if holder is None else lost.found(scope, holder, roll, state.generation, own)
    by = f"held by {view.told(holder, roll)}" if holder else "held by others"
    by += found.words if found else ""
    if state.paused_at:
        clock = "" if holder is None or roll.dates(holder) else text.OWN_CLOCK
        by += f", who has paused it since {state.paused_at[:19]}Z{clock}"
    why = "it is not yours, and this call does not wait"
    if timeout:
        why = f"it did not become yours after {duration.told(timeout)}"
    if any(not place.run for place in state.places_of(worker.instance)):
        why += "; your place in line stays yours"
    return Refused(
        "still-held",
        f"{scope} is {by}",
        where=scope,
        why=why,
        run=found.run if found and found.surely else f"git coord wait {quote(scope)}",
    )
