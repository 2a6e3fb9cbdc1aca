"""Sending: what goes to several is decided in one record, then delivered, and never twice.

    letters/<sender>/<id>     begun; taken away when every recipient has its message
    posted/<sender>/<name>    sent once for a reason that can come again: an ack, a pause
    posted/pairs/<hash>       sent once for a pair of claims that overlap

Each holds the messages whole, ids and all, so delivering it again creates the same bytes under the
same names: nothing. A sender killed in between leaves a letter that its next command delivers, and
the same ``send`` again *is* that letter. One that was stopped in between delivers no more once its
letter is gone: what others have delivered for it may have been read, and swept.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from coord.base import peerjson
from coord.board import messages
from coord.liveness import process
from coord.liveness.process import Process
from coord.stores import keys
from coord.stores.store import Pending, Unavailable, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from coord.board.messages import Message
    from coord.stores.store import Rec, Store

# Where nothing is known of the sender's process, a letter this old was left by a killed one.
_PATIENCE = 60.0
_SENT = 29 * 86400  # read messages are kept for a day longer
_LETTERS = "letters/"


class Letter(NamedTuple):
    """What is sent in one go.

    Attributes:
        messages: one a recipient.
        sender: the process that sends.
    """

    messages: tuple[Message, ...]
    sender: Process


def send(store: Store, instance: str, made: Sequence[Message]) -> None:
    """Send messages with one id, from `instance`: in one step, else by a letter."""
    key, value = f"{keys.letters(instance)}/{made[0].id}", _encode(made)
    try:
        if store.together([_record(message) for message in made]):
            return
    except (Unavailable, Unknown) as error:
        error.pending = Pending(key, value, None, ())
        raise
    letter = store.create(key, value)
    _deliver(store, letter, made)
    store.delete(letter.key, letter.value)


def once(
    store: Store, key: str, made: Callable[[], Sequence[Message]]
) -> tuple[bool, list[Message]]:
    """Send what `made` returns unless something was sent under `key` before.

    Return whether it is new, and what was sent, now or then.
    """
    there, value = store.read(key), b""
    if there is None:
        new = made()
        value = _encode(new)
        if store.together([(key, value), *map(_record, new)]):
            return True, list(new)
        there = store.create(key, value)
    letter = _decode(there)
    sent = [] if letter is None else list(letter.messages)
    _deliver(store, there, sent)
    return there.value == value, sent


def settle(store: Store, instance: str) -> list[tuple[Message, ...]]:
    """Deliver what a killed command of `instance` left half sent; return those messages."""
    found: list[tuple[Message, ...]] = []
    for rec in store.list(keys.letters(instance)):
        letter = _decode(rec)
        if letter is None or not _is_left(store, rec, letter):
            continue
        _deliver(store, rec, letter.messages)
        store.delete(rec.key, rec.value)
        found.append(letter.messages)
    return found


def publish(store: Store, key: str, value: bytes) -> bool:
    """Send what could not be sent before, of whose key and bytes nothing is changed.

    Return False where something was sent under `key` meanwhile.
    """
    there = store.create(key, value)
    letter = _decode(there)
    if there.value != value or letter is None:
        return False
    _deliver(store, there, letter.messages)
    if key.startswith("letters/"):
        store.delete(key, value)
    return True


def posted(store: Store) -> set[str]:
    """Return the ids of all messages that are marked as sent once, and may be delivered again."""
    found = (letter for rec in store.list("posted") if (letter := _decode(rec)) is not None)
    return {message.id for letter in found for message in letter.messages}


def _is_past(store: Store, rec: Rec) -> bool:
    """Tell whether it was sent so long ago that it is read, and may have been taken away.

    While a letter is half delivered, nothing of it goes.
    """
    now = None if rec.key.startswith(_LETTERS) else store.now()
    return now is not None and rec.at is not None and now - rec.at > _SENT


def _is_left(store: Store, rec: Rec, letter: Letter) -> bool:
    """Tell whether nobody is at work on a letter any more; it is old only by a clock."""
    now = store.now()
    old = now is not None and rec.at is not None and now - rec.at > _PATIENCE
    return old or letter.sender.has_ended


def _deliver(store: Store, letter: Rec, made: Iterable[Message]) -> None:
    """Deliver what a letter holds that stands; a sweep comes before the look, or after it all."""
    with store.writing():
        there = store.read(letter.key)
        if there is None or there.value != letter.value or _is_past(store, there):
            return
        for message in made:
            store.create(*_record(message))


def _record(message: Message) -> tuple[str, bytes]:
    return f"{keys.messages(message.to.instance)}/{message.id}", messages.encode(message)


def _encode(made: Sequence[Message]) -> bytes:
    document = {
        "schema": 1,
        "sender": process.own()._asdict(),
        "messages": [messages.as_record(message) for message in made],
    }
    return json.dumps(document, separators=(",", ":")).encode() + b"\n"


def _decode(rec: Rec) -> Letter | None:
    try:
        found: Any = peerjson.document(rec.value)
        made = tuple(map(messages.from_record, found["messages"]))
        return Letter(made, Process(**found["sender"]))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
