"""Messages as answers tell them: what ``ack`` and ``inbox`` show, and what ``send`` has sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from coord.identity import pin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from coord.board.inbox import Shown
    from coord.board.messages import Message
    from coord.work.ack import Read
    from coord.work.inbox import Inbox

# A class cannot have the key "from".
FromDocument = TypedDict("FromDocument", {"id": str, "kind": str, "from": str})
FromDocument.__doc__ = "A message: its kind, and the name of who sent it."


class MessageDocument(FromDocument):
    """A message, as its recipient has it.

    Attributes:
        provenance: how the sender's identity is known: ``pinned``, ``explicit`` or ``inferred``.
        authority: always null: no message grants anything.
        scope: what it is about, if said.
        generation: that scope's when it was sent; of an offer, the one it is bound to.
        text: the sender's words.
        read: the recipient has been shown it.
        offer: it is a standing offer of a scope, which ``ack`` takes up.
        from_clone: id of the clone its sender works in, null where that was not written down.
    """

    from_instance: str
    from_branch: str | None
    from_clone: str | None
    provenance: str | None
    authority: None
    to: str
    to_instance: str
    scope: str | None
    generation: int | None
    text: str
    sent_at: str
    read: bool
    offer: bool


class RecipientDocument(TypedDict):
    """To whom a message was sent."""

    actor: str
    instance: str


class SentDocument(TypedDict):
    """One sending, to one recipient or several.

    Attributes:
        scope: what it is about, if said.
        generation: that scope's when it was sent.
    """

    id: str
    kind: str
    scope: str | None
    generation: int | None
    text: str
    sent_at: str
    to: list[RecipientDocument]


class LastDocument(TypedDict):
    """What was shown last, maybe to another reader.

    Attributes:
        count: how many messages.
        at: when, RFC 3339 by the store's clock; null where that is not known.
    """

    count: int
    at: str | None


class InboxDocument(TypedDict):
    """What was sent to a worker, oldest first.

    Attributes:
        shown: what was shown last, where there is nothing to show now; otherwise null.
    """

    messages: list[MessageDocument]
    shown: LastDocument | None


class ReadDocument(TypedDict):
    """A message whose sender knows that it was read.

    Attributes:
        new: the sender had not been told before.
    """

    message: MessageDocument
    new: bool


def read(done: Read) -> ReadDocument:
    """Return a message whose sender knows that it was read."""
    return {"message": message(done.message), "new": done.new}


def inbox(found: Inbox) -> InboxDocument:
    """Return what was sent to a worker."""
    return {"messages": [message(one) for one in found.messages], "shown": _last(found.last)}


def _last(last: Shown | None) -> LastDocument | None:
    if last is None:
        return None
    return {"count": last.number, "at": None if last.at is None else pin.at(last.at)}


def sent(made: Sequence[Message]) -> SentDocument:
    """Return one sending."""
    first = made[0]
    return {
        "id": first.id,
        "kind": first.kind,
        "scope": first.scope,
        "generation": first.generation,
        "text": first.text,
        "sent_at": first.sent_at,
        "to": recipients(made),
    }


def recipients(made: Iterable[Message]) -> list[RecipientDocument]:
    """Return to whom messages were sent."""
    return [{"actor": one.to.actor, "instance": one.to.instance} for one in made]


def message(one: Message) -> MessageDocument:
    """Return one message."""
    return {
        "id": one.id,
        "kind": one.kind,
        "from": one.sender.actor,
        "from_instance": one.sender.instance,
        "from_branch": one.sender.branch,
        "from_clone": one.sender.clone,
        "provenance": one.sender.source,
        "authority": None,
        "to": one.to.actor,
        "to_instance": one.to.instance,
        "scope": one.scope,
        "generation": one.generation,
        "text": one.text,
        "sent_at": one.sent_at,
        "read": one.read,
        "offer": one.offer,
    }
