"""``pause``: a mark on what a worker holds, and a word to those who are here.

It neither releases, deletes nor touches a file: a paused claim stands like any other.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from coord.board import claims, handover, letters, messages, view
from coord.identity.pin import now
from coord.stores import keys
from coord.work import addressed, mail, unpublished
from coord.work.call import bounded
from coord.work.handoff import held

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coord.board.events import Change, State
    from coord.board.messages import Message
    from coord.work.arrive import Worker
    from coord.work.call import Call

_NAMED = 10


class Marked(NamedTuple):
    """A scope that is still held, and how it stands."""

    scope: str
    state: State


class Paused(NamedTuple):
    """What is paused, and whom that was told.

    Attributes:
        marked: the scopes.
        told: what was sent, now or before.
        new: it was sent now.
    """

    marked: list[Marked]
    told: Sequence[Message]
    new: bool


def pause(call: Call, reason: str | None = None) -> Paused:
    """Mark what the worker holds as paused, and ask those who are here for help.

    They are asked once for each pause, and once for each new reason for it.

    Raises:
        Usage: the reason is too long.
        Refused: who acts here is only inferred.
    """
    bounded(reason, "--reason", "pause")
    worker, _ = mail.talking(call)
    at, words = now(), reason or ""
    scopes = held(worker)
    marked = mark(
        call, worker, scopes, lambda state: handover.paused(state, worker.instance, at, words)
    )
    new, told = _tell(worker, marked, words)
    return Paused(marked, told, new)


def mark(
    call: Call, worker: Worker, scopes: Sequence[str], decide: Callable[[State], Change | None]
) -> list[Marked]:
    """Change `scopes`, and return those that `worker` still holds by then."""
    made, left = unpublished.each(
        call,
        worker,
        call.words,
        scopes,
        lambda scope: Marked(scope, claims.change(worker.store, scope, worker.me, decide).state),
    )
    unpublished.require(call, left)
    return [one for one in made if view.is_held_by(one.state, worker.instance)]


def _tell(worker: Worker, marked: Sequence[Marked], reason: str) -> tuple[bool, Sequence[Message]]:
    """Ask those who are here for help; return whether that was new, and what was sent."""
    peers = addressed.present(worker, worker.roll())
    made = mail.written(worker, "help", peers, _text(worker, marked, reason), _about(marked))
    if not (made and marked):
        if made:
            letters.send(worker.store, worker.instance, made)
        return bool(made), made
    marks = "\n".join(f"{one.scope} {_nonce(worker, one.scope)}" for one in marked)
    name = hashlib.sha256(marks.encode("utf-8", "surrogatepass")).hexdigest()[:40]
    key = f"{keys.posted(worker.instance)}/pause-{name}"
    return letters.once(worker.store, key, lambda: made)


def _nonce(worker: Worker, scope: str) -> str:
    """Return the nonce of the event that paused `scope`; where it was compacted, since when."""
    for event in reversed(claims.history(worker.store, scope)):
        if event.kind == "pause":
            return event.nonce
    return claims.state(worker.store, scope).paused_at or ""


def _about(marked: Sequence[Marked]) -> str | None:
    return marked[0].scope if len(marked) == 1 else None


def _text(worker: Worker, marked: Sequence[Marked], reason: str) -> str:
    named = ", ".join(one.scope for one in marked[:_NAMED])
    more = f" and {len(marked) - _NAMED} more" if len(marked) > _NAMED else ""
    stands = f"; still held: {named}{more}" if marked else ""
    head = f"{worker.me.actor} has paused{stands}"
    return "\n".join([head, *([reason] if reason else [])])[: messages.TEXT_LIMIT]
