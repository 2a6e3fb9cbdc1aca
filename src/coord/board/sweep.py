"""Taking off the board what nobody needs any more: in portions, by whoever writes anyway.

The law is on docs/store.md. A scope goes when it has been free for as long as history is kept, or
for a day where many others are there; its records from the lowest to the top: a sweep that is
killed, or has done its portion, leaves a scope that stands as it stood.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from coord.board import eventjson, notices
from coord.stores import keys, retired
from coord.stores.store import CLOSED, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from coord.stores.store import Rec, Store

#: How long what has ended is kept, in seconds.
KEPT_FOR = 7 * 86400
#: As many scopes may be on a board before those that are free for a day go, since every command
#: that reads the board looks at the top of each.
MANY = 256
_KEPT_OF_MANY = 86400
#: Most records that one portion takes away; as many scopes are looked at.
PORTION = 64
T = TypeVar("T")


class Done(NamedTuple):
    """What a portion did: records taken away, and how many places it has looked at.

    Not `alone` it may have left some: somebody was writing, or the file system has no locks.
    """

    records: int
    looked: int
    alone: bool = True


def scopes(store: Store, most: int = PORTION, among: Sequence[str] | None = None) -> Done:
    """Take a portion of what old, free scopes have left; nothing where somebody is writing.

    Args:
        store: the board.
        most: how many records at most.
        among: the folders to look at; by default so many as that, somewhere.
    """
    now = store.now()
    if now is None:
        return Done(0, 0)
    with store.alone() as alone:
        if not alone:
            return Done(0, 0, alone=False)
        there = store.folders("claims")
        found = some(there, most) if among is None else among
        ended = list(_enough(store, found, _before(now, there), most))
        if not ended:
            return Done(0, len(found))
        notices.disprove(store, {one.folder: one.seq for one in ended})
        retired.lift(store, max(one.seq for one in ended))
        planned = _portion(ended, most)
        taken = store.take(planned)
        for one in ended:
            store.prune(one.folder)
        whole = not store.caps.hosts or taken == sum(map(len, planned))
        return Done(taken, len(found), whole)


def kept(store: Store) -> int:
    """Return how many scopes have been free for so long that a sweep takes them away."""
    now = store.now()
    if now is None:
        return 0
    there = store.folders("claims")
    return sum(_ended(store, folder, _before(now, there)) is not None for folder in there)


def _before(now: float, folders: Sequence[str]) -> float:
    """Return when the newest record of a scope must be written, at the latest, for it to go."""
    return now - (KEPT_FOR if len(folders) <= MANY else _KEPT_OF_MANY)


def some(ones: Sequence[T], most: int) -> Sequence[T]:
    """Return `most` neighbours at random: each portion looks elsewhere."""
    if len(ones) <= most:
        return ones
    at = int.from_bytes(os.urandom(8), "big") % len(ones)  # `random` costs each claim 4 ms
    return [*ones[at : at + most], *ones[: max(0, at + most - len(ones))]]


def _enough(store: Store, folders: Iterable[str], before: float, most: int) -> Iterator[_Ended]:
    """Yield scopes that have ended, with `most` records at least, if there are so many.

    To judge one each of its records is read; what is not taken now would be read in vain.
    """
    due = 0
    for folder in folders:
        one = _ended(store, folder, before) if due < most else None
        if one is not None:
            due += len(one.records)
            yield one


class _Ended(NamedTuple):
    """A scope that has been free for long: its records, the top last, and its number."""

    folder: str
    records: Sequence[str]
    seq: int


def _ended(store: Store, folder: str, before: float) -> _Ended | None:
    """Return a scope that nobody holds, and whose top was written `before`; None for any other.

    What cannot be read is held by unknown, and stays with all that is below and above it.
    """
    try:
        return _free(store, folder, before)
    except Unavailable as error:
        if error.rule != CLOSED:
            raise
        return None


def _free(store: Store, folder: str, before: float) -> _Ended | None:
    numbers = {keys.seq_of(rec.key): rec.key for rec in store.list(folder, values=False)}
    seq = max(numbers, default=0)
    top = store.read(numbers[seq]) if seq else None
    if top is None or top.at is None or top.at >= before:
        return None
    try:
        state = eventjson.decode(top.value, folder, seq).state
    except eventjson.Foreign:
        return None
    # An event raises the generation by one at most; what says more is of another program.
    if state.line or state.offers or not state.generation <= seq < retired.MOST:
        return None
    records = [numbers[one] for one in sorted(numbers) if one]
    if not all(_is_whole(store.read(key)) for key in records):
        return None
    return _Ended(folder, records, seq)


def _is_whole(rec: Rec | None) -> bool:
    """Tell whether a record can be read; one that was compacted meanwhile is in nobody's way."""
    return rec is None or (rec.denied is None and rec.value != b"")


def _portion(ended: Iterable[_Ended], most: int) -> list[Sequence[str]]:
    """Return the records that a portion takes away, of each scope the top last."""
    found: list[Sequence[str]] = []
    for one in ended:
        found.append(one.records[: max(0, most)])
        most -= len(found[-1])
    return found
