"""The one loop that changes a scope: read the top, decide, create the next, check the chain.

``create`` lets one event have each number, so the loop is a compare-and-set on the whole state.
A win alone proves nothing: a stalled writer may create a number again that compaction has taken
away, far below a newer top. So a win counts only while the chain from it upwards is unbroken.

A long line stands in several records (``coord.board.linejson``). An event names such as the event
it was decided on names, or holds; so whatever the top names is named or above in all that follow,
and compaction leaves it, however late it comes.
"""

from __future__ import annotations

import bisect
import os
import time
from functools import cache, partial
from typing import TYPE_CHECKING

from coord.base.errors import Refused
from coord.base.frozen import NamedTuple
from coord.base.names import quote
from coord.board import eventjson, notices, sweep
from coord.board.events import UNKNOWN, Event, State, unknown
from coord.identity import pin
from coord.stores import keys, retired
from coord.stores.store import StoreError, Unavailable, Unknown, not_permitted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from coord.board.events import Change
    from coord.board.linejson import Page
    from coord.identity.whoami import Identity
    from coord.stores.store import Rec, Store

PATIENCE = 30.0
_LEAST = 8  # tries, each of which may take a clone's turn to push
_COMPACT_EVERY, _SWEEP_EVERY = 32, 16
_MOST_KEPT = 1000  # events of one scope
_DENIED = "denied"  # of an event that another user has closed to us: who, and how


class Outcome(NamedTuple):
    """How a change ended: the scope's state, and the event that made it so, if it took one."""

    state: State
    event: Event | None


def top(store: Store, scope: str) -> Event | None:
    """Return the newest event of `scope`, whose state is the scope's; None when never claimed."""
    return _top(store, keys.claim(scope), scope)


def next_after(store: Store, newest: Event | None) -> int:
    """Return the number of the event after `newest`; of the first one where there is none."""
    return 1 + (retired.mark(store) if newest is None else newest.seq)


def state(store: Store, scope: str) -> State:
    """Return what is true of `scope` now."""
    newest = top(store, scope)
    return State() if newest is None else newest.state


def tops(store: Store) -> Iterator[Event]:
    """Yield the newest event of every scope that was ever claimed, by key."""
    yield from _newest(store, store.last("claims"))


def taken(store: Store) -> Iterator[Event]:
    """Yield :func:`tops`, maybe without scopes that nobody has, waits for, or is offered.

    To show what is: where something is decided on it, all are read.
    """
    yield from _newest(store, store.last("claims", but=_is_free))


def _is_free(rec: Rec) -> bool:
    """Tell whether an event leaves a scope to nobody; what cannot be read leaves it to unknown."""
    try:
        event = eventjson.decode(rec.value, rec.key.rpartition("/")[0], keys.seq_of(rec.key))
    except eventjson.Foreign:
        return False
    return event.is_whole() and not (event.state.line or event.state.offers)


def _newest(store: Store, recs: Iterable[Rec]) -> Iterator[Event]:
    for rec in recs:
        folder, seq = rec.key.rpartition("/")[0], keys.seq_of(rec.key)
        try:
            found: Event | None = eventjson.decode(
                rec.value, folder, seq, partial(_held, store, folder)
            )
        except eventjson.Foreign as error:
            if rec.denied or error.denied:
                yield _unreadable(rec, folder, None, State(), error.denied)
                continue
            found = None
        if found is None or not found.is_whole():
            found = _top(store, folder, None)  # torn, or no event's at all, or the top no more
        if found is not None:
            yield found


def history(store: Store, scope: str) -> list[Event]:
    """Return the events of `scope` that are kept, oldest first.

    One of whose line a part is kept no more is only that part of a later one's.
    """
    folder = keys.claim(scope)
    numbers = _numbers(store, folder)
    held = cache(partial(_held, store, folder))
    found = [_event(store, folder, numbers, at, scope, held=held) for at in range(len(numbers))]
    there = [event for event in found if event is not None]
    return [one for one in there if one.is_whole() or one.kind == "unreadable" or one is there[-1]]


def read(store: Store, folder: str, value: bytes, seq: int) -> Event:
    """Return the event in `value`, which is number `seq` below `folder`, with its whole line.

    Raises:
        eventjson.Foreign: it is none.
    """
    return eventjson.decode(value, folder, seq, partial(_held, store, folder))


def began(store: Store, scope: str) -> float | None:
    """Return when the store got the first event of `scope`; None once that was compacted."""
    rec = store.read(keys.event(keys.claim(scope), 1))
    return None if rec is None else rec.at


