"""Taking off the board workers that are gone, and messages that were read a month ago.

As ``coord.board.sweep``: in portions, alone or not at all. A worker goes when git has forgotten its
worktree, by proof that this reader has itself, and nothing is claimed by it or offered to it; what
was written for it or by it goes first. So does one without a pin whose processes have all ended,
with its instance. One that is unknown from here is never taken.

    gone/<instance>   {"schema": 1, "nonce"}: a sweep has seen it gone, and none has seen it since
"""

from __future__ import annotations

from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING

from coord.board import actors, claims, inbox, letters
from coord.board.sweep import PORTION, Done, some
from coord.identity import pin
from coord.liveness import former
from coord.stores import keys, retired

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from coord.board.actors import Actor
    from coord.board.events import Event, Place
    from coord.board.roll import Roll
    from coord.stores.store import Rec, Store

#: How long what was read is kept, and a worker after it went, in seconds.
KEPT_FOR = 30 * 86400
_DAY = 86400  # between the clock that stamps records and those of writers, at most
_GONE = "gone"
_OWN = (keys.notices, keys.messages, keys.letters, keys.posted, keys.read)


def workers(store: Store, roll: Roll, most: int = PORTION, look: int = PORTION) -> Done:
    """Take a portion of workers that are gone, with their mail; nothing where somebody writes.

    Args:
        store: the board.
        roll: what is known of workers.
        most: how many records at most.
        look: how many workers are looked at.
    """
    now = store.now()
    everyone = sorted(actors.every(store), key=lambda one: one.instance) if now is not None else []
    marked = {rec.key: rec for rec in store.list(_GONE)}
    # All that are marked too: of a mark, nobody else finds out that its worker is back.
    found = {one.instance: one for one in some(everyone, look)}
    found |= {one.instance: one for one in everyone if _gone(one.instance) in marked}
    gone = [one for one in found.values() if _has_gone(roll, one)]
    for key in marked.keys() - {_gone(one.instance) for one in gone}:  # back, or taken away
        store.delete(key, marked[key].value)
    if not gone:
        return Done(0, len(found))
    with store.alone() as alone:
        busy = _busy(store) if alone else None
        taken = 0
        for one in gone if busy is not None else ():
            if taken >= most:
                break
            if one.instance not in (busy or ()) and _is_long_gone(store, roll, one, marked, now):
                taken += _all_of(store, roll, one, most - taken)
        return Done(taken, len(found), alone)


def _gone(instance: str) -> str:
    return f"{_GONE}/{keys.escaped(keys.INSTANCE, instance)}"


def _has_gone(roll: Roll, one: Actor) -> bool:
    """Tell whether a worker is gone, or was none of its worktree's own and has ended."""
    status, home = roll.of(one.instance), roll.home(one)
    if status.gone or home is None:
        return status.gone
    has_ended = status.has_left or not former.has_signs(home, one.instance)
    return has_ended and former.is_former(home, one.instance)


def _is_long_gone(
    store: Store, roll: Roll, one: Actor, marked: Mapping[str, Rec], now: float | None
) -> bool:
    """Tell whether a worker was seen gone a month ago; mark one that is for the first time.

    Who has written something since was back, and what has come since may be read when it is.
    """
    mark = marked.get(_gone(one.instance))
    if mark is None:
        store.create(_gone(one.instance), retired.marker())
        return False
    folders = (make(one.instance) for make in _OWN)
    records = (rec for folder in folders for rec in store.list(folder))
    is_long = _is_old(mark.at, now) and all(_is_old(rec.at, now) for rec in records)
    return is_long and _is_silent(roll.home(one), one.instance, now)


def _is_silent(home: str | None, instance: str, now: float | None) -> bool:
    """Tell whether a worker has written nothing in its worktree either, looking once more."""
    try:
        last = None if home is None else former.newest(home, instance)
    except OSError:
        return False
    return last is None or _is_old(last, now)


