"""``wait``: until a scope could be held."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.board import claims
from coord.work import arrive, lost, patience

if TYPE_CHECKING:
    from coord.board.events import State
    from coord.work.arrive import Worker
    from coord.work.call import Call


class Waited(NamedTuple):
    """Who waited for which scope, and its state: free, or the waiter's own."""

    worker: Worker
    scope: str
    state: State


def wait(call: Call, name: str, timeout: float) -> Waited:
    """Wait until the scope `name` could be held, at most `timeout` seconds.

    Raises:
        Usage: it is no scope.
        Refused: the time is up, or the worker who waits has ended.
    """
    worker = arrive.looking(call, [name])
    scope = worker.scopes[0]

    def is_open() -> bool:
        holder = claims.state(worker.store, scope).holder
        return holder is None or holder.instance == worker.me.instance is not None

    if not is_open():
        lost.tell(call, worker, scope, claims.state(worker.store, scope), worker.roll())
    patience.until(worker, scope, is_open, timeout)
    return Waited(worker, scope, claims.state(worker.store, scope))
