"""The join of two sides of a log: pure, on records, and on bytes for whoever has them all at hand.

With c(r) the number of times a record occurs: the join is refused where c differs between the sides
and the smaller is less than the base's, for there history was edited or deleted (missing equally
from both is agreed). Otherwise it holds max(c_ours, c_theirs) of each record. So it is commutative
and idempotent, what both sides appended is kept once, and nothing is lost or invented. A sum would
double a cherry-picked or squashed record.

"The base is a byte prefix of both sides" is the wrong test: after one merge of a long-lived branch,
our side has foreign records between those of the base.
"""

from __future__ import annotations

from coord.drivers.instant import day, instant
from coord.drivers.prefix import agreement, boundary
from coord.drivers.records import common_end, count, gaps_of_join, render, split, terminated
from coord.drivers.weave import is_torn, weave

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from coord.drivers.weave import Strand

    Time = tuple[tuple[int, bytes], bytes]  # instant and record
    Stamp = TypeVar("Stamp", bytes, Time)

LEAST = 1 << 16  # bytes behind the first difference from which looking for more alike pays
_MARKERS = (b"<<<<<<< ", b"||||||| ", b"=======", b">>>>>>> ")  # in a base that git merged


class Refused(Exception):
    """The sides cannot be joined without losing what one of them says."""


class Rewritten(Refused):
    """`side` ("ours" or "theirs") has lost a copy of the base's record number `index`.

    Or "both", where they agree in nothing but that no record of the base is left.
    """

    def __init__(self, side: str, index: int) -> None:
        super().__init__(side, index)
        self.side = side
        self.index = index


class TwoHeaders(Refused):
    """Each side begins with a header of its own, and a log has one."""


class Torn(Refused):
    """The lines are no records: the join would put lines of one side inside a record of another."""


def merge(base: bytes, ours: bytes, theirs: bytes, start: bytes | None = None) -> bytes:
    """Return the join of three texts, byte for byte as the driver writes it. Raise Refused."""
    sides = [base, ours, theirs] if base else [ours, theirs]
    common = agreement(sides, min(map(len, sides)))
    head = boundary(lambda begin, end: ours[begin:end], common, start)
    end = common_end(base, ours, theirs)
    rest = base[head:] if base else None
    try:
        tail = join_tails(
            rest,
            ours[head:],
            theirs[head:],
            start,
            end,
            whole=head == 0,
            head=lambda: ours[:head],
        )
    except Rewritten as fault:  # it counts the records behind the head
        before = len(split(ours[:head], start).keys)
        raise Rewritten(fault.side, before + fault.index) from None
    return ours[:head] + tail


def join_tails(
    base: bytes | None,
    ours: bytes,
    theirs: bytes,
    start: bytes | None,
    end: bytes,
    *,
    whole: bool,
    head: Callable[[], bytes],
    virtual: bool = False,
) -> bytes:
    """Return the join of what follows a common beginning, each line with the line end `end`.

    `base` is None where both sides added the file; `whole` says that the common beginning is empty;
    `head` reads it, which hardly any join needs.
    """
    if ours == theirs:
        return terminated(ours, end)
    if base and start is None and not virtual and min(len(base), len(ours), len(theirs)) >= LEAST:
        from coord.drivers import segments  # noqa: PLC0415 - `re`, for what differs early

        known = segments.joined(base, ours, theirs) if end == b"\n" else None
        if known is not None:
            return known
    left, right = split(ours, start), split(theirs, start)
    old = None if base is None else split(base, start).keys

    def earlier() -> list[bytes]:
        return split(head(), start).keys

    keys = join(old, left.keys, right.keys, start, whole=whole, virtual=virtual, earlier=earlier)
    return render(keys, {} if start is None else gaps_of_join(keys, left, right, start), end)


