"""Events as bytes: one line of JSON, read back with nothing taken on trust.

A record may be empty, torn, or written by something else: whatever does not decode whole is an
``unreadable`` event, which the layer above shows as held by unknown.
"""

from __future__ import annotations

import json
from typing import Any

from coord.board import keys, peerjson
from coord.board.events import Event, Place, State
from coord.board.offer import Offer
from coord.liveness.process import Process

SCHEMA = 1
_EVENT_KEYS = Event._fields[:-2]  # in the order of the record
_KNOWN = frozenset({"schema", "state", *_EVENT_KEYS})
_TEXT = {str}
_MAYBE_TEXT = {str, type(None)}
_ISSUE = {str, int, type(None)}


class Foreign(ValueError):
    """Bytes that are no event of this scope."""


def encode(event: Event) -> bytes:
    """Return the record of `event`."""
    document: dict[str, object] = {"schema": SCHEMA}
    document |= {key: getattr(event, key) for key in _EVENT_KEYS}
    document |= event.details
    document["state"] = _state_document(event.state)
    return json.dumps(document, separators=(",", ":")).encode() + b"\n"


def decode(value: bytes, folder: str, seq: int) -> Event:
    """Return the event in `value`, which was found as number `seq` below the key `folder`.

    Raises:
        Foreign: it is not one.
    """
    try:
        document = peerjson.document(value)
        if document["schema"] != SCHEMA or document["seq"] != seq:
            raise Foreign(folder)
        if keys.claim(document["scope"]) != folder:
            raise Foreign(folder)
        return _event(document)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise Foreign(folder) from error


def is_event(value: bytes, nonce: str) -> bool:
    """Tell whether `value` is the record of the event with `nonce`."""
    try:
        return bool(peerjson.document(value)["nonce"] == nonce)
    except (ValueError, LookupError, TypeError, RecursionError):
        return False


def place(one: Place) -> dict[str, object]:
    """Return a place with what is known of it; what is not said takes no room."""
    found = one._asdict()
    if one.process is not None:
        found["process"] = one.process._asdict()
    if one.command is not None:
        found["command"] = one.command._asdict()
    always = ("actor", "instance", "branch", "since")
    return {name: item for name, item in found.items() if item or name in always}


def nonce_of(value: bytes) -> str:
    """Return what stands for the nonce of an unreadable record."""
    import hashlib  # noqa: PLC0415  # 2 ms, for broken boards only

    return "unreadable-" + hashlib.sha256(value).hexdigest()[:16]


# What comes out of JSON is Any until its type is looked at, a set of types at a time and not a call
# a field: a board may have ten thousand records, and a person waits for it.
def _event(found: dict[str, Any]) -> Event:
    event = Event(
        found["seq"],
        found["nonce"],
        found["after"],
        found["kind"],
        found["scope"],
        found["actor"],
        found["instance"],
        found["at"],
        _state(found["state"]),
        {key: item for key, item in found.items() if key not in _KNOWN},
    )
    seq, nonce, after, kind, _, actor, instance, at, *_ = event
    _require(type(seq) is int and seq > 0 and {type(after), type(instance)} <= _MAYBE_TEXT)
    _require({type(nonce), type(kind), type(actor), type(at)} == _TEXT)
    return event


def _state(found: Any) -> State:  # noqa: ANN401
    state = State(
        generation=found["generation"],
        line=tuple(map(_place, found["line"])),
        paused_at=found.get("paused_at"),
        finished_at=found.get("finished_at"),
        finished_tip=found.get("finished_tip"),
        offers=tuple(map(_offer, found.get("offers", ()))),
        paused_why=found.get("paused_why"),
    )
    _require(type(found["line"]) is list and type(state.paused_at) in _MAYBE_TEXT)
    _require(
        {type(state.finished_at), type(state.finished_tip), type(state.paused_why)} <= _MAYBE_TEXT
    )
    _require(type(state.generation) is int and state.generation >= 0)
    return state


def _offer(found: Any) -> Offer:  # noqa: ANN401
    to = tuple(found["to"])
    offer = Offer(found["id"], to, found["name"], found["note"], found["at"], found["source"])
    _require(to and set(map(type, (*to, offer.id, *offer[2:]))) == _TEXT)
    return offer


def _place(found: Any) -> Place:  # noqa: ANN401
    get, process = found.get, found.get("process")
    place = Place(
        found["actor"],
        found["instance"],
        found["branch"],
        found["since"],
        get("issue"),
        get("session"),
        get("intent"),
        tuple(get("paths", ())),
        None if process is None else _process(process),
        get("run") is True,
        get("on_behalf") is True,
        get("tip"),
        get("renewed"),
        None if get("command") is None else _process(found["command"]),
        get("nonce"),
        tuple(get("within", ())),
        get("words"),
        get("clone"),
        get("by"),
    )
    actor, instance, branch, since, issue, session, intent, paths, *_ = place
    more = (place.tip, place.renewed, place.nonce, place.words, place.clone, place.by)
    _require(type(actor) is str and type(since) is str and type(issue) in _ISSUE)
    _require(set(map(type, (instance, branch, session, intent, *more))) <= _MAYBE_TEXT)
    _require(not paths or set(map(type, paths)) == _TEXT)
    _require(not place.within or set(map(type, place.within)) == _TEXT)
    return place


def _process(found: Any) -> Process:  # noqa: ANN401
    process = Process(found["host"], found["boot"], found["pid"], found["start"], found["name"])
    host, boot, pid, start, name = process
    _require({type(host), type(boot), type(start), type(name)} == _TEXT)
    _require(type(pid) is int and pid >= 0)
    return process


def _require(truth: object) -> None:
    if not truth:
        raise TypeError


def _state_document(state: State) -> dict[str, object]:
    found: dict[str, object] = {
        "generation": state.generation,
        "line": [place(one) for one in state.line],
        "paused_at": state.paused_at,
    }
    if state.offers:
        found["offers"] = [offer._asdict() for offer in state.offers]
    names = ("finished_at", "finished_tip", "paused_why")
    marks = {name: getattr(state, name) for name in names}
    return found | {name: text for name, text in marks.items() if text is not None}
