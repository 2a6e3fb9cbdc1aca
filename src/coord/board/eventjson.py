"""Events as bytes: one line of JSON, read back with nothing taken on trust.

A record may be empty, torn, or written by something else: whatever does not decode whole is an
``unreadable`` event, which the layer above shows as held by unknown.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from coord.base import peerjson
from coord.board import linejson
from coord.board.events import Event, State
from coord.board.line import Part
from coord.board.offer import Offer
from coord.stores import keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.board.line import Place
    from coord.board.linejson import Page

SCHEMA = 1
_EVENT_KEYS = Event._fields[:8]  # in the order of the record
_KNOWN = frozenset({"schema", "state", *_EVENT_KEYS})
_TEXT = {str}
_MAYBE_TEXT = {str, type(None)}


class Foreign(ValueError):
    """Bytes that are no event of this scope."""

    denied: str | None = None


class Closed(Foreign):
    """Part of an event's line is in a record that is `denied` to us, by whom and how."""

    def __init__(self, denied: str) -> None:
        super().__init__(denied)
        self.denied = denied


def encode(event: Event, before: Event | None = None) -> bytes:
    """Return the record of `event`, which was decided on `before`, an event as it was read.

    Of what records below hold of its line it says which they are; without `before` it holds all.
    """
    document: dict[str, object] = {"schema": SCHEMA}
    document |= {key: getattr(event, key) for key in _EVENT_KEYS}
    document |= event.details
    document["state"] = _state_document(event.state, before)
    return json.dumps(document, separators=(",", ":")).encode() + b"\n"


def decode(
    value: bytes, folder: str, seq: int, page: Callable[[int], Page | None] = lambda _: None
) -> Event:
    """Return the event in `value`, which was found as number `seq` below the key `folder`.

    Args:
        value: the record.
        folder: the prefix of the scope's events.
        seq: its number.
        page: what a record below holds of the line (:func:`coord.board.linejson.decoded`).

    Raises:
        Foreign: it is not one.
        Closed: `page` says so.
    """
    try:
        return _event(_document(value, folder, seq), page)
    except Foreign:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise Foreign(folder) from error


def held(value: bytes, folder: str, seq: int) -> Page:
    """Return what the record of an event holds of its line itself.

    Raises:
        Foreign: it is none.
    """
    try:
        found = _document(value, folder, seq)
        _require(type(found["nonce"]) is str)
        return linejson.Page(found["nonce"], linejson.places(found["state"]["line"]))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise Foreign(folder) from error


def _document(value: bytes, folder: str, seq: int) -> dict[str, Any]:
    document: dict[str, Any] = peerjson.document(value)
    _require(document["schema"] == SCHEMA and document["seq"] == seq)
    _require(keys.claim(document["scope"]) == folder)
    return document


def is_event(value: bytes, nonce: str) -> bool:
    """Tell whether `value` is the record of the event with `nonce`."""
    try:
        return bool(peerjson.document(value)["nonce"] == nonce)
    except (ValueError, LookupError, TypeError, RecursionError):
        return False


def nonce_of(value: bytes) -> str:
    """Return what stands for the nonce of an unreadable record."""
    import hashlib  # noqa: PLC0415  # 2 ms, for broken boards only

    return "unreadable-" + hashlib.sha256(value).hexdigest()[:16]


# What comes out of JSON is Any until its type is looked at, a set of types at a time and not a call
# a field: a board may have ten thousand records, and a person waits for it.
def _event(found: dict[str, Any], page: Callable[[int], Page | None]) -> Event:
    own = Part(found["seq"], nonce=found["nonce"])
    line, parts = linejson.decoded(found["state"], own, found["at"], page)
    event = Event(
        found["seq"],
        found["nonce"],
        found["after"],
        found["kind"],
        found["scope"],
        found["actor"],
        found["instance"],
        found["at"],
        _state(found["state"], line),
        {key: item for key, item in found.items() if key not in _KNOWN},
        parts,
    )
    seq, nonce, after, kind, _, actor, instance, at, *_ = event
    _require(type(seq) is int and seq > 0 and {type(after), type(instance)} <= _MAYBE_TEXT)
    _require({type(nonce), type(kind), type(actor), type(at)} == _TEXT)
    return event


def _state(found: Any, line: tuple[Place, ...]) -> State:  # noqa: ANN401
    state = State(
        generation=found["generation"],
        line=line,
        paused_at=found.get("paused_at"),
        finished_at=found.get("finished_at"),
        finished_tip=found.get("finished_tip"),
        offers=tuple(map(_offer, found.get("offers", ()))),
        paused_why=found.get("paused_why"),
    )
    marks = (state.paused_at, state.finished_at, state.finished_tip, state.paused_why)
    _require(set(map(type, marks)) <= _MAYBE_TEXT)
    _require(type(state.generation) is int and state.generation >= 0)
    return state


def _offer(found: Any) -> Offer:  # noqa: ANN401
    to = tuple(found["to"])
    offer = Offer(found["id"], to, found["name"], found["note"], found["at"], found["source"])
    _require(to and set(map(type, (*to, offer.id, *offer[2:]))) == _TEXT)
    return offer


def _require(truth: object) -> None:
    if not truth:
        raise TypeError


def _state_document(state: State, before: Event | None) -> dict[str, object]:
    found: dict[str, object] = {
        "generation": state.generation,
        **linejson.document(state.line, before),
        "paused_at": state.paused_at,
    }
    if state.offers:
        found["offers"] = [offer._asdict() for offer in state.offers]
    names = ("finished_at", "finished_tip", "paused_why")
    marks = {name: getattr(state, name) for name in names}
    return found | {name: text for name, text in marks.items() if text is not None}
