"""``run``: a scope is held for as long as something needs it, and given up whatever happens.

Each run is a place of its own in the line, with a lock that its command inherits. Only its end
takes it away, or a take-over: not what its worker claims, releases or runs besides.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import CoordError
from coord.base.names import quote
from coord.board import claims, events, view
from coord.liveness import process, sessionfile, spent
from coord.stores.store import Unavailable
from coord.work import arrive, attend, circle, lost, patience, unpublished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from coord.board.events import Place, State
    from coord.liveness.process import Process
    from coord.liveness.sessionfile import Session
    from coord.work.arrive import Worker
    from coord.work.call import Call

_WORDS, _WIDEST = 3, 60


class Hold(NamedTuple):
    """A scope that is held for a block.

    Attributes:
        call: who called.
        worker: who holds it.
        scope: canonical scope.
        place: the place in its line that this very block has taken.
        session: the lock of that place, for the command to inherit.
    """

    call: Call
    worker: Worker
    scope: str
    place: Place
    session: Session

    @property
    def inside(self) -> str:
        """What tells the command, by :data:`coord.work.circle.INSIDE`, under which runs it is."""
        return " ".join((*self.place.within, self.session.id))

    def record(self, command: Process) -> None:
        """Put the command on the record: it may outlive this process, and holds the scope then."""
        try:
            self.session.record(command)
            with self.worker.store.unrefreshed():
                claims.change(
                    self.worker.store,
                    self.scope,
                    self.worker.me,
                    lambda at: events.started(at, _is_for(self.place), command),
                )
        except (CoordError, OSError) as error:
            why = error.why if isinstance(error, CoordError) else error.strerror
            self.call.note(
                f"{self.scope}: its record does not name the command, pid {command.pid}: {why}"
            )


@contextlib.contextmanager
def holding(
    call: Call,
    name: str,
    timeout: float,
    command: Sequence[str] = (),
    rung: Callable[[Worker], None] = lambda _: None,
) -> Iterator[Hold]:
    """Hold the scope `name` for a block: wait in line, stay present, give up what was taken for it.

    A place that the worker has by ``claim`` serves as well, and is left as it is; but two blocks of
    one worker exclude each other, unless one is within the other.

    Args:
        call: who calls.
        name: the scope.
        timeout: seconds to wait at most; 0 does not wait.
        command: what runs there, for others to read.
        rung: called while it waits when there may be news.

    Raises:
        Usage: it is no scope.
        Refused: the time is up, the worker has ended, or who acts here is only inferred; the scope
            is offered; or who is waited for waits for this very block.
        OSError: no lock can be made in the private git dir.
    """
    worker = arrive.acting(call, [name])
    scope = worker.scopes[0]
    spent.forget(worker.here.git_dir)
    session = sessionfile.begin(worker.here.git_dir, "run", worker.instance, scope)
    try:
        hold = Hold(call, worker, scope, _place(call, worker, session, command), session)
        with _placed(hold, timeout, rung), _present(worker):
            yield hold
    finally:
        session.drop()


def words(command: Sequence[str]) -> str | None:
    """Return what others may read of a command: its first words, and nothing that may be secret."""
    told: list[str] = []
    for word in command[:_WORDS]:
        if told and (word.startswith("-") or not word.isprintable() or set(word) & set("=:@ ")):
            break
        told.append(word.rpartition("/")[2] if not told else word)
    return " ".join(told)[:_WIDEST] or None


def _place(call: Call, worker: Worker, session: Session, command: Sequence[str]) -> Place:
    return arrive.place(worker, worker.branch)._replace(
        run=True,
        process=process.own(),
        nonce=session.id,
        within=circle.inside(call),
        words=words(command),
    )


@contextlib.contextmanager
def _placed(hold: Hold, timeout: float, rung: Callable[[Worker], None]) -> Iterator[None]:
    """Have the turn for a block, and no place in line before or after."""
    worker, scope, told = hold.worker, hold.scope, ""
    with contextlib.ExitStack() as left:
        left.callback(_give_up, hold)
        try:
            state = _queued(hold)
        except Unavailable:  # surely not: there is nothing to give up
            left.pop_all()
            raise
        circle.require_not_inside(worker, scope, state, hold.place)
        if timeout:
            told = _say(hold, state, timeout)
        if timeout and not _has_turn(state, hold.place):
            circle.require_none(hold.call, worker, scope, hold.place, hold.session)
        else:
            hold.session.settle()
        patience.until(
            hold.call, worker, scope, lambda _: _has_turn(_queued(hold), hold.place), timeout,
            rung=lambda: rung(worker), told=told,
        )  # fmt: skip
        yield


def _queued(hold: Hold) -> State:
    """Return the state in which the run is in line, and what killed ones have left is not."""
    roll = hold.worker.roll()
    return claims.change(
        hold.worker.store,
        hold.scope,
        hold.worker.me,
        lambda at: events.queued(at, hold.place, roll.is_dead),
    ).state


@contextlib.contextmanager
def _present(worker: Worker) -> Iterator[None]:
    """Give signs of life during a block, and at its end."""
    own, above = process.own(), worker.watch.worker

    def beat() -> None:
        # A worker may end before what it has started: then the command itself is the one at work.
        worker.beat(own if above is None or above.has_ended else above)

    with attend.lasting(worker.here, worker.beat_every, worker.instance, beat):
        try:
            yield
        finally:
            worker.beat()


def _say(hold: Hold, state: State, timeout: float) -> str:
    """Say what is waited for, and that a place of the worker's own stays after the block.

    Returns what was told of a holder who is not there.
    """
    call, worker, scope, mine = hold[:4]
    claimed = next((one for one in state.line if events.is_same(one, mine)), None)
    if claimed is not None and claimed == state.holder:
        call.note(f"{scope} is claimed by you, and stays so after this command")
    elif claimed is not None:
        call.note(f"your place in the line for {scope} stays yours after this command")
    if _has_turn(state, mine):
        return ""
    roll = worker.roll()
    first = next((one for one in state.at_work() if one.instance == worker.instance), None)
    number = view.claimant(state, mine, roll).number
    call.note(patience.told(scope, first or state.line[0], number, timeout))
    return lost.tell(call, worker, scope, state)


def _give_up(hold: Hold) -> None:
    """Give up the place of a run; a board that cannot be written does not hide how it ended."""
    call, worker, scope, mine = hold[:4]
    try:
        roll = worker.roll()

        def give_up() -> None:
            claims.change(
                worker.store,
                scope,
                worker.me,
                lambda at: events.left(at, _is_for(mine), roll.is_dead, roll.rank(scope)),
            )

        unpublished.kept(call, worker, f"release {scope}", give_up)
    except unpublished.Unpublished as error:
        call.note(f"{scope} could not be released: {error.why}")
    except CoordError as error:
        call.note(f"{scope} could not be released: {error.why}")
        call.note(f"git coord release {quote(scope)} does it, as soon as the board can be written")


def _is_for(mine: Place) -> Callable[[Place], bool]:
    """Return the test for the place of this very run, whatever else was said of it since."""
    return lambda place: place.run and place.nonce == mine.nonce


def _has_turn(state: State, mine: Place) -> bool:
    return any(_is_for(mine)(one) for one in state.at_work())
