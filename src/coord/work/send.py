"""``send``: words to a peer. No kind of message grants anything, and none moves a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.board import letters, scopes
from coord.work import addressed, mail
from coord.work.call import bounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.board.messages import Message
    from coord.work.call import Call


def send(
    call: Call, kind: str, to: str, text: str, scope: str | None = None
) -> tuple[Message, ...]:
    """Send a message of `kind` to an actor, which is all its live instances, or to one instance.

    Where this is what an interrupted command had begun to send, that is returned, and no other is
    sent.

    Raises:
        Usage: `scope` is none, or the text is too long.
        Refused: nobody is known as `to`, or who acts here is only inferred.
    """
    bounded(text, "TEXT")
    worker, half = mail.talking(call)
    about = None if scope is None else scopes.parse(scope, worker.here.top)
    meant = addressed.find(call, worker, worker.roll(), to)
    made = mail.written(worker, kind, meant, text, about)
    if kind == "handoff":
        call.note("a message moves no claim: git coord handoff does, with the other's ack")
    begun = _begun(half, made)
    if not begun:
        letters.send(worker.store, worker.instance, made)
    return begun or made


def _begun(half: Sequence[tuple[Message, ...]], wanted: Sequence[Message]) -> tuple[Message, ...]:
    """Return the interrupted sending that `wanted` repeats; nothing when it repeats none."""
    return next((made for made in half if _meaning(made) == _meaning(wanted)), ())


def _meaning(made: Sequence[Message]) -> tuple[object, ...]:
    first = made[0]
    return first.kind, first.scope, first.text, {message.to.instance for message in made}