def mail(store: Store, most: int = PORTION, look: int = PORTION) -> Done:
    """Take a portion of the messages that were read long ago, and receipts that name no other.

    Alone, since somebody who was stopped may look whether a letter stands, to deliver it.
    """
    now = store.now()
    found = some(store.folders("messages"), look) if now is not None else ()
    offers = cache(partial(_offered, store))  # for all folders, once one needs it
    taken = 0
    with store.alone() as alone:
        for folder in found if alone else ():
            if taken < most:
                taken += _read_in(store, folder, now or 0.0, most - taken, offers)
    return Done(taken, len(found), alone)


def strays(store: Store, roll: Roll, most: int = PORTION, look: int = PORTION) -> Done:
    """Take a portion of what is kept for workers that are none: they were taken away before it.

    Whoever acts here is on record, so that nobody comes for it; what is younger than a month stays.
    """
    now = store.now()
    if now is None or not _of_nobody(store):
        return Done(0, 0)
    roll.everyone()  # hooks pin without a word to the board
    found = some(_of_nobody(store), look)
    taken = 0
    with store.alone() as alone:
        busy = cache(partial(_busy, store))  # all scopes are read once something is old
        for folder in found if alone else ():
            records = list(store.list(folder))
            if (
                taken < most
                and all(_is_old(rec.at, now) for rec in records)
                and _is_idle(folder, busy())
            ):
                taken += _taken(store, records, most - taken)
                store.prune(folder)
    return Done(taken, len(found), alone)


def _of_nobody(store: Store) -> list[str]:
    """Return the folders of instances that are not on record."""
    known = {rec.key.partition("/")[2] for rec in store.list("actors", values=False)}
    tops = {make("").partition("/")[0] for make in _OWN}
    found = (folder for top in sorted(tops) for folder in store.folders(top))
    return [one for one in found if one != keys.PAIRS and one.partition("/")[2] not in known]


def _is_idle(folder: str, busy: Collection[str] | None) -> bool:
    names = {keys.escaped(keys.INSTANCE, one) for one in busy or ()}
    return busy is not None and folder.partition("/")[2] not in names


def posted(store: Store, most: int = PORTION, look: int = PORTION) -> Done:
    """Take a portion of what was sent once for claims that have ended; nothing where one writes.

    What was sent for a claim came after it: so what came before all that its sender has now, or for
    two claims of paths before all that declare any, was for others. Before is by the clock that
    stamps records; where there is none, in the order in which they were written.
    """
    now = store.now()
    found = some(store.folders("posted"), look) if now is not None else ()
    taken = 0
    with store.alone() as alone:
        # All scopes are read once something is old.
        ends = cache(partial(_before_began if store.caps.clock else _written_before, store))
        for folder in found if alone else ():
            old = (rec for rec in store.list(folder) if _is_old(rec.at, now))
            ended = (rec for rec in old if ends()(folder, rec))
            taken += _taken(store, ended, most - taken)
    return Done(taken, len(found), alone)


def _before_began(store: Store) -> Callable[[str, Rec], bool]:
    """Return what tells if a record came before the places of all who may post in its folder."""
    began: dict[str, str] = {}
    for _, folder, place in _posting(store):
        began[folder] = min(began.get(folder, place.since), place.since)

    def is_before(folder: str, rec: Rec) -> bool:
        at = began.get(folder)
        return not at or pin.at((rec.at or 0.0) + _DAY) < at

    return is_before


def _written_before(store: Store) -> Callable[[str, Rec], bool]:
    """Return what tells the same by the order of writing, where no clock stamps records."""
    began: dict[str, int] = {}
    for scope, folder, place in _posting(store):
        known = began.get(folder)
        if known != 0:
            written = _written(store, scope, place)
            began[folder] = written if known is None else min(known, written)
    return lambda folder, rec: folder not in began or (rec.rev or 0) < began[folder]


def _posting(store: Store) -> Iterator[tuple[str, str, Place]]:
    """Yield the places that there are, each with the folders that may be posted in for it."""
    for event in claims.tops(store):
        for place in event.state.line:
            own = keys.posted(place.instance or "")
            for folder in (own, keys.PAIRS) if place.paths else (own,):
                yield event.scope, folder, place


