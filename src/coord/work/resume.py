"""``resume``: take the mark of the pause away."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.board import claims, handover
from coord.work import mail
from coord.work.handoff import held
from coord.work.pause import mark

if TYPE_CHECKING:
    from coord.work.call import Call
    from coord.work.pause import Marked


class Resumed(NamedTuple):
    """Who is at work again, and on what."""

    actor: str
    marked: list[Marked]


def resume(call: Call) -> Resumed:
    """Take the mark of the pause away from what the worker holds.

    Raises:
        Refused: who acts here is only inferred.
    """
    worker, _ = mail.talking(call)
    scopes = [scope for scope in held(worker) if claims.state(worker.store, scope).paused_at]
    done = mark(call, worker, scopes, lambda state: handover.resumed(state, worker.instance))
    return Resumed(worker.me.actor, done)