def change(
    store: Store, scope: str, me: Identity, decide: Callable[[State], Change | None]
) -> Outcome:
    """Publish what `decide` makes of the state.

    `decide` is asked again whenever somebody else was first; None leaves the scope as it is.

    Raises:
        Unavailable: others were first for half a minute on end and several times, or have closed
            the newest event to us: what it says is not known, and is not written over.
        Unknown: the event may stand.
        Refused: one record cannot hold what changes in the line.
    """
    deadline, tries = time.monotonic() + PATIENCE, 0
    while tries < _LEAST or time.monotonic() < deadline:
        tries += 1
        newest = top(store, scope)
        height = retired.mark(store) if newest is None else 0
        before = State(generation=height) if newest is None else newest.state
        if newest is not None and _DENIED in newest.details and newest.kind == "unreadable":
            raise not_permitted("the claim may not be read", scope, str(newest.details[_DENIED]))
        try:
            wanted = decide(before)
        except Refused:
            if store.fresh():
                raise
            continue  # no refusal, nor "it is yours already", is an answer of an old copy
        if wanted is None:
            if store.fresh():
                return Outcome(before, None)
            continue
        event = _next(newest, height, scope, me, wanted)
        if event.seq >= keys.MOST:
            raise _spent(scope)
        if _published(store, before, event, newest):
            return Outcome(event.state, event)
    raise Unavailable(
        "store-unavailable",
        f"{scope} is changed by others without a pause",
        where=scope,
        why=f"{tries} times in {PATIENCE:.0f} seconds or more others were first",
        run=f"git coord log {quote(scope)}",
    )


def _spent(scope: str) -> Unavailable:
    return Unavailable(
        "store-unavailable",
        f"{scope} has no numbers left",
        where=scope,
        why=f"a record of it has the number {keys.MOST - 1}, which no count of ours reaches",
        run="git coord doctor",
    )


def _next(newest: Event | None, height: int, scope: str, me: Identity, wanted: Change) -> Event:
    return Event(
        seq=1 + (height if newest is None else newest.seq),
        nonce=wanted.nonce or os.urandom(8).hex(),
        after=None if newest is None else newest.nonce,
        kind=wanted.kind,
        scope=scope,
        actor=me.actor,
        instance=me.instance,
        at=pin.now(),
        state=wanted.state,
        details=wanted.details,
    )


def _published(store: Store, before: State, event: Event, newest: Event | None) -> bool:
    """Publish `event`, decided on `newest`, and with it what others are to be told of it."""
    with store.writing():
        if not (_stands(store, event, newest) and _created(store, before, event, newest)):
            return False
    _tidied(store, event)
    return True


def _stands(store: Store, event: Event, newest: Event | None) -> bool:
    """Tell whether what was decided on was not swept away since: a scope begins above the mark."""
    if newest is None:
        return retired.mark(store) == event.seq - 1
    return store.read(keys.event(keys.claim(event.scope), newest.seq)) is not None


def _created(store: Store, before: State, event: Event, newest: Event | None) -> bool:
    folder = keys.claim(event.scope)
    key, value = keys.event(folder, event.seq), eventjson.encode(event, newest)
    if len(value) > store.caps.max_value:
        raise _full(event, len(before.line))
    after = None if event.after is None else keys.event(folder, event.seq - 1)
    told = notices.of(before, event)
    there = store.append(key, value, after, told)
    if there is None or there.value != value:
        return False
    if not _proved(store, folder, event):
        store.delete(key, value)
        notices.withdraw(store, told)
        return False
    return True


def _tidied(store: Store, event: Event) -> None:
    """Clear up, at some events; where that fails, what was published stands all the same."""
    try:
        if event.seq % _COMPACT_EVERY == 0:
            compact(store, keys.claim(event.scope))
        if int(event.nonce[:2], 16) % _SWEEP_EVERY == 0:
            sweep.scopes(store)
    except (StoreError, ValueError):
        return


def _full(event: Event, places: int) -> Refused:
    return Refused(
        "line-full",
        f"a record has no room for what changes in the line for {event.scope}",
        where=event.scope,
        why=f"{places} have a place in it; say less of this one, or split the work",
        run=f"git coord show {quote(event.scope)}",
    )


def _proved(store: Store, folder: str, event: Event) -> bool:
    """Return :func:`_unbroken`, with a failure told as what it is now: the event stands.

    Raises:
        Unknown: the store failed.
    """
    try:
        return _unbroken(store, folder, event)
    except Unavailable as error:
        raise Unknown(
            error.rule,
            f"{event.scope} was written, but could not be read again",
            where=error.where,
            why=error.why,
            run=f"git coord log {quote(event.scope)}",
        ) from error


def _unbroken(store: Store, folder: str, event: Event) -> bool:
    """Tell whether every record from the predecessor of `event` to the top follows on the last."""
    numbers = _numbers(store, folder)
    if not numbers:
        return False  # the board was moved away in between
    if numbers[-1] == event.seq:
        return True  # the top is never deleted, so what it was decided on was the top
    after = event.nonce
    for seq in range(event.seq + 1, numbers[-1] + 1):
        rec = store.read(keys.event(folder, seq))
        if rec is None:
            return False
        try:
            later = eventjson.decode(rec.value, folder, seq)
        except eventjson.Foreign:
            after = eventjson.nonce_of(rec.value)
            continue
        if later.after != after:
            return False
        after = later.nonce
    return True


