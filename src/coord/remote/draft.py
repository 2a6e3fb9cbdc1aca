"""Transactions on the tip of a chain: what each compares, what it writes, and whether it holds.

A record is a file of the tree, its path the key:

    rev <number of the commit that wrote it> at <microseconds by its writer's clock>
    <value>
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from coord.base.frozen import NamedTuple
from coord.remote import objects

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from coord.remote.tips import Place, Tip

_REV, _AT = b"rev ", b" at "
_MOST = 18  # digits of a stamp
#: What a comparison is about: that a record is as a revision wrote it, is there, is not there; that
#: a folder is empty; that nothing below a folder was written after a revision; that the revisions
#: are of one unbroken line.
AT, THERE, ABSENT, EMPTY, STILL, LINE = "at", "there", "absent", "empty", "still", "line"


class Record(NamedTuple):
    """A file of the tree: its value, which commit wrote it (0 for none of ours), and its stamp."""

    value: bytes
    rev: int = 0
    at: float | None = None


class Held(NamedTuple):
    """A comparison: its kind, the key or folder it is about, and the revision it names."""

    kind: str
    key: str
    rev: int = 0


class Change(NamedTuple):
    """A record that is written, or with no value taken away.

    Attributes:
        key: its path.
        value: its bytes; None to take it away.
        at: its stamp, in seconds since the epoch.
    """

    key: str
    value: bytes | None
    at: float = 0.0


class Ask(NamedTuple):
    """A transaction.

    Attributes:
        held: what has to hold.
        then: what is changed if all of that does.
        also: what is changed in any case, with the next commit there is.
    """

    held: tuple[Held, ...] = ()
    then: tuple[Change, ...] = ()
    also: tuple[Change, ...] = ()


def encoded(value: bytes, rev: int, at: float) -> bytes:
    """Return the file of a record."""
    return b"%s%d%s%d\n%s" % (_REV, rev, _AT, round(at * 1_000_000), value)


def decoded(data: bytes, upto: int) -> Record:
    """Return the record in a file of the commit `upto`; what is none of ours comes as it is."""
    head, found, value = data.partition(b"\n")
    rev, split, at = head.removeprefix(_REV).partition(_AT)
    digits = rev.isdigit() and at.isdigit() and len(rev) <= _MOST and len(at) <= _MOST
    if not (found and split and digits and head.startswith(_REV)) or int(rev) > upto:
        return Record(data)
    return Record(value, int(rev), int(at) / 1_000_000)


def records(place: Place, tip: Tip, found: Mapping[str, str]) -> dict[str, Record]:
    """Return the records of files, path → object, as the tip has them; too large ones are empty."""
    texts = objects.contents(place.cache, list(dict.fromkeys(found.values())))
    return {path: decoded(texts.get(name, b""), tip.rev) for path, name in found.items()}


class Draft:
    """What the next commit on a tip will be: transactions that have nothing to do with each other.

    Two on one record would be told one number for two writings of it; and who is told no because
    of another in the same commit may be told of what never came to stand.
    """

    def __init__(self, place: Place, tip: Tip) -> None:
        """Begin with what stands at `tip`."""
        self._place = place
        self._tip = tip
        self._made: dict[str, Change] = {}

    def take(self, ask: Ask) -> bool | None:
        """Add a transaction if it holds; tell whether it does, None where that is to be seen later.

        That is where it is about what another has changed.
        """
        if any(map(self._touches, ask.held)) or any(one.key in self._made for one in ask.then):
            return None
        if not all(map(self._holds, ask.held)):
            return False
        self._made |= {one.key: one for one in ask.then}
        return True

    def add(self, found: Iterable[Change]) -> None:
        """Add what is changed in any case; a record that a transaction has changed stays so."""
        self._made = {one.key: one for one in found} | self._made

    @property
    def is_empty(self) -> bool:
        """Whether nothing is changed."""
        return not self._made

    def commit(self) -> Tip:
        """Return the tip that this becomes where it is accepted.

        No two commits are equal: the same change, made by two hosts at once, would be taken for
        pushed by both.

        Raises:
            Broken: the cache cannot make it.
        """
        rev = self._tip.rev + 1
        put = {
            one.key: encoded(one.value, rev, one.at)
            for one in self._made.values()
            if one.value is not None
        }
        drop = [one.key for one in self._made.values() if one.value is None]
        message = f"{rev}\n{self._tip.host}\n{os.urandom(16).hex()}\n"
        made = objects.commit(self._place.cache, self._tip.name, message, put, drop)
        return self._tip._replace(name=made, rev=rev, step=None)

    def _touches(self, held: Held) -> bool:
        if held.kind in {EMPTY, STILL}:
            return any(key.startswith(f"{held.key}/") for key in self._made)
        return held.key in self._made

    def _holds(self, held: Held) -> bool:
        if held.kind == LINE:
            return held.key == self._tip.line
        if held.kind == EMPTY:
            return not any(key.startswith(f"{held.key}/") for key in self._there)
        if held.kind == STILL:
            return self._is_still(held.key, held.rev)
        is_there = held.key in self._there
        if held.kind != AT or not is_there:
            return is_there == (held.kind != ABSENT)
        found = records(self._place, self._tip, {held.key: self._there[held.key]})
        return found[held.key].rev == held.rev

    def _is_still(self, folder: str, rev: int) -> bool:
        below = any(key.startswith(f"{folder}/") for key in self._there)
        if rev == self._tip.rev or not below:
            return True
        old = objects.ancestor(self._place.cache, self._tip.name, self._tip.rev - rev)
        if old is None:
            return False
        return not objects.changes(self._place.cache, old, self._tip.name, folder).written

    @cached_property
    def _there(self) -> Mapping[str, str]:
        return objects.files(self._place.cache, self._tip.name) if self._tip.name else {}
