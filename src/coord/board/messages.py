"""Messages: one record a recipient, created once and never changed.

    messages/<instance>/<id>   {"schema": 1, "id", "kind", "from": {…}, "to": {…}, "scope",
                                "generation", "text", "sent_at"}

An id begins with the time by the store's clock, so that names sort as messages were sent. No kind
grants anything: what is sent is information, whoever it comes from.
"""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from coord.base import peerjson
from coord.identity import pin

if TYPE_CHECKING:
    from coord.identity.whoami import Identity
    from coord.stores.store import Store

KINDS = ("intent", "overlap", "help", "handoff", "ack", "dependency")
TEXT_LIMIT = 2000
_SCHEMA = 1
# Of what is no text: names, a branch, a scope. Longer ones are no message of ours.
_NAMES_LIMIT = 6000
_TEXT = {str}
_MAYBE_TEXT = {str, type(None)}


class Party(NamedTuple):
    """Who sends, or who is sent to.

    Attributes:
        actor: readable name.
        instance: what a reply goes to.
        branch: branch that was checked out, None when detached or not known.
        source: how a sender's identity is known: ``pinned``, ``explicit`` or ``inferred``.
        clone: id of the clone it works in, None where that is not known.
    """

    actor: str
    instance: str
    branch: str | None = None
    source: str | None = None
    clone: str | None = None


class Message(NamedTuple):
    """One message, as its recipient has it.

    Attributes:
        id: unique, in the order of time.
        kind: one of :data:`KINDS`.
        sender: who sent it.
        to: who it is to.
        scope: what it is about, if said.
        generation: that scope's when it was sent; of an offer, the one it is bound to.
        text: the sender's words.
        sent_at: when, RFC 3339 by the store's clock.
        read: the recipient has been shown it.
        offer: it is a standing offer of a scope, which ``ack`` takes up.
    """

    id: str
    kind: str
    sender: Party
    to: Party
    scope: str | None
    generation: int | None
    text: str
    sent_at: str
    read: bool = False
    offer: bool = False


def stamped(store: Store) -> tuple[str, str]:
    """Return a new id, and the moment it stands for."""
    now = store.now() or time.time()
    return f"{int(now * 1_000_000):014x}-{os.urandom(4).hex()}", pin.at(now)


def party(me: Identity, branch: str | None, clone: str) -> Party:
    """Return who acts as a sender, in the clone with that id."""
    return Party(me.actor, me.instance or "", branch, me.source, clone or None)


def encode(message: Message) -> bytes:
    """Return the record of `message`."""
    return json.dumps(as_record(message), separators=(",", ":")).encode() + b"\n"


def as_record(message: Message) -> dict[str, object]:
    """Return `message` as it is kept."""
    return {
        "schema": _SCHEMA,
        "id": message.id,
        "kind": message.kind,
        "from": message.sender._asdict(),
        "to": message.to._asdict(),
        "scope": message.scope,
        "generation": message.generation,
        "text": message.text,
        "sent_at": message.sent_at,
    }


def decode(value: bytes) -> Message | None:
    """Return the message in `value`, None when it is none."""
    try:
        return from_record(peerjson.document(value))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def from_record(found: Any) -> Message:  # noqa: ANN401  # JSON, until its types are looked at
    """Return the message kept as `found`.

    Raises:
        ValueError, LookupError, TypeError: it is none.
    """
    message = Message(
        found["id"],
        found["kind"],
        _party(found["from"]),
        _party(found["to"]),
        found["scope"],
        found["generation"],
        found["text"][:TEXT_LIMIT],
        found["sent_at"],
    )
    if found["schema"] != _SCHEMA or message.kind not in KINDS:
        raise ValueError(message.kind)
    if {type(message.id), type(message.text), type(message.sent_at)} != _TEXT:
        raise TypeError(message)
    if type(message.scope) not in _MAYBE_TEXT or type(message.generation) not in {int, type(None)}:
        raise TypeError(message)
    if len(message.id) + len(message.sent_at) + len(message.scope or "") > _NAMES_LIMIT:
        raise ValueError(message.id)
    return message


def _party(found: Any) -> Party:  # noqa: ANN401
    get = found.get
    made = Party(found["actor"], found["instance"], get("branch"), get("source"), get("clone"))
    if {type(made.actor), type(made.instance)} != _TEXT:
        raise TypeError(made)
    if not {type(made.branch), type(made.source), type(made.clone)} <= _MAYBE_TEXT:
        raise TypeError(made)
    if sum(len(text) for text in made if text) > _NAMES_LIMIT:
        raise ValueError(len(made))
    return made
