"""``log``: what happened to a scope."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.board import claims
from coord.work import arrive

if TYPE_CHECKING:
    from coord.board.events import Event
    from coord.board.roll import Roll
    from coord.work.call import Call


class Log(NamedTuple):
    """A canonical scope, its events, oldest first, and those who wrote them."""

    scope: str
    events: list[Event]
    roll: Roll


def log(call: Call, name: str) -> Log:
    """Return what happened to the scope `name`.

    Raises:
        Usage: it is no scope.
    """
    worker = arrive.looking(call, [name])
    scope = worker.scopes[0]
    return Log(scope, claims.history(worker.store, scope), worker.roll())
