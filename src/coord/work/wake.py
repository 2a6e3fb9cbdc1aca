"""``wake``: a session begins. Who is here, what is taken, what was shipped, and one suggestion."""

from __future__ import annotations

import itertools
import random
import time
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from coord.base.errors import CoordError
from coord.board import inbox, view
from coord.board.roll import Roll
from coord.fleet import lanes, mirror, suggestion
from coord.fleet.ledger import Move, PutDown, Until
from coord.fleet.ledgerfile import Ledger
from coord.fleet.screen import Screen
from coord.identity import whoami
from coord.settings import config
from coord.settings.config import Config
from coord.stores import chosen
from coord.stores.store import StoreError
from coord.work import arrive, board, enrolment, moves, suggested, where
from coord.work.ledgerentry import worktree_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coord.board.events import Event, Place
    from coord.board.messages import Message
    from coord.board.roll import Member
    from coord.board.view import Row
    from coord.fleet.mirror import Mirror
    from coord.work.arrive import Worker
    from coord.work.call import Call

_PUT_DOWNS = 6
T = TypeVar("T")


class Woken(NamedTuple):
    """What a worker sees when it wakes, and what that was read from.

    Attributes:
        worker: who wakes.
        roll: the workers.
        screen: what there is to see.
        put_down: the ledger of put-downs.
        shipped: the ledger of moves.
    """

    worker: Worker
    roll: Roll
    screen: Screen
    put_down: moves.Read[PutDown]
    shipped: moves.Read[Move]


def wake(call: Call, stagger: float | None = None, *, everything: bool = True) -> Woken:
    """Begin a session; a part that cannot be had is named on the screen, and the others stand.

    Args:
        call: who wakes.
        stagger: seconds to wait at most, at random; None: what is declared, 0: not at all.
        everything: scopes that are free belong to the board as well.
    """
    missing: dict[str, str] = {}
    top = where.located(call).top
    declared = _part(missing, "config", lambda: config.load(top)) or Config()
    _pause(call, declared.fleet.stagger if stagger is None else stagger)
    worker = arrive.looking(call)
    suggested.tell(call, worker.here, declared)
    worker.beat()
    _enrol(worker)
    arrive.tell_of_others(call, worker)
    return _gathered(worker, declared, missing, everything=everything)


def aged(made: Woken) -> Screen:
    """Return the screen with the ages that the board shows; only text shows any.

    A board that cannot be read any more leaves the ages that the claims themselves say.
    """
    try:
        rows = board.aged(made.worker.store, made.screen.rows, made.roll.now)
    except CoordError:
        return made.screen
    return made.screen._replace(rows=rows)


def _gathered(
    worker: Worker, declared: Config, missing: dict[str, str], *, everything: bool
) -> Woken:
    fleet, me, now = declared.fleet, worker.me, time.time()
    roll = Roll(worker.store, worker.here, declared.expires)
    tops = _part(missing, "claims", lambda: list(board.newest(worker.store, everything=everything)))
    members, rows, holders = _board(tops, roll, missing)
    shipped, put_down = Until[Move](now), Until[PutDown](now)
    messages = _part(missing, "messages", lambda: _unread(worker, tops))
    seen = _part(missing, "mirror", lambda: _mirror(worker, declared, shipped))
    put_downs = _part(missing, "put_downs", lambda: _put_downs(worker, declared, put_down))
    late = None
    if holders is not None:
        late = _part(missing, "lanes", lambda: moves.surveyed(worker.here, fleet, holders, shipped))
    found = Screen(
        me.actor,
        me.instance,
        now,
        members,
        rows,
        messages or [],
        seen,
        put_downs or [],
        suggestion.suggest(late or [], seen, me.instance or me.actor, now),
        missing,
        chosen.unreached(worker.store),
        worker.store.caps.clock,
    )
    return Woken(
        worker,
        roll,
        found,
        moves.Read(fleet.put_down, put_down),
        moves.Read(fleet.moves, shipped),
    )


def _board(
    tops: list[Event] | None, roll: Roll, missing: dict[str, str]
) -> tuple[list[Member], list[Row], Mapping[str, Place] | None]:
    """Return who is here, what is taken, and who holds which lane: None when unknown."""
    rows = board.rows_of(tops or (), roll)
    members = _part(missing, "actors", lambda: roll.members(view.owners(rows))) or []
    if tops is None:
        missing["lanes"] = "the board does not say who has claimed them"
        return members, rows, None
    return members, rows, lanes.holders(tops)


def _unread(worker: Worker, tops: list[Event] | None) -> list[Message]:
    """Return the unread messages, and mark none: they are read by ``git coord inbox``.

    Raises:
        Refused: nobody acts here for certain, and an empty inbox would be a lie.
    """
    if worker.me.instance is None:
        whoami.require_certain(worker.me, worker.here, "inbox")
    return inbox.unread(worker.store, worker.me, tops=tops)


def _mirror(worker: Worker, declared: Config, until: Until[Move]) -> Mirror:
    newest = moves.together(worker.here, declared.fleet, until)
    return mirror.reflect(newest, declared.fleet.kinds, mirror.WINDOW)


def _put_downs(worker: Worker, declared: Config, until: Until[PutDown]) -> list[PutDown]:
    ledger = Ledger(worktree_of(worker.here), declared.fleet.put_down, PutDown)
    return list(itertools.islice(ledger.newest(until=until), _PUT_DOWNS))[::-1]


def _part(missing: dict[str, str], name: str, build: Callable[[], T]) -> T | None:
    """Return a part of the screen; None for one that cannot be had, after noting why."""
    try:
        return build()
    except CoordError as error:
        missing[name] = f"{error.what}: {error.where}: {error.why}; run: {error.run}"
    except OSError as error:
        missing[name] = f"{error.strerror}: {error.filename}"
    return None


def _pause(call: Call, most: float) -> None:
    """Wait a random part of `most` seconds: who wakes together must not decide together."""
    if most <= 0:
        return
    wait = random.SystemRandom().uniform(0, most)
    call.note(f"waiting {wait:.1f} s, at random up to {most:g} s (--no-stagger: not at all)")
    time.sleep(wait)


def _enrol(worker: Worker) -> None:
    """Put who wakes on the roll; a board that cannot be written is shown all the same."""
    if worker.me.instance is None:
        return
    try:
        enrolment.enrol(worker.here, worker.store, worker.me.actor, worker.me.instance)
    except StoreError:
        return