def join(
    base: list[bytes] | None,
    ours: list[bytes],
    theirs: list[bytes],
    start: bytes | None = None,
    *,
    whole: bool = True,
    virtual: bool = False,
    earlier: Callable[[], list[bytes]] = list,
) -> list[bytes]:
    """Return the records of the join in their order. Raise Refused. All have the `earlier` ones.

    A `virtual` merge, that of merge bases, is never refused: a base that holds too much is
    harmless, but where one equals a side, git takes the other side without asking anybody.
    """
    if ours == theirs:
        return ours
    if base and not virtual:
        require_containment(base, ours, theirs, earlier)
        if whole and set(base).isdisjoint(ours):
            raise Rewritten("both", 0)
    kept = _shared([ours, theirs] if base is None else [base, ours, theirs])
    new = base is None and whole and kept == 0
    left, right = ours[kept:], theirs[kept:]
    titles = {side[0] for side in (left, right) if has_title(side, start, new=new)}
    if len(titles) > 1 and not virtual:
        raise TwoHeaders
    for title in titles:
        for side in (left, right):
            if title in side:
                side.remove(title)
    old = base[kept:] if base else []
    return ours[:kept] + sorted(titles) + ordered(left, right, start, old, virtual=virtual)


def require_containment(
    base: list[bytes],
    ours: list[bytes],
    theirs: list[bytes],
    earlier: Callable[[], list[bytes]] = list,
) -> None:
    """Raise Rewritten for the first record of `base` that one side alone has lost.

    Missing equally from both is an agreed removal, which also makes any virtual base harmless; but
    not where each side has something else instead: there both edited it.
    """
    before, left, right = count(base), count(ours), count(theirs)
    gone = []
    for index, key in enumerate(base):
        copies = left.get(key, 0), right.get(key, 0)
        if copies[0] != copies[1] and min(copies) < before[key]:
            raise Rewritten("ours" if copies[0] < copies[1] else "theirs", index)
        if copies == (0, 0) and not key.startswith(_MARKERS):
            gone.append(index)
    if gone:
        copies_before = set(earlier())  # one that stands there was too often in the base
        _require_one_edit(base, ours, theirs, [at for at in gone if base[at] not in copies_before])


def _require_one_edit(
    base: list[bytes], ours: list[bytes], theirs: list[bytes], gone: list[int]
) -> None:
    """Raise Rewritten for the first record instead of which each side has another one."""
    known = set(base)
    kept = known.intersection(ours, theirs)
    left, right = _behind(ours, kept, known), _behind(theirs, kept, known)
    lost = set(gone)
    place: tuple[bytes, int] = (b"", 0)
    copies: dict[bytes, int] = {}
    holes: dict[tuple[bytes, int], list[int]] = {}
    for index, key in enumerate(base):
        if key in kept:
            copies[key] = copies.get(key, 0) + 1
            place = key, copies[key]
        elif index in lost:
            holes.setdefault(place, []).append(index)
    for place, indices in holes.items():
        one, other = left.get(place, []), right.get(place, [])
        if one[: len(indices)] != other[: len(indices)]:
            raise Rewritten("both", indices[0])


def _behind(
    keys: list[bytes], kept: set[bytes], known: set[bytes]
) -> dict[tuple[bytes, int], list[bytes]]:
    """Return what is new behind each copy of a kept record, and before the first one."""
    copies: dict[bytes, int] = {}
    run: list[bytes] = []
    runs = {(b"", 0): run}
    for key in keys:
        if key in kept:
            copies[key] = copies.get(key, 0) + 1
            runs[key, copies[key]] = run = []
        elif key not in known:
            run.append(key)
    return runs


def _shared(sides: list[list[bytes]]) -> int:
    """Return the length of the longest common prefix of the sides."""
    for number, keys in enumerate(zip(*sides, strict=False)):
        if keys.count(keys[0]) < len(keys):
            return number
    return min(map(len, sides))


