"""``send``: words to a peer. No kind of message grants anything, and none moves a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.errors import Refused, Usage
from coord.board import claims, letters, recipients
from coord.board.messages import KINDS
from coord.stores import scopes
from coord.work import addressed, arrive, lost, mail, unpublished
from coord.work.call import bounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.board.actors import Actor
    from coord.board.messages import Message
    from coord.board.roll import Roll
    from coord.work.arrive import Worker
    from coord.work.call import Call
    from coord.work.lost import Lost


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
    bounded(text, "TEXT", "send")
    worker, half = mail.talking(call)
    if scope is not None:
        worker.store.fresh()
    about = None if scope is None else scopes.parse(scope, worker.here.top)
    with worker.store.unrefreshed():
        meant, away = _meant(call, worker, to, about)
        made = mail.written(worker, kind, meant, text, about)
        if kind == "handoff":
            call.note("a message moves no claim: git coord handoff does, with the other's ack")
        if away is not None:
            call.note(away.offer)
        begun = _begun(half, made)
        if begun:
            return begun
        unpublished.kept(
            call,
            worker,
            f"send {kind} {to}",
            lambda: letters.send(worker.store, worker.instance, made),
        )
    return (*made, *_sent_on(worker, to, made))


def _meant(
    call: Call, worker: Worker, to: str, about: str | None
) -> tuple[list[Actor], Lost | None]:
    """Return whom a message is for, and what is known of one of them who has not come back."""
    roll = worker.roll()
    away = None if about is None else _away(worker, roll, about, to)
    try:
        return addressed.find(call, worker, roll, to), away
    except Refused as error:
        error.run = away.run if away else error.run
        if worker.store.fresh():
            raise
    return _meant(call, worker, to, about)


def _sent_on(worker: Worker, to: str, made: Sequence[Message]) -> Sequence[Message]:
    """Send to those of the name too of whom the copy did not know yet; return these messages."""
    if not worker.store.caps.hosts:
        return ()
    roll, has_it = worker.roll(), {worker.instance, *(one.to.instance for one in made)}
    named = recipients.meant(roll.everyone(), to)
    new = [one for one in named.actors if named.by_name and one.instance not in has_it]
    more = mail.also(made[0], [one for one in new if addressed.is_alive(roll, one)])
    if more:
        letters.send(worker.store, worker.instance, more)
    return more


def _away(worker: Worker, roll: Roll, scope: str, to: str) -> Lost | None:
    """Return what is known of the holder of `scope`, where it is written to and is not there."""
    state = claims.state(worker.store, scope)
    named = {one.instance for one in recipients.meant(roll.everyone(), to).actors}
    holder = state.holder
    if holder is None or holder.instance not in named - {worker.instance}:
        return None
    return lost.found(scope, holder, roll, state.generation)


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
