"""The inbox: messages to an instance, the offers made to it, and what of both it has read.

    read/<instance>/<time>   {"schema": 1, "ids": […]}: shown in one go

What is read is kept as the very ids, not as a mark in time: a sender that was stopped for an hour
publishes a message with an old id, and a mark would have passed it by. Only unread messages are
opened, so ten thousand read ones cost two listings.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from coord.base import peerjson
from coord.board import claims, handover, messages
from coord.board.messages import Message, Party
from coord.stores import keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from coord.board.events import Event, State
    from coord.board.offer import Offer
    from coord.identity.whoami import Identity
    from coord.stores.store import Rec, Store

# More receipts than this are joined into one; a record has room for some 40,000 ids.
_RECEIPTS, _ROOM = 32, 20_000
_SHORTEST = 4


class Offered(NamedTuple):
    """A scope that its holder offers."""

    scope: str
    state: State
    offer: Offer


class Shown(NamedTuple):
    """What an instance was shown in one go: how many, and when by the store's clock."""

    number: int
    at: float | None


def unread(
    store: Store,
    who: Identity | str | None,
    broken: list[str] | None = None,
    tops: Iterable[Event] | None = None,
) -> list[Message]:
    """Return what an instance has not read yet, oldest first, and every offer that it may take.

    Nothing is marked as read. Nobody has an empty inbox. The names of records that are no message
    are added to `broken`; whoever has read the newest events already gives them as `tops`.
    """
    instance = who if who is None or isinstance(who, str) else who.instance
    if instance is None:
        return []
    known = read_ids(store, instance)
    prefix = keys.messages(instance)
    new = [f"{prefix}/{name}" for name in _names(store, instance) if name not in known]
    found = (rec for key in new if (rec := store.read(key)) is not None)
    letters = _letters(in_order(store, found), broken)
    newest = claims.taken(store) if tops is None else tops
    return _by_time(store, letters, _offers(newest, instance, known))


def every(store: Store, instance: str | None, broken: list[str] | None = None) -> list[Message]:
    """Return all that an instance was ever sent, and the offers that stand; as :func:`unread`."""
    if instance is None:
        return []
    known = read_ids(store, instance)
    found = _letters(in_order(store, store.list(keys.messages(instance))), broken)
    letters = [one._replace(read=one.id in known) for one in found]
    return _by_time(store, letters, _offers(claims.taken(store), instance, known))


def named(store: Store, instance: str, text: str) -> list[str]:
    """Return the ids of messages to `instance` that `text` can mean: itself, its start or end."""
    names = _names(store, instance)
    if text in names:
        return [text]
    return [name for name in names if is_short_for(text, name)]


def is_short_for(text: str, name: str) -> bool:
    """Tell whether `text` is enough of an id to mean `name`."""
    return len(text) >= _SHORTEST and (name.startswith(text) or name.endswith(text))


def shown_last(store: Store, instance: str | None) -> Shown | None:
    """Return what an instance was shown last, by whatever command; None when nothing ever was.

    Two sessions of one worker, or a pipe that was cut off, look like no message at all without it.
    """
    for rec in reversed(in_order(store, store.list(keys.read(instance))) if instance else []):
        shown = ids(rec)
        if shown and not _is_joined(rec):
            return Shown(len(shown), rec.at)
    return None


def find(store: Store, instance: str, name: str) -> Message | None:
    """Return the message to `instance` with the id `name`; None where there is none."""
    rec = store.read(f"{keys.messages(instance)}/{name}")
    return None if rec is None else decoded(rec)


def mark_read(store: Store, instance: str, shown: Iterable[Message]) -> None:
    """Record that an instance has been shown these."""
    new = [one.id for one in shown if not one.read]
    for start in range(0, len(new), _ROOM):
        _publish(store, instance, new[start : start + _ROOM])
    _join(store, instance)


def read_ids(store: Store, instance: str) -> set[str]:
    """Return the ids that an instance has been shown."""
    return {name for rec in store.list(keys.read(instance)) for name in ids(rec)}


def offers(tops: Iterable[Event], instance: str) -> Iterator[Offered]:
    """Yield the scopes that are offered to an instance."""
    for event in tops:
        for offer in handover.to_me(event.state, instance):
            yield Offered(event.scope, event.state, offer)


def _offers(tops: Iterable[Event], instance: str, known: set[str]) -> Iterator[Message]:
    for scope, state, offer in offers(tops, instance):
        yield _of_offer(scope, state, offer, instance, read=offer.id in known)


def _of_offer(scope: str, state: State, offer: Offer, instance: str, *, read: bool) -> Message:
    holder = state.line[0]
    return Message(
        id=offer.id,
        kind="handoff",
        sender=Party(
            holder.actor, holder.instance or "", holder.branch, offer.source, holder.clone
        ),
        to=Party(offer.name, instance),
        scope=scope,
        generation=state.generation,
        text=offer.note[: messages.TEXT_LIMIT],
        sent_at=offer.at,
        read=read,
        offer=True,
    )


def _names(store: Store, instance: str) -> list[str]:
    prefix = keys.messages(instance)
    return [rec.key[len(prefix) + 1 :] for rec in store.list(prefix, values=False)]


def _letters(records: Iterable[Rec], broken: list[str] | None) -> list[Message]:
    found = []
    for rec in records:
        message = decoded(rec)
        if message is not None:
            found.append(message)
        elif broken is not None:
            broken.append(rec.key)
    return found


def decoded(rec: Rec) -> Message | None:
    """Return the message in `rec`; what calls itself by another name than its own is none."""
    found = messages.decode(rec.value)
    return found if found is not None and rec.key.endswith(f"/{found.id}") else None


def in_order(store: Store, found: Iterable[Rec]) -> list[Rec]:
    """Return records that are named by when they were written, in the order of their writing.

    Where there is no clock, names tell that of one writer at most.
    """
    return list(found) if store.caps.clock else sorted(found, key=lambda rec: rec.rev or 0)


def _by_time(store: Store, letters: Iterable[Message], made: Iterable[Message]) -> list[Message]:
    """Return letters and offers as they were sent; without a clock, as they were written."""
    found = [*letters, *made]
    if store.caps.clock:
        found.sort(key=lambda one: (one.sent_at, one.id))
    return found


def _publish(store: Store, instance: str, ids: Sequence[str], *, joined: bool = False) -> None:
    name, _ = messages.stamped(store)
    document: dict[str, object] = {"schema": 1, "nonce": name, "ids": list(ids)}
    if joined:
        document["joined"] = True
    value = json.dumps(document, separators=(",", ":"))
    store.create(f"{keys.read(instance)}/{name}", value.encode() + b"\n")


def _join(store: Store, instance: str) -> None:
    """Put many receipts into few, but the last; the new ones stand before the old ones go."""
    old = in_order(store, store.list(keys.read(instance)))[:-1]
    small = [rec for rec in old if len(ids(rec)) < _ROOM]
    if len(small) <= _RECEIPTS:
        return
    every = sorted({name for rec in small for name in ids(rec)})
    for start in range(0, len(every), _ROOM):
        _publish(store, instance, every[start : start + _ROOM], joined=True)
    for rec in small:
        store.delete(rec.key, rec.value)


def _is_joined(rec: Rec) -> bool:
    return peerjson.document(rec.value).get("joined") is True


def ids(rec: Rec) -> set[str]:
    """Return the messages that a receipt names."""
    try:
        found = peerjson.document(rec.value)["ids"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return set()
    return {name for name in found if isinstance(name, str)} if isinstance(found, list) else set()
