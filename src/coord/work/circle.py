"""Circles of waits: each waits for what another of them holds, so that nobody ever goes on.

The board holds them: who waits in a line, which wait is at work in a private git dir, and from
which run's command a wait was started. It is looked for when a wait begins, after it is to be seen:
of two that close a circle at once, one at least sees the other. Where both do, one goes on.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from coord.base.errors import Refused
from coord.base.frozen import NamedTuple
from coord.base.names import quote
from coord.board import claims, notices, view
from coord.board.line import State
from coord.liveness import sessionfile
from coord.stores import keys, scopes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from coord.board.line import Place
    from coord.board.roll import Roll
    from coord.liveness.sessionfile import Session
    from coord.work.arrive import Worker
    from coord.work.call import Call

_PATIENCE, _AGAIN = 10.0, 0.02  # seconds
INSIDE = "COORD_RUN"
"""The runs that a command was started from, by nonce, outermost first."""


class Wait(NamedTuple):
    """One who waits.

    Attributes:
        scope: what for.
        actor: who, readable.
        instance: who.
        within: the runs it was started from.
        nonce: the place of a ``run``, None for a claim or a mere wait.
        blocks: whether a command waits there now; a claim in line leaves its worker free to go on.
        settled: it is sure to wait; else it looks for a circle in this moment, as this one does.
    """

    scope: str
    actor: str
    instance: str
    within: tuple[str, ...]
    nonce: str | None
    blocks: bool
    settled: bool = True

    @property
    def rank(self) -> tuple[str, str, str]:
        """Who is refused of those who close a circle in one moment: to all of them the last."""
        return self.instance, self.scope, self.nonce or ""


class Step(NamedTuple):
    """A wait of a circle, and the place it waits for."""

    wait: Wait
    holder: Place


def inside(call: Call) -> tuple[str, ...]:
    """Return the runs that this command was started from."""
    return tuple(filter(sessionfile.is_id, call.environ.get(INSIDE, "").split()))


def require_not_inside(
    worker: Worker, scope: str, state: State, mine: Place | None, within: tuple[str, ...] = ()
) -> None:
    """Refuse to wait for a run whose command this is: another worker's, for its own may go on.

    Raises:
        Refused: it would wait for its own end.
    """
    within = mine.within if mine is not None else within
    for one in state.line:
        if one.nonce in within and one.instance != worker.me.instance:
            raise Refused(
                "waits-in-circle",
                f"{scope} is held by {view.told(one)}, from which this was started",
                where=scope,
                why=f"{worker.me.actor} would wait for its own end",
                run=f"git coord log {quote(scope)}",
            )


def require_none(
    call: Call, worker: Worker, scope: str, mine: Place | None, session: Session | None
) -> None:
    """Name a circle that this wait closes, to all who are in it.

    Where each of them is at a wait now it is refused, for it can only end by its time; a mere place
    in line leaves its worker free to go on, and is a note.

    Args:
        call: who calls.
        worker: who waits.
        scope: what for.
        mine: its place, None for a mere wait.
        session: its lock, which says from then on that it is sure to wait.

    Raises:
        Refused: nobody in it would go on.
    """
    start = _start(call, worker, scope, mine)
    board, found = _looked(worker, start)
    if found:
        tell(worker, found, "that wait was refused, so the others go on")
        raise Refused(
            "waits-in-circle",
            f"nobody would go on if you waited for {scope}",
            where=scope,
            why=told(found),
            run=_way_out(call, start, found),
        )
    name(call, worker, board.circle(start))
    if session is not None:
        session.settle()


def _looked(worker: Worker, start: Wait) -> tuple[_Board, list[Step]]:
    """Return a circle of waits that `start` closes, once it is known whose that refusal is.

    Those who look in the same moment see each other: the last by rank is refused at once, and the
    others look again until it has left, or is sure to wait, having looked before they came.
    """
    end = time.monotonic() + _PATIENCE
    while True:
        board = _Board(worker)
        found = board.circle(start, blocked=True)
        looking = [step.wait.rank for step in found[1:] if not step.wait.settled]
        if not looking or max(looking) < start.rank or time.monotonic() > end:
            return board, found
        time.sleep(_AGAIN)


def met(call: Call, worker: Worker, scope: str, mine: Place) -> None:
    """Name a circle that a new place in line closes, to all who are in it.

    A place in the line for an artifact holds nobody up; the merge order breaks its circles.
    """
    if scopes.orders_merges(scope):
        return
    name(call, worker, _Board(worker).circle(_start(call, worker, scope, mine)))


def name(call: Call, worker: Worker, found: list[Step]) -> None:
    """Say that some wait for each other who may still go on, and tell them."""
    if not found:
        return
    call.note(f"a circle: {told(found)}")
    call.note(f"git coord release {quote(found[-1].wait.scope)} would let the others go on")
    tell(worker, found, "each of you can release what the others wait for")


def tell(worker: Worker, found: list[Step], end: str) -> None:
    """Tell the others in a circle of it, once for as long as nothing of it changes hands."""
    me = worker.me.instance or ""
    mark = "\n".join(f"{step.wait.scope} {step.holder}" for step in found)
    import hashlib  # noqa: PLC0415  # 2 ms that only a circle pays

    key = f"{keys.posted(me)}/circle-{hashlib.sha256(mark.encode('utf-8', 'replace')).hexdigest()}"
    if worker.store.read(key) is not None:
        return
    worker.store.create(key, mark.encode("utf-8", "replace"))
    reason = f"{told(found)}; {end}"
    for instance in sorted({step.wait.instance for step in found} - {me}):
        notices.tell(
            worker.store,
            instance,
            "circle",
            scope=found[0].wait.scope,
            by=worker.me.actor,
            reason=reason,
        )


def told(found: list[Step]) -> str:
    """Return a circle in words."""
    return ", ".join(
        f"{step.wait.actor} waits for {scopes.shown(step.wait.scope)}, held by "
        f"{view.told(step.holder)}"
        for step in found
    )


def _start(call: Call, worker: Worker, scope: str, mine: Place | None) -> Wait:
    within, nonce = (inside(call), None) if mine is None else (mine.within, mine.nonce)
    return Wait(scope, worker.me.actor, worker.me.instance or "", within, nonce, blocks=True)


def _way_out(call: Call, start: Wait, found: list[Step]) -> str:
    """Return the command that opens a circle: both scopes in one order, or one of them given up."""
    wanted, held = quote(start.scope), quote(found[-1].wait.scope)
    if not found[-1].holder.run:
        return f"git coord release {held}"
    _, dashes, command = call.words.partition(" -- ")
    return f"git coord run {wanted} -- git coord run {held} -- {command}" if dashes else (
        f"git coord log {wanted}"
    )  # fmt: skip


class _Board:
    """Every line of the board and every wait at work, read once."""

    def __init__(self, worker: Worker) -> None:
        self._roll: Roll = worker.roll()
        self._states = {event.scope: event.state for event in claims.tops(worker.store)}
        self._waits = [*self._at_work(), *self._in_line()]

    def circle(self, start: Wait, *, blocked: bool = False) -> list[Step]:
        """Return the shortest way from `start` back to its own worker; none where there is none.

        With `blocked` only through waits of which each is at work.
        """
        ways: list[tuple[Wait, list[Step]]] = [(start, [])]
        seen: set[Wait] = {start}
        while ways:
            wait, before = ways.pop(0)
            for holder in self._before(wait):
                way = [*before, Step(wait, holder)]
                if self._is_start(holder, start):
                    return way
                for other in self._held_up(holder):
                    if other not in seen and (other.blocks or not blocked):
                        seen.add(other)
                        ways.append((other, way))
        return []

    def _is_start(self, holder: Place, start: Wait) -> bool:
        """Tell whether `holder` goes on only after `start` has ended."""
        if holder.run:
            return holder.nonce in start.within
        return holder.instance == start.instance

    def _before(self, wait: Wait) -> Iterator[Place]:
        """Yield the places that have to go before `wait` has its turn."""
        for place in self._states.get(wait.scope, State()).line:
            if wait.nonce is not None and place.nonce == wait.nonce:
                return
            own = place.instance == wait.instance
            if place.instance is None or self._roll.is_dead(place):
                continue
            if own and wait.nonce is None and not place.run:
                return
            if not own or (place.run and place.nonce not in wait.within):
                yield place

    def _held_up(self, holder: Place) -> Iterable[Wait]:
        """Return the waits that have to end before `holder` leaves."""
        if holder.run:
            return (one for one in self._waits if holder.nonce in one.within)
        return (one for one in self._waits if one.instance == holder.instance)

    def _in_line(self) -> Iterator[Wait]:
        for scope, state in self._states.items():
            is_order = scopes.orders_merges(scope)
            for at, place in enumerate(state.line):
                if is_order and not place.run:
                    continue
                if place.instance and not state.has_turn(at) and not self._roll.is_dead(place):
                    settled = not place.run or self._roll.is_settled(place)
                    yield Wait(
                        scope, place.actor, place.instance, place.within, place.nonce, place.run,
                        settled,
                    )  # fmt: skip

    def _at_work(self) -> Iterator[Wait]:
        known = {
            place.instance: place.actor for state in self._states.values() for place in state.line
        }
        for instance, actor in known.items():
            for found in self._roll.waits(instance or ""):
                if found.lives:
                    yield Wait(
                        found.scope, actor, instance or "", found.within, None, True, found.settled
                    )
