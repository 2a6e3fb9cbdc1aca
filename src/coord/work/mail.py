"""Speaking to peers: what a killed command left half sent goes first, then what is to be said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.board import claims, letters, messages
from coord.board.messages import Message, Party
from coord.liveness import clone
from coord.work import arrive

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.board.actors import Actor
    from coord.work.arrive import Worker
    from coord.work.call import Call


def talking(call: Call) -> tuple[Worker, list[tuple[Message, ...]]]:
    """Come to the board to speak; return what a killed command had left half sent, too.

    By then it has been delivered.

    Raises:
        Refused: as :func:`coord.work.arrive.acting`.
    """
    worker = arrive.acting(call, [])
    with worker.store.unrefreshed():  # its own letters, which nobody else writes
        half = letters.settle(worker.store, worker.instance)
    for made in half:
        call.note(f"{made[0].id}, which an interrupted command had begun to send, is sent now")
    return worker, half


def written(
    worker: Worker, kind: str, to: Sequence[Actor], text: str, scope: str | None
) -> tuple[Message, ...]:
    """Return a message to each of `to`, not yet sent."""
    made, at = messages.stamped(worker.store)
    sender = messages.party(worker.me, worker.branch, clone.own(worker.here.common_dir))
    generation = None if scope is None else claims.state(worker.store, scope).generation
    return tuple(
        Message(made, kind, sender, _party(one), scope, generation, text, at) for one in to
    )


def also(made: Message, to: Sequence[Actor]) -> tuple[Message, ...]:
    """Return a message that was sent, to each of `to`, not yet sent."""
    return tuple(made._replace(to=_party(one)) for one in to)


def _party(one: Actor) -> Party:
    return Party(one.actor, one.instance, clone=one.clone or None)
