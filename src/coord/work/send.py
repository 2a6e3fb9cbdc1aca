"""``send``: words to a peer. No kind of message grants anything, and none moves a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.errors import Usage
from coord.board import letters, recipients, scopes
from coord.board.messages import KINDS
from coord.work import addressed, arrive, mail
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


def ordered(call: Call, first: str, second: str) -> tuple[str, str]:
    """Return which of two words is the kind of a message, and which is whom it is for.

    Raises:
        Usage: neither is a kind; or both are, and somebody goes by each of these names.
    """
    kinds = [word for word in (first, second) if word in KINDS]
    if not kinds:
        raise _no_kind(first, f"the kinds are {', '.join(KINDS)}")
    if len(kinds) == 1:
        return (first, second) if first in KINDS else (second, first)
    everyone = arrive.looking(call).roll().everyone()
    named = [word for word in kinds if recipients.meant(everyone, word).actors]
    if len(set(named)) > 1:
        why = f"workers go by the names {first} and {second}; an instance's id says which is meant"
        raise _no_kind(f"{first} {second}", why, "git coord board --json")
    return (second, first) if named == [first] else (first, second)


def _no_kind(where: str, why: str, run: str = "git coord send -h") -> Usage:
    return Usage("kind-unknown", "no kind of message", where=where, why=why, run=run)


def _begun(half: Sequence[tuple[Message, ...]], wanted: Sequence[Message]) -> tuple[Message, ...]:
    """Return the interrupted sending that `wanted` repeats; nothing when it repeats none."""
    return next((made for made in half if _meaning(made) == _meaning(wanted)), ())


def _meaning(made: Sequence[Message]) -> tuple[object, ...]:
    first = made[0]
    return first.kind, first.scope, first.text, {message.to.instance for message in made}
