"""Publishing later what a server did not answer: the same bytes, or the same decision made anew.

The key is read first. Ours stands: it was published after all. Another's: what was decided is
decided again on what is true now. Nothing is published twice, by whomever and however often.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.board import claims, eventjson, events, handover, letters, view
from coord.identity.whoami import Identity
from coord.stores import keys, retired

if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.board.events import Change, Event, Place, State
    from coord.board.roll import Roll
    from coord.stores.outbox import Entry
    from coord.stores.store import Store

_CLAIMS = frozenset({"claim", "wait", "adopt", "update"})
_GETS = frozenset({"claim", "adopt"})  # what may make its worker the holder
_NOTHING = "nothing is left of it to do"


def settle(store: Store, roll: Roll, entry: Entry) -> str:
    """Publish a record, or what became of it; return how that ended, in a few words.

    Raises:
        StoreError: it is not known whether that was done; doing it again is safe.
    """
    key, value, *_ = entry.pending
    if not key.startswith("claims/"):
        done = letters.publish(store, key, value)
        return "it is sent" if done else "something was sent in its place meanwhile"
    try:
        event = eventjson.decode(value, entry.folder, keys.seq_of(key))
    except eventjson.Foreign:
        return "it is dropped: it cannot be read"
    if _is_published(store, entry):
        return _told(claims.read(store, entry.folder, value, event.seq))
    return _anew(store, roll, event)


def claimed(entry: Entry) -> str:
    """Return the scope that a record takes a place in; empty where it does something else."""
    key, value, *_ = entry.pending
    try:
        event = eventjson.decode(value, entry.folder, keys.seq_of(key))
    except eventjson.Foreign:
        return ""
    return event.scope if event.kind in {"claim", "wait"} else ""


def _is_published(store: Store, entry: Entry) -> bool:
    """Tell whether the very record stands, by now or since its answer was lost."""
    key, value, after, also = entry.pending
    there = store.read(key)
    if there is None:
        if after is None and retired.mark(store) != keys.seq_of(key) - 1:
            return False
        there = store.append(key, value, after, also)
    return there is not None and there.value == value


def _told(event: Event) -> str:
    """Return that `event` is published, and which place its worker has by it, if any."""
    said = "it is published"
    behind = _behind(event.state, event)
    if behind:
        return f"{said}: {view.owner(event.state, event.instance)}{behind}"
    is_got = event.kind in _GETS and view.is_held_by(event.state, event.instance)
    return f"{said}, and nobody was before it" if is_got else said


def _anew(store: Store, roll: Roll, event: Event) -> str:
    """Decide again what `event` has decided on a state that is past."""
    me = Identity(event.actor, event.instance, "pinned", None)
    done = claims.change(store, event.scope, me, lambda state: _decided(store, state, roll, event))
    owner = view.owner(done.state, event.instance)
    if done.event is None:
        return f"{_NOTHING}: {owner}"
    behind = _behind(done.state, event)
    return f"others were before it, and it is done anew: {owner}{behind}"


def _behind(state: State, event: Event) -> str:
    """Return which number the worker of a claim is, as what follows the owner; empty of others."""
    at = [one.instance for one in state.line].index(event.instance) if _is_claim(event) else 0
    return f", and {event.actor} is number {at + 1}" if at else ""


def _is_claim(event: Event) -> bool:
    return event.kind in _CLAIMS


def _decided(store: Store, state: State, roll: Roll, event: Event) -> Change | None:
    """Return what the decision of `event` makes of `state`; None where it makes nothing of it."""
    instance = event.instance or ""
    if _is_claim(event):
        return events.joined(state, _made(store, event), roll.is_dead, roll.is_finished)
    if event.kind == "release":
        gone = _given_up(event, roll, _had(store, event))
        return events.left(state, gone, roll.is_dead, roll.rank(event.scope))
    if not view.is_held_by(state, instance):
        return None
    if event.kind == "offer":
        offer = handover.standing(event.state, event.nonce)
        return None if offer is None else handover.offered(state, offer)
    if event.kind == "pause":
        why = event.state.paused_why or ""
        return handover.paused(state, instance, event.state.paused_at or event.at, why)
    return handover.resumed(state, instance) if event.kind == "resume" else None


def _made(store: Store, event: Event) -> Place:
    """Return the place that a claim has made, or said something new of."""
    mine, had = event.state.places_of(event.instance or ""), _had(store, event)
    new = mine if had is None else [one for one in mine if one not in had.line]
    return max(new or mine, key=lambda one: one.renewed or one.since)


def _given_up(event: Event, roll: Roll, had: State | None) -> Callable[[Place], bool]:
    kept = _places(event.state, event)
    before = None if had is None else _places(had, event)

    def gives_up(place: Place) -> bool:
        """Tell whether a place is one that was given up: not a later one, nor of a run at work."""
        # Where what it was decided on is kept no more, a clock that was set in between may hide it.
        was_there = place.since <= event.at if before is None else _mark(place) in before
        mine = place.instance == event.instance and was_there and _mark(place) not in kept
        return mine and (not place.run or roll.is_dead(place))

    return gives_up


def _places(state: State, event: Event) -> set[tuple[object, ...]]:
    return set(map(_mark, state.places_of(event.instance or "")))


def _mark(place: Place) -> tuple[object, ...]:
    return place.branch, place.since, place.nonce


def _had(store: Store, event: Event) -> State | None:
    """Return the state that an event was decided on; None where it is kept no more."""
    folder, seq = keys.claim(event.scope), event.seq - 1
    rec = store.read(keys.event(folder, seq)) if event.after else None
    try:
        found = None if rec is None else claims.read(store, folder, rec.value, seq)
    except eventjson.Foreign:
        return None
    is_it = found is not None and found.nonce == event.after and found.is_whole()
    return found.state if found is not None and is_it else None
