"""What a worker has to be told at its next command: a claim lost, a claim that became its own.

    notices/<instance>/<event's nonce>   {"schema": 1, "kind", "scope", "seq", "by", …}

One listing of an empty folder is all that a command pays when there is nothing. A notice is
written *before* its event: a writer killed in between leaves a notice of nothing, which its reader
sees through; the other order would leave a holder who never learns that it is none.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from coord.base import peerjson
from coord.base.frozen import NamedTuple
from coord.board import eventjson
from coord.identity import pin
from coord.stores import keys, retired
from coord.stores.store import CLOSED, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from coord.board.events import Event, Place, State
    from coord.stores.store import Rec, Store

# A notice whose event has not come by then was left by a killed writer.
_PATIENCE = 60.0
_EVENTLESS = frozenset({"circle", "published"})  # told of what no event has made so
_GIVEN = frozenset({"yours", "offered"})  # whoever had nothing before loses nothing with them


class Notice(NamedTuple):
    """Something to be told.

    Attributes:
        rec: its record, to delete once told.
        kind: ``lost``, ``passed-over``, ``adopted``, ``accepted``, ``offered``, ``landed``,
            ``yours``, ``circle`` or ``published``; of a mere place in line ``adopted-place``,
            ``landed-place``.
        scope: canonical scope.
        by: actor who did it.
        at: when, by that actor's clock.
        generation: the scope's, from then on.
        reason: why, in that actor's words; empty where none was asked for.
        shipped: what that actor has shipped there, a line a move.
    """

    rec: Rec
    kind: str
    scope: str
    by: str
    at: str
    generation: int
    reason: str
    shipped: str = ""

    @property
    def event(self) -> str:
        """The nonce of the event it tells of."""
        return self.rec.key.rpartition("/")[2]


def concerned(before: State, event: Event) -> dict[str, str]:
    """Return {instance: kind} of those whom `event` takes a place from, makes holder or offers."""
    line = event.state.line
    kept = {(place.instance, place.branch, place.nonce) for place in line}
    found = {
        place.instance: _kind(place, before, event)
        for place in reversed(before.line)  # a holder's run goes with its claim: that says more
        if place.instance is not None and (place.instance, place.branch, place.nonce) not in kept
    }
    if line and line[0].instance is not None and not _held(before, line[0]):
        found[line[0].instance] = "yours"
    for offer in event.state.offers:
        if offer.id == event.nonce:
            found |= dict.fromkeys(offer.to, "offered")
    return {instance: kind for instance, kind in found.items() if instance != event.instance}


def of(before: State, event: Event) -> list[tuple[str, bytes]]:
    """Return the notices of `event`, keys and values, to be created with it."""
    return [
        (
            f"{keys.notices(instance)}/{event.nonce}",
            json.dumps(_document(kind, event)).encode() + b"\n",
        )
        for instance, kind in concerned(before, event).items()
    ]


def tell(
    store: Store, instance: str, kind: str, *, scope: str, by: str, reason: str, once: str = ""
) -> None:
    """Tell `instance` of something that no event has made so; of what is named `once`, once."""
    key = f"{keys.notices(instance)}/{once or os.urandom(8).hex()}"
    said = {"kind": kind, "scope": scope, "by": by, "reason": reason}
    document = {"schema": 1, **said, "seq": 0, "at": pin.now(), "generation": 0}
    store.create(key, json.dumps(document).encode() + b"\n")


def withdraw(store: Store, made: Iterable[tuple[str, bytes]]) -> None:
    """Take back the notices of an event that was not to be."""
    for key, value in made:
        store.delete(key, value)


def unread(store: Store, instance: str) -> list[Notice]:
    """Return what `instance` has not been told yet; notices of nothing are deleted."""
    found = []
    for rec in store.list(keys.notices(instance)):
        notice = _decoded(store, rec)
        if notice is not None:
            found.append(notice)
        elif _is_idle(store, rec):
            store.delete(rec.key, rec.value)
    if not store.caps.clock:  # who wrote them may have clocks that are years apart
        return sorted(found, key=lambda notice: notice.rec.rev or 0)
    return sorted(found, key=lambda notice: notice.at)


def disprove(store: Store, ends: Mapping[str, float]) -> None:
    """Take away the notices of events that never came, while the records say so that are to go.

    Args:
        store: the board.
        ends: the scopes they are of, by folder, and the number above which surely none will come.
    """
    for folder in store.folders("notices"):
        try:
            for rec in store.list(folder):
                found = _read(rec)
                if found is not None and _is_of_nothing(store, *found, ends):
                    store.delete(rec.key, rec.value)
        except Unavailable as error:  # another user's: what it says is told as it would have been
            if error.rule != CLOSED:
                raise


def _is_of_nothing(store: Store, notice: Notice, seq: int, ends: Mapping[str, float]) -> bool:
    folder = keys.claim(notice.scope)
    if folder not in ends or notice.kind in _EVENTLESS:
        return False
    rec = store.read(keys.event(folder, seq))
    return seq > ends[folder] if rec is None else not eventjson.is_event(rec.value, notice.event)


def told(store: Store, notice: Notice) -> None:
    """Forget a notice that has been shown."""
    store.forget([notice.rec])


def _kind(place: Place, before: State, event: Event) -> str:
    held = place == before.holder
    if event.kind in {"adopt", "land"}:
        kind = "adopted" if event.kind == "adopt" else "landed"
        return kind if held else f"{kind}-place"
    if event.kind == "ack" and held:
        return "accepted"
    return "lost" if held else "passed-over"


def _held(before: State, place: Place) -> bool:
    holder = before.holder
    return holder is not None and holder.instance == place.instance


def _document(kind: str, event: Event) -> dict[str, object]:
    return {
        "schema": 1,
        "kind": kind,
        "scope": event.scope,
        "seq": event.seq,
        "by": event.actor,
        "at": event.at,
        "generation": event.state.generation,
        "reason": event.details.get("reason", ""),
        "shipped": event.details.get("shipped", ""),
    }


def _decoded(store: Store, rec: Rec) -> Notice | None:
    """Return the notice in `rec`; None when it is none, or its event has not come."""
    found = _read(rec)
    if found is None:
        return None
    notice, seq = found
    return notice if notice.kind in _EVENTLESS or _happened(store, notice, seq) else None


def _read(rec: Rec) -> tuple[Notice, int] | None:
    """Return the notice in `rec` and the number of its event; None when it is none."""
    try:
        found = peerjson.document(rec.value)
        text = {key: str(found[key]) for key in ("kind", "scope", "by", "at", "reason")}
        text["shipped"] = str(found.get("shipped", ""))
        seq = int(found["seq"])
        if not 0 <= seq < keys.MOST:
            return None
        return Notice(rec=rec, generation=int(found["generation"]), **text), seq
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _happened(store: Store, notice: Notice, seq: int) -> bool:
    """Tell whether event `seq` is that of `notice`, or so long past that it was compacted.

    Where a scope has no records, the mark stands for those that were swept; in one that has, its
    top is the last number given: before they went, what had not happened was disproved. What a
    swept scope gave is given no longer, and not told.
    """
    folder = keys.claim(notice.scope)
    rec = store.read(keys.event(folder, seq))
    if rec is not None:
        return eventjson.is_event(rec.value, notice.event)
    numbers = [keys.seq_of(other.key) for other in store.list(folder, values=False)]
    if any(numbers):
        return max(numbers) > seq
    return notice.kind not in _GIVEN and 0 < seq <= retired.mark(store)


def _is_idle(store: Store, rec: Rec) -> bool:
    """Tell whether the event of a notice should have come long ago.

    Without a clock that is told of none: its writer may be about to publish it.
    """
    now = store.now()
    return now is not None and rec.at is not None and now - rec.at > _PATIENCE
