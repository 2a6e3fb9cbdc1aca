"""Two versions of a log compared as records: pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.drivers import markers
from coord.drivers.instant import instant
from coord.drivers.join import has_title
from coord.drivers.prefix import agreement, boundary
from coord.drivers.records import count, split

if TYPE_CHECKING:
    from collections.abc import Sequence

_WIDTH = 60


class Record(NamedTuple):
    """A record and the line of the older version it begins on, from 1."""

    key: bytes
    line: int


class Step(NamedTuple):
    """How a version falls short of the one before.

    Attributes:
        lost: records of the older version that the newer one lacks.
        moved: without a loss, the first record that no longer stands where it stood; else None.
        inserted: the new record that took its place; None where an old one did.
        added: all new records.
        in_time: whether all records from there on bear their time, and stand in its order.
    """

    lost: list[Record]
    moved: Record | None = None
    inserted: bytes | None = None
    added: tuple[bytes, ...] = ()
    in_time: bool = False

    @property
    def is_growth(self) -> bool:
        """Whether nothing was lost and nothing was pushed aside."""
        return not self.lost and self.moved is None


GROWTH = Step([])


def step(old: bytes, new: bytes, start: bytes | None) -> Step:
    """Return how `new` falls short of `old`, with records that begin with `start`, or lines.

    Where one of them holds conflict markers, its order says nothing.
    """
    if markers.line(old) or markers.line(new):
        held = _step(markers.settled(old, start), markers.settled(new, start), start)
        return Step(held.lost)
    return _step(old, new, start)


def _step(old: bytes, new: bytes, start: bytes | None) -> Step:
    common = agreement([old, new], min(len(old), len(new)))
    head = boundary(lambda begin, end: new[begin:end], common, start)
    above = 1 + old.count(b"\n", 0, head)
    keys, lines = _records(old[head:], start)
    now, _ = _records(new[head:], start)
    same = _shared(keys, now)
    ours, theirs = keys[same:], now[same:]
    lost = [Record(keys[index], above + lines[index]) for index in _missing(keys, now)]
    if lost or not ours:
        return Step(lost)
    if theirs[-len(ours) :] == ours and _is_top(old, head, same, start):
        return GROWTH
    tails = split(old[head:], start).keys, split(new[head:], start).keys
    return _disorder(*tails, Record(keys[same], above + lines[same]), start)


def _is_top(text: bytes, head: int, same: int, start: bytes | None) -> bool:
    """Tell whether nothing but a header stands before record `same` after the byte `head`.

    There grows a log that has its newest record first, such as a changelog.
    """
    above = len(_records(text[:head], start)[0]) + same
    return above == 0 or (above == 1 and has_title(split(text, start).keys, start, new=True))


def _disorder(ours: list[bytes], theirs: list[bytes], moved: Record, start: bytes | None) -> Step:
    same = _shared(ours, theirs)
    ours, theirs = ours[same:], theirs[same:]
    spare, added = count(ours), []
    for key in theirs:
        if spare.get(key, 0):
            spare[key] -= 1
        else:
            added.append(key)
    first = next((key for key in theirs if key), None)
    kept = tuple(key for key in added if key)
    in_time = bool(kept) and _is_in_time(theirs, ours, start or b"")
    return Step([], moved, first if first in kept else None, kept, in_time)


def _is_in_time(keys: Sequence[bytes], old: Sequence[bytes], start: bytes) -> bool:
    """Tell whether all records bear their time, and stand in the order of the log driver.

    That is up, or down where the `old` ones are.
    """
    new, before = _stamped(keys, start), _stamped(old, start)
    if new is None or before is None:
        return False
    down = before[1:] and before == sorted(before, reverse=True)
    return new == sorted(new) or (bool(down or not before[1:]) and new == sorted(new, reverse=True))


def _stamped(keys: Sequence[bytes], start: bytes) -> list[tuple[tuple[int, bytes], bytes]] | None:
    """Return the records with their instants, None where one bears none."""
    found = []
    for key in keys:
        at = instant(key, start)
        if at is None:
            return None
        found.append((at, key))
    return found


def _records(text: bytes, start: bytes | None) -> tuple[list[bytes], list[int]]:
    """Return the records of a text and the lines they begin on; empty lines say nothing."""
    found = split(text, start)
    places = [place for key, place in zip(found.keys, found.lines, strict=True) if key]
    return [key for key in found.keys if key], places


def _shared(ours: Sequence[bytes], theirs: Sequence[bytes]) -> int:
    for number, (left, right) in enumerate(zip(ours, theirs, strict=False)):
        if left != right:
            return number
    return min(len(ours), len(theirs))


def _missing(old: Sequence[bytes], new: Sequence[bytes]) -> list[int]:
    """Return where in `old` the copies stand that `new` has not."""
    spare = count(new)
    found = []
    for index, key in enumerate(old):
        if spare.get(key, 0):
            spare[key] -= 1
        else:
            found.append(index)
    return found


def copies_back(lost: Sequence[Record], old: bytes, now: bytes, start: bytes | None) -> bool:
    """Tell whether `now` has as many copies of each lost record as `old` had."""
    had, has = (count(split(markers.settled(text, start), start).keys) for text in (old, now))
    return all(has.get(record.key, 0) >= had[record.key] for record in lost)


def begins_with(now: bytes, old: bytes, start: bytes | None) -> bool:
    """Tell whether the records of `now` begin with those of `old`."""
    (had, _), (has, _) = _records(old, start), _records(now, start)
    return has[: len(had)] == had


def is_whole(before: bytes, after: bytes, start: bytes | None) -> bool:
    """Tell whether a log may be cut between the byte `before` and `after`: a record ends there.

    Bytes appended to the last line, or to the last block, change a record.
    """
    if not before or not after:
        return True
    if before != b"\n" and not after.startswith((b"\n", b"\r\n")):
        return False
    return start is None or after.lstrip(b"\r\n").startswith(start)


def quoted(key: bytes) -> str:
    """Return the first line of a record, shortened, in quotes."""
    line = key.partition(b"\n")[0].decode("utf-8", "backslashreplace")
    return f'"{line[:_WIDTH]}{"…" if len(line) > _WIDTH else ""}"'