def compact(store: Store, folder: str, most: int = sweep.PORTION) -> int:
    """Delete history below the newest record that is older than a week; never the top.

    Nor is more kept of a week than its newest thousand, and what lines name. A portion at a time,
    the lowest first. Only where the store stamps records: by a writer's clock, a week can be a
    moment. Return how many records went.
    """
    now = store.now()
    if now is None:
        return 0
    numbers = _numbers(store, folder)

    def is_old(seq: int) -> bool:
        rec = store.read(keys.event(folder, seq))
        return rec is None or (rec.at is not None and now - rec.at > sweep.KEPT_FOR)

    old = bisect.bisect_left(numbers[:-1], 1, key=lambda seq: not is_old(seq))
    spare = max(old - 1, len(numbers) - _MOST_KEPT)
    named = _named(store, folder, numbers, spare) if spare > 0 else None
    if named is None:
        return 0
    below = [seq for seq in numbers[:spare] if seq not in named][:most]
    if below:
        notices.disprove(store, {folder: keys.MOST})
        store.take([[keys.event(folder, seq)] for seq in below])
    return len(below)


def _named(store: Store, folder: str, numbers: list[int], lowest: int) -> set[int] | None:
    """Return the records that the top names, and the lowest event that is kept for history.

    None where one of them cannot be read; nothing goes then.
    """
    found: set[int] = set()
    for at in (lowest, len(numbers) - 1):
        event = _event(store, folder, numbers, at, None)
        if event is None or not event.is_whole():
            return None
        found |= {part.seq for part in event.parts}
    return found


def _numbers(store: Store, folder: str) -> list[int]:
    found = (keys.seq_of(rec.key) for rec in store.list(folder, values=False))
    return sorted(seq for seq in found if seq)


def _top(store: Store, folder: str, scope: str | None) -> Event | None:
    """Return the newest event below `folder`.

    What the top names is there. Where something is not, there is a newer one by now; or else it
    was not us who took it away, and one of nobody's stands for those places.
    """
    numbers = _numbers(store, folder)
    while numbers:
        found = _event(store, folder, numbers, len(numbers) - 1, scope)
        seen, numbers = numbers[-1], _numbers(store, folder) if _is_in_doubt(found) else numbers
        if found is not None and numbers and numbers[-1] == seen:
            return found
    return None


def _is_in_doubt(found: Event | None) -> bool:
    return found is None or not found.is_whole()


def _event(
    store: Store,
    folder: str,
    numbers: list[int],
    at: int,
    scope: str | None,
    *,
    held: Callable[[int], Page | None] | None = None,
) -> Event | None:
    """Return event number `numbers[at]`; None when it has been compacted meanwhile."""
    rec = store.read(keys.event(folder, numbers[at]))
    if rec is None:
        return None
    held = held or partial(_held, store, folder)
    try:
        return eventjson.decode(rec.value, folder, numbers[at], held)
    except eventjson.Foreign as error:
        before = _before(store, folder, numbers[:at])
        return _unreadable(rec, folder, scope, before, error.denied)


def _held(store: Store, folder: str, seq: int) -> Page | None:
    """Return what record `seq` holds of a line; None where it is away or cannot be read.

    Raises:
        eventjson.Closed: it is closed to us.
    """
    rec = store.read(keys.event(folder, seq))
    if rec is None:
        return None
    if rec.denied:
        raise eventjson.Closed(rec.denied)
    try:
        return eventjson.held(rec.value, folder, seq)
    except eventjson.Foreign:
        return None


def _before(store: Store, folder: str, numbers: list[int]) -> State:
    """Return the state of the newest record below an unreadable one that can be read."""
    for seq in reversed(numbers):
        rec = store.read(keys.event(folder, seq))
        if rec is None:
            continue
        try:
            return eventjson.decode(rec.value, folder, seq, partial(_held, store, folder)).state
        except eventjson.Foreign:
            continue
    return State()


def _unreadable(
    rec: Rec, folder: str, scope: str | None, before: State, denied: str | None
) -> Event:
    at, denied = stamp(rec.at), rec.denied or denied
    return Event(
        seq=keys.seq_of(rec.key),
        nonce=eventjson.nonce_of(rec.value),
        after=None,
        kind="unreadable",
        scope=scope or keys.guessed(folder.rpartition("/")[2]),
        actor=UNKNOWN,
        instance=None,
        at=at,
        state=unknown(at, before),
        details={_DENIED: denied} if denied else {},
    )


def stamp(seconds: float | None) -> str:
    """Return a store's stamp as RFC 3339 UTC with microseconds."""
    return pin.now() if seconds is None else pin.at(seconds)