def has_title(keys: list[bytes], start: bytes | None, *, new: bool) -> bool:
    """Tell whether the first record is a header, which stays first.

    In a log of blocks: what no block begins with. In a log of lines only a `new` file tells: its
    first line is a comment, or has no stamp where all the others have one.
    """
    if start and keys:
        return not keys[0].startswith(start)
    if not new or not keys[1:]:
        return False
    if keys[0].startswith(b"#"):
        return not keys[1].startswith(b"#")
    return instant(keys[0]) is None and all(instant(key) for key in keys[1:])


def ordered(
    ours: list[bytes],
    theirs: list[bytes],
    start: bytes | None,
    base: list[bytes],
    *,
    virtual: bool = False,
) -> list[bytes]:
    """Return the larger number of each record: by instant where all have one, else woven.

    By instant only where the `base` is, up or down: it is not turned over, nor put in order.
    Raise Torn where lines are woven that are no records of their own.
    """
    strands = weave(*sorted((ours, theirs)))
    woven = [key for strand in strands for run in strand for key in run]
    stamped = []
    for key in woven:
        at = instant(key, start or b"")
        if at is None:
            if start is None and not virtual and is_torn(strands):
                raise Torn
            return _newest_first(strands, base, [ours, theirs], start or b"")
        stamped.append((at, key))
    down = False
    if base:
        times = {key: (at, key) for at, key in stamped}
        old, *sides = (
            [times[key] for key in keys if key in times] for keys in (base, ours, theirs)
        )
        down = _descends(*([old] if old[1:] else sides))  # one record has no direction
        if old != sorted(old, reverse=down):
            return woven
    stamped.sort(reverse=down)
    return [key for _, key in stamped]


def _newest_first(
    strands: list[Strand], base: list[bytes], sides: list[list[bytes]], start: bytes
) -> list[bytes]:
    """Return the woven records; in a log that descends by days, each run of two sides does too.

    A day gives no order inside it: there each author's own stands.
    """
    runs = [base] if base[1:] else sides
    dates = {key: day(key, start) for key in {key for run in (*runs, *sides) for key in run}}
    if not _descends(*([dates[key] for key in run] for run in runs)):
        return [key for strand in strands for run in strand for key in run]
    out = []
    for shared, own, others in strands:
        parts = [[(dates[key], key) for key in run] for run in (own, others)]
        days = [[at for at, _ in part] for part in parts]
        if all(run == sorted(run, reverse=True) and all(run) for run in days):
            both = sorted((*parts[0], *parts[1]), key=lambda pair: pair[0], reverse=True)
            out += [*shared, *(key for _, key in both)]
        else:
            out += [*shared, *own, *others]
    return out


def _descends(*runs: list[Stamp]) -> bool:
    """Tell whether a log is written newest first: by most of these records."""
    steps = [(run[at], run[at + 1]) for run in runs for at in range(len(run) - 1)]
    return sum(a > b for a, b in steps) > sum(a < b for a, b in steps)


def both(base: bytes, ours: bytes, theirs: bytes, start: bytes | None = None) -> bytes:
    """Return all of `ours`, then what `theirs` adds to the base: the way out of a refusal.

    A + (B - O), where what `ours` has added itself is not added again. It never refuses, so it also
    takes a picked commit whose earlier records are not here.
    """
    left, right = split(ours, start), split(theirs, start)
    spare = count(split(base, start).keys)
    for key, copies in count(left.keys).items():
        spare[key] = max(spare.get(key, 0), copies)
    added = []
    for key in right.keys:
        if spare.get(key, 0):
            spare[key] -= 1
        else:
            added.append(key)
    end = common_end(base, ours, theirs)
    if not added:
        return terminated(ours, end)
    title = added.pop(0).replace(b"\n", end) + end if has_title(added, start, new=False) else b""
    behind = left.keys[-1:] + added
    gaps = gaps_of_join(behind, left, right, start) if behind and start is not None else {}
    whole = ours.split(b"\n")[: left.lines[-1] if left.keys else 0]
    return title + b"\n".join([*whole, render(behind, gaps, end)])
