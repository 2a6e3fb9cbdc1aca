"""``run``: a scope is held for as long as something needs it, and given up whatever happens."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, NamedTuple

from coord.base import duration
from coord.base.errors import CoordError
from coord.base.names import quote
from coord.board import claims, events, view
from coord.liveness import process
from coord.work import arrive, lost, patience

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from coord.board.events import Place, State
    from coord.liveness.process import Process
    from coord.work.arrive import Worker
    from coord.work.call import Call


class Hold(NamedTuple):
    """A scope that is held for a block.

    Attributes:
        call: who called.
        worker: who holds it.
        scope: canonical scope.
        place: the place in its line that this very block has taken.
    """

    call: Call
    worker: Worker
    scope: str
    place: Place

    def record(self, command: Process) -> None:
        """Put the command on the record: it may outlive this process, and holds the scope then."""
        try:
            claims.change(
                self.worker.store,
                self.scope,
                self.worker.me,
                lambda at: events.started(at, _is_for(self.place), command),
            )
        except CoordError as error:
            self.call.note(
                f"{self.scope}: its record does not name the command, "
                f"pid {command.pid}: {error.why}"
            )


@contextlib.contextmanager
def holding(call: Call, name: str, timeout: float) -> Iterator[Hold]:
    """Hold the scope `name` for a block: wait in line, stay present, give up what was taken for it.

    A place that the worker has by ``claim`` serves as well, and is left as it is.

    Args:
        call: who calls.
        name: the scope.
        timeout: seconds to wait at most; 0 does not wait.

    Raises:
        Usage: it is no scope.
        Refused: the time is up, the worker has ended, or who acts here is only inferred.
    """
    worker = arrive.acting(call, [name])
    scope = worker.scopes[0]
    mine = arrive.place(worker, worker.branch)._replace(run=True, process=process.own())
    hold, roll = Hold(call, worker, scope, mine), worker.roll()
    state = claims.change(
        worker.store, scope, worker.me, lambda at: events.joined(at, mine, roll.is_dead)
    ).state
    _say(hold, state, timeout)
    try:
        patience.until(
            worker, scope, lambda: _is_first(claims.state(worker.store, scope), mine), timeout
        )
        with _present(worker):
            yield hold
    finally:
        _give_up(hold)


@contextlib.contextmanager
def _present(worker: Worker) -> Iterator[None]:
    """Give signs of life during a block, and at its end."""
    done = threading.Event()
    threading.Thread(target=_beat_until, args=(done, worker), daemon=True).start()
    try:
        yield
    finally:
        done.set()
        worker.beat()


def _beat_until(done: threading.Event, worker: Worker) -> None:
    own = process.own()
    above = worker.watch.worker
    while not done.wait(worker.beat_every):
        # A worker may end before what it has started: then the command itself is the one at work.
        worker.beat(own if above is None or above.has_ended else above)


def _say(hold: Hold, state: State, timeout: float) -> None:
    """Say what is waited for, and that a place of the worker's own stays after the block."""
    call, worker, scope, mine = hold
    roll = worker.roll()
    there = next(one for one in view.claimants(state, roll) if _serves(one.place, mine))
    own = there.place != mine
    if there.state == "held":
        if own:
            call.note(f"{scope} is claimed by you, and stays so after this command")
        return
    if own:
        call.note(f"your place in the line for {scope} stays yours after this command")
    if timeout:
        call.note(
            f"waiting for {scope}: held by {view.told(state.line[0])}, "
            f"you are number {there.number}, at most {duration.told(timeout)}"
        )
        lost.tell(call, worker, scope, state, roll)


def _serves(place: Place, mine: Place) -> bool:
    return events.is_same(place, mine, _nobody_is_dead)


def _give_up(hold: Hold) -> None:
    """Give up the place of a run; a board that cannot be written does not hide how it ended."""
    call, worker, scope, mine = hold
    try:
        claims.change(
            worker.store,
            scope,
            worker.me,
            lambda at: events.left(at, _is_for(mine), worker.roll().is_dead),
        )
    except CoordError as error:
        call.note(f"{scope} could not be released: {error.why}")
        call.note(f"git coord release {quote(scope)} does it, as soon as the board can be written")


def _is_for(mine: Place) -> Callable[[Place], bool]:
    """Return the test for the place of this very run, whatever else was said of it since."""
    return lambda place: place.run and place.process == mine.process


def _is_first(state: State, mine: Place) -> bool:
    return state.holder is not None and _serves(state.holder, mine)


def _nobody_is_dead(_: Place) -> bool:
    return False
