"""What this clone tells others of its workers (:mod:`coord.stores.attendance`), from time to time.

Only on a board that several hosts share: where all are on one, the signs of life are the files.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from coord.base.errors import CoordError
from coord.board.roll import Roll
from coord.liveness import clone, machine
from coord.settings import config
from coord.stores import attendance, chosen, keys
from coord.stores.attendance import Attendance, Sign

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from coord.repo.worktree import Worktree
    from coord.stores.replica import Replica
    from coord.stores.store import Store

_UNSURE = (
    2.0  # seconds between two estimates of the server's time; what is later is another clock's
)
_PATIENCE = 10.0  # seconds for a call that a server does not answer


def carry(here: Worktree, store: Store, me: str | None) -> None:
    """Have the next write tell of this clone's workers, where the last word of them is old.

    Args:
        here: where this is.
        store: the board.
        me: the instance that acts, which is here now.
    """
    with contextlib.suppress(CoordError, OSError):  # others will call them silent, no more
        _carried(here, store, me, me)


def tell(here: Worktree, store: Store, me: str | None) -> None:
    """Tell of this clone's workers at once, where the last word of them is old."""
    with contextlib.suppress(CoordError, OSError):
        copy = _carried(here, store, me)
        if copy is not None:
            copy.unload()


@contextlib.contextmanager
def lasting(
    here: Worktree,
    every: float,
    me: str | None = None,
    beat: Callable[[], None] | None = None,
) -> Iterator[Callable[[], None]]:
    """Tell of this clone's workers for as long as a block lasts; yield what ends that before.

    Args:
        here: where this is.
        every: seconds between two looks at whether there is something to tell.
        me: who is here all the while, if that is known.
        beat: gives a sign of life, before each look.
    """
    done = threading.Event()
    store = chosen.another(here.common_dir)  # a copy is one thread's

    def give() -> None:
        if beat is not None:
            beat()
        if store is not None:
            tell(here, store, me)

    thread = threading.Thread(target=_keep, args=(done, every, give, store), daemon=True)
    if store is not None or beat is not None:
        thread.start()

    def end() -> None:
        done.set()
        if thread.is_alive():
            thread.join(_PATIENCE)

    try:
        yield end
    finally:
        done.set()


def _keep(
    done: threading.Event, every: float, give: Callable[[], None], store: Replica | None
) -> None:
    while not done.wait(every):
        give()
    if store is not None:
        store.close()


def _carried(
    here: Worktree, store: Store, me: str | None, writes: str | None = None
) -> Replica | None:
    from coord.stores.replica import Replica  # noqa: PLC0415  # SQLite, which boards of files lack

    if isinstance(store, Replica):
        with store.unrefreshed():  # nobody else writes of this clone
            _carry(here, store, me, writes)
        return store
    return None


def _carry(here: Worktree, copy: Replica, me: str | None, writes: str | None) -> None:
    """Have what is old told of this clone's workers; and of who `writes`, what others count from.

    Without a clock they count from what is new in a record, so that is to be there.
    """
    mine, now = clone.known(here.common_dir), copy.now()
    if not mine or now is None or copy.unreached is not None:
        return
    expires = config.load(here.top).expires
    last, age = attendance.own(copy, mine, now)
    every = attendance.every(expires)
    own = last.signs.get(writes or "")
    is_told = writes is None or copy.caps.clock or (own is not None and now - own.seen < every)
    is_new = me is not None and me not in last.signs and copy.read(keys.actor(me)) is not None
    if is_told and age is not None and -_UNSURE < age < every and not is_new:
        return
    roll = Roll(copy, here, expires)
    signs = {**last.signs}
    # A file of tomorrow says that our clock was set back: of when it is, no more is known.
    latest = float("inf") if copy.caps.clock else now + _UNSURE
    for instance, sign in _signs(roll, me, now):
        known = signs.get(instance)  # what is hidden from here another command may have seen
        if known is None or known.seen <= sign.seen <= latest:
            signs[instance] = sign
    told = Attendance(machine.host(), signs)
    if not copy.caps.clock:
        told = Attendance(machine.host(), signs, now, *machine.uptime())
    copy.carry(attendance.key(mine), attendance.encode(told, now))


def _signs(roll: Roll, me: str | None, now: float) -> Iterator[tuple[str, Sign]]:
    for member in roll.members(()):
        status = member.status
        seen = now if member.actor.instance == me else status.seen
        if seen is not None and not roll.is_elsewhere(member.actor.clone):
            over = status.why if status.dead or status.gone else ""
            yield member.actor.instance, Sign(seen, member.branch, over)