def _written(store: Store, scope: str, place: Place) -> int:
    """Return what was surely written before a place was taken; 0 where that is kept no more."""
    older = claims.history(store, scope)
    lacking = (
        one for one in reversed(older) if not any(_is_it(place, it) for it in one.state.line)
    )
    before = next((one for one in lacking if one.kind != "unreadable"), None)
    if before is None and older and older[0].after is None:
        before = older[0]  # the first of its scope
    rec = before and store.read(keys.event(keys.claim(scope), before.seq))
    return (rec.rev or 0) if rec else 0


def _is_it(place: Place, other: Place) -> bool:
    return (place.instance, place.since, place.nonce) == (other.instance, other.since, other.nonce)


def _busy(store: Store) -> set[str] | None:
    """Return the instances that have a place, or are offered one; None where one may be unread."""
    tops = _tops(store)
    if tops is None:
        return None
    placed = {place.instance for event in tops for place in event.state.line if place.instance}
    return placed | {one for event in tops for offer in event.state.offers for one in offer.to}


def _tops(store: Store) -> list[Event] | None:
    """Return the newest events of all scopes; None where one is torn, closed to us, or nobody's."""
    tops = list(claims.tops(store))
    places = (place for event in tops for place in event.state.line)
    return None if any(place.instance is None for place in places) else tops


def _all_of(store: Store, roll: Roll, gone: Actor, most: int) -> int:
    """Take what belongs to a worker, its own record last; return how many records.

    First its name: whoever comes by that from now on is another.
    """
    taken, home = 0, roll.home(gone)
    try:
        if home is not None:
            former.disown(home, gone.actor, gone.instance)
    except OSError:
        return 0
    for folder in (make(gone.instance) for make in _OWN):
        taken += _taken(store, store.list(folder), most - taken)
        store.prune(folder)
    if taken < most and home is not None:
        former.forget(home, gone.instance)
    own = (store.read(key) for key in (keys.actor(gone.instance), _gone(gone.instance)))
    return taken + _taken(store, (rec for rec in own if rec is not None), most - taken)


def _read_in(
    store: Store, folder: str, now: float, most: int, offers: Callable[[], set[str] | None]
) -> int:
    receipts = inbox.in_order(store, store.list(f"read/{folder.partition('/')[2]}"))
    known = {name for rec in receipts for name in inbox.ids(rec)}
    names = [rec.key for rec in store.list(folder, values=False)]
    old = (key for key in names if key.rpartition("/")[2] in known)
    records = (rec for key in old if (rec := store.read(key)) is not None)
    taken = _taken(store, _settled(store, records, now), most)
    there = {rec.key.rpartition("/")[2] for rec in store.list(folder, values=False)}
    # The newest says when something was shown last, and is joined with no other.
    empty = [rec for rec in receipts[:-1] if _is_old(rec.at, now) and not there & inbox.ids(rec)]
    if empty:
        offered = offers()
        empty = [rec for rec in empty if offered is not None and not offered & inbox.ids(rec)]
    return taken + _taken(store, empty, most - taken)


def _offered(store: Store) -> set[str] | None:
    """Return the ids of all offers that stand; None where one may be unread."""
    tops = _tops(store)
    return None if tops is None else {offer.id for one in tops for offer in one.state.offers}


def _settled(store: Store, records: Iterator[Rec], now: float) -> Iterator[Rec]:
    """Yield the old messages that no killed command of their sender will deliver once more.

    What was sent once is delivered once more for a month; where there is no clock that is another
    one for whoever delivers, so the mark that it was sent goes first.
    """
    posted = cache(partial(letters.posted, store))
    for rec in records:
        if not _is_old(rec.at, now):
            if store.caps.clock:
                return  # names are in the order of time
            continue
        message = inbox.decoded(rec)
        letter = (
            None if message is None else f"{keys.letters(message.sender.instance)}/{message.id}"
        )
        is_sent = store.caps.clock or message is None or message.id not in posted()
        if is_sent and (letter is None or store.read(letter) is None):
            yield rec


def _taken(store: Store, records: Iterable[Rec], most: int) -> int:
    found = [[rec.key] for rec in islice(records, max(0, most))]
    return store.take(found) if found else 0


def _is_old(at: float | None, now: float | None) -> bool:
    return at is not None and now is not None and now - at > KEPT_FOR
