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

from coord.drivers.instant import instant
from coord.drivers.prefix import agreement, boundary
from coord.drivers.records import gaps_of_join, line_end, line_ends, render, split, terminated

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable
    from typing import TypeVar

    T = TypeVar("T", bound=Hashable)
    Strand = tuple[list[bytes], list[bytes], list[bytes]]
    Time = tuple[tuple[int, bytes], bytes]  # instant and record

_CONTINUES = (b" ", b"\t", b"}", b"]", b")")  # how a line begins that is no record of its own


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
    end = line_end(line_ends(base), line_ends(ours), line_ends(theirs))
    rest = base[head:] if base else None
    try:
        tail = join_tails(rest, ours[head:], theirs[head:], start, end, whole=head == 0)
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
    virtual: bool = False,
) -> bytes:
    """Return the join of what follows a common beginning, each line with the line end `end`.

    `base` is None where both sides added the file; `whole` says that the common beginning is empty.
    """
    if ours == theirs:
        return terminated(ours, end)
    left, right = split(ours, start), split(theirs, start)
    old = None if base is None else split(base, start).keys
    keys = join(old, left.keys, right.keys, start, whole=whole, virtual=virtual)
    return render(keys, {} if start is None else gaps_of_join(keys, left, right, start), end)


def join(
    base: list[bytes] | None,
    ours: list[bytes],
    theirs: list[bytes],
    start: bytes | None = None,
    *,
    whole: bool = True,
    virtual: bool = False,
) -> list[bytes]:
    """Return the records of the join in their order. Raise Refused.

    A `virtual` merge, that of merge bases, is never refused: a base that holds too much is
    harmless, but where one equals a side, git takes the other side without asking anybody.
    """
    if ours == theirs:
        return ours
    if base and not virtual:
        require_containment(base, ours, theirs)
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


def require_containment(base: list[bytes], ours: list[bytes], theirs: list[bytes]) -> None:
    """Raise Rewritten for the first record of `base` that one side alone has lost.

    Missing equally from both is an agreed removal, which also makes any virtual base harmless.
    """
    before, left, right = count(base), count(ours), count(theirs)
    for index, key in enumerate(base):
        copies = left.get(key, 0), right.get(key, 0)
        if copies[0] != copies[1] and min(copies) < before[key]:
            raise Rewritten("ours" if copies[0] < copies[1] else "theirs", index)


def count(keys: Iterable[T]) -> dict[T, int]:
    """Return how often each record occurs (`collections` costs 2 ms of a driver's start)."""
    counts: dict[T, int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    return counts


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
            return woven
        stamped.append((at, key))
    down = False
    if base:
        times = {key: (at, key) for at, key in stamped}
        old, *sides = (
            [times[key] for key in keys if key in times] for keys in (base, ours, theirs)
        )
        down = _descends(old, sides)
        if old != sorted(old, reverse=down):
            return woven
    stamped.sort(reverse=down)
    return [key for _, key in stamped]


def _descends(base: list[Time], sides: list[list[Time]]) -> bool:
    """Tell whether a log is written newest first: by most of the base's records.

    One record has no direction; then it is by most of those of the sides.
    """
    runs = [base] if base[1:] else sides
    steps = [(run[at], run[at + 1]) for run in runs for at in range(len(run) - 1)]
    return sum(a > b for a, b in steps) > sum(a < b for a, b in steps)


def weave(backbone: list[bytes], other: list[bytes]) -> list[Strand]:
    """Return the shared records in the order of `backbone`, each with what follows it.

    A strand is: the shared record (none at the beginning), then the run of records that only
    `backbone` has there, then the run that only `other` has after that record.
    """
    places: dict[bytes, list[int]] = {}
    for place in range(len(backbone) - 1, -1, -1):
        places.setdefault(backbone[place], []).append(place)
    run: list[bytes] = []
    runs = {-1: run}
    for key in other:
        if places.get(key):
            runs[places[key].pop()] = run = []
        else:
            run.append(key)
    strands: list[Strand] = [([], [], runs[-1])]
    for place, key in enumerate(backbone):
        if place in runs:
            strands.append(([key], [], runs[place]))
        else:
            strands[-1][1].append(key)
    return strands


def is_torn(strands: list[Strand]) -> bool:
    """Tell whether both sides go on, differently, inside what looks like one record of many lines.

    Two pretty-printed objects share their first lines and their brackets; lines cannot tell that.
    """
    for place, (shared, own, others) in enumerate(strands):
        if own and others:
            behind = strands[place + 1][0] if place + 1 < len(strands) else []
            heads = [own[0], others[0]] if shared else []
            if any(line[:1] in _CONTINUES and line for line in (*heads, *behind)):
                return True
    return False


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
    end = line_end(line_ends(base), line_ends(ours), line_ends(theirs))
    if not added:
        return terminated(ours, end)
    title = added.pop(0).replace(b"\n", end) + end if has_title(added, start, new=False) else b""
    behind = left.keys[-1:] + added
    gaps = gaps_of_join(behind, left, right, start) if behind and start is not None else {}
    whole = ours.split(b"\n")[: left.lines[-1] if left.keys else 0]
    return title + b"\n".join([*whole, render(behind, gaps, end)])
