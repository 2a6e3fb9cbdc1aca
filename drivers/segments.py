"""The join of a log of lines whose sides differ early, without taking apart what all three have.

One late line among a million used to put all behind it into lists and tables, twenty times the
file. Counts of lines are compared without those alike, which are the same in all three texts. Where
the lines of the base stand in order of their stamps, up or down, the join is a sort of all lines:
what the texts have alike is left as it is, and what they have besides goes into it by bisection.
Otherwise lines are woven, and of what is alike no more than its first line and its last.

Stamps have to be of one form, first in the line: then the bytes of lines are in order of time. For
anything else, and for all that is refused, there is no answer here.
"""

from __future__ import annotations

import re

from coord.drivers.instant import instant
from coord.drivers.prefix import CHUNK, agreement
from coord.drivers.records import count, split
from coord.drivers.weave import is_torn, weave

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from collections.abc import Iterator

    Run = tuple[int, int]  # begin and end in the base
    Segment = tuple[list[int], int]  # where it begins in each text, how many bytes it has

LEAST = 1 << 16  # bytes alike from which looking for more pays
_DATED = re.compile(rb"^[ \t*#\[(<\"'-]*\d{4}-\d\d-\d\d(?![0-9A-Za-z])", re.MULTILINE)
_TRIES = 16  # so many lines of the base may be gone from a side
_UNSTAMPED = re.compile(
    rb"^(?!\d{4}-(?:02-(?:0[1-9]|1\d|2[0-8])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|"
    rb"(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01]))T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ(?![0-9A-Za-z]))",
    re.MULTILINE,
)


def joined(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Return the join of three texts whose lines end with LF; None where it is not known here."""
    texts = [base, ours, theirs]
    if min(map(len, texts)) < LEAST or any(b"\r" in text for text in texts):
        return None  # a CR is no part of a record
    # what all begin with stays there, in any order
    same = len({text[: text.find(b"\n")] for text in texts}) == 1
    alike = [] if same else _segments(texts)
    more = _more(*(split(rest, None).keys for rest in _rests(texts, alike))) if alike else None
    if more is None:
        return None
    runs = [(places[0], places[0] + size) for places, size in alike]
    odd = next(filter(None, map(_unstamped, _rests(texts, alike))), b"") or _unstamped(base)
    down = None if odd else _direction(base)
    if down is not None:
        return _merged(base, runs, more, down=down)
    if odd and (instant(odd) is not None or _DATED.search(base)):
        return None
    gaps = [_gaps(text, side, alike) for side, text in enumerate(texts)]
    return _woven(base, runs, gaps, whole=not odd)


def _unstamped(text: bytes) -> bytes:
    """Return the first line without a stamp of the one form, with its end; b"" without one."""
    found = _UNSTAMPED.search(text, 0, len(text) - text.endswith(b"\n")) if text else None
    return text[found.start() : text.find(b"\n", found.start()) + 1 or None] if found else b""


def besides(texts: list[bytes]) -> list[bytes]:
    """Return the lines of each text but for those of long runs that all have, in one order."""
    return _rests(texts, _segments(texts))


def _segments(texts: list[bytes]) -> list[Segment]:
    """Return what texts have alike, whole lines, in its order."""
    out: list[Segment] = []
    at = [0 for _ in texts]
    while (found := _next(texts, at)) is not None:
        out.append(found)
        at = [place + found[1] for place in found[0]]
    return out


def _next(texts: list[bytes], at: list[int]) -> Segment | None:
    base = texts[0]
    begin = at[0]
    for _ in range(_TRIES):
        end = base.find(b"\n", begin) + 1
        if not end or len(base) - begin < LEAST:
            return None
        pairs = zip(texts[1:], at[1:], strict=True)
        places = [begin, *(_line(text, base[begin:end], place) for text, place in pairs)]
        size = 0 if min(places) < 0 else agreed(texts, places)
        if size >= LEAST:
            return places, size
        begin = end
    return None


def _line(text: bytes, line: bytes, begin: int) -> int:
    """Return where a line with its end stands first, from the beginning of another one; or -1."""
    if text.startswith(line, begin):
        return begin
    return text.find(b"\n" + line, begin) + 1 or -1


def agreed(texts: list[bytes], places: list[int]) -> int:
    """Return how many bytes of whole lines are the same from these places on."""
    size = 0
    while True:
        chunks = [
            text[place + size : place + size + CHUNK]
            for text, place in zip(texts, places, strict=True)
        ]
        least = min(map(len, chunks))
        more = agreement(chunks, least)
        size += more
        if more < CHUNK:
            return texts[0].rfind(b"\n", places[0], places[0] + size) + 1 - places[0]


def _rests(texts: list[bytes], alike: list[Segment]) -> list[bytes]:
    return [
        _rest(text, [(places[side], size) for places, size in alike])
        for side, text in enumerate(texts)
    ]


def _rest(text: bytes, alike: list[tuple[int, int]]) -> bytes:
    """Return the lines of a text without those alike, the last one with an end."""
    out, at = [], 0
    for begin, size in alike:
        out.append(text[at:begin])
        at = begin + size
    out.append(text[at:])
    rest = b"".join(out)
    return rest if rest.endswith(b"\n") or not rest else rest + b"\n"


def _chunks(text: bytes, begin: int, end: int) -> Iterator[list[bytes]]:
    """Yield the lines from one place to another, some thousands at once."""
    while begin < end:
        cut = text.rfind(b"\n", begin, min(begin + CHUNK, end)) + 1
        cut = cut or text.find(b"\n", begin, end) + 1 or end
        yield text[begin:cut].removesuffix(b"\n").split(b"\n")
        begin = cut


def _direction(text: bytes) -> bool | None:
    """Tell whether stamped lines stand newest first; None where they stand in no order."""
    down = text[: text.find(b"\n")] > text[text.rfind(b"\n", 0, -1) + 1 :].removesuffix(b"\n")
    last: list[bytes] = []
    for chunk in _chunks(text, 0, len(text)):
        lines = [*last, *chunk]
        if lines != sorted(lines, reverse=down):
            return None
        last = lines[-1:]
    return down


def _more(base: list[bytes], ours: list[bytes], theirs: list[bytes]) -> list[bytes] | None:
    """Return the larger number of each line besides; None where one of the base is missed."""
    before, left, right = count(base), count(ours), count(theirs)
    for key, copies in before.items():
        here, there = left.get(key, 0), right.get(key, 0)
        if here + there == 0 or (here != there and min(here, there) < copies):
            return None
    for key, copies in right.items():
        left[key] = max(left.get(key, 0), copies)
    return [key for key, copies in left.items() for _ in range(copies)]


def _merged(base: bytes, runs: list[Run], more: list[bytes], *, down: bool) -> bytes:
    """Return segments of the base with more lines put where they belong."""
    pending = sorted(more, reverse=not down)  # from the end
    view = memoryview(base)
    out: list[bytes | memoryview] = []
    for begin, end in runs:
        at = begin
        last = _last(base, begin, end)
        while pending and (pending[-1] > last if down else pending[-1] < last):
            place = _place(base, at, end, pending[-1], down=down)
            out += (view[at:place], pending.pop(), b"\n")
            at = place
        out.append(view[at:end])
    for line in reversed(pending):
        out += (line, b"\n")
    return b"".join(out)


def _place(text: bytes, low: int, high: int, line: bytes, *, down: bool) -> int:
    """Return where a line belongs among ordered ones."""
    while low < high:
        middle = (low + high) // 2
        begin = text.rfind(b"\n", low, middle) + 1 or low
        end = text.find(b"\n", middle, high)
        other = text[begin:end]
        if other > line if down else other < line:
            low = end + 1
        else:
            high = begin
    return low


def _gaps(text: bytes, side: int, alike: list[Segment]) -> list[list[bytes]]:
    """Return the lines before each segment, and those behind the last."""
    out, at = [], 0
    for places, size in alike:
        out.append(split(text[at : places[side]], None).keys)
        at = places[side] + size
    return [*out, split(text[at:], None).keys]


def _woven(
    base: bytes, runs: list[Run], gaps: list[list[list[bytes]]], *, whole: bool
) -> bytes | None:
    """Return what stands between the runs, woven; None where a line stands in two places.

    `whole`: all lines are records, so that no run can tear one.
    """
    besides = [set().union(*lines) for lines in zip(*gaps, strict=True)]
    known = set().union(*besides)
    if len(known) < sum(map(len, besides)):
        return None
    if not all(known.isdisjoint(lines) for run in runs for lines in _chunks(base, *run)):
        return None
    ends = [(base[begin : base.find(b"\n", begin)], _last(base, begin, end)) for begin, end in runs]
    left, right = (
        [line for lines, pair in zip(side, [*ends, ()], strict=True) for line in (*lines, *pair)]
        for side in gaps[1:]
    )
    strands = weave(*sorted((left, right)))
    if any(begin + len(pair[0]) + 1 == end for (begin, end), pair in zip(runs, ends, strict=True)):
        return None  # one line
    if not whole and is_torn(strands):
        return None
    view = memoryview(base)
    # a run is whole at its first line, and nothing at its last
    parts = [part for begin, end in reversed(runs) for part in (view[end:end], view[begin:end])]
    marks = {line for pair in ends for line in pair}
    out: list[bytes | memoryview] = []
    for shared, own, others in strands:
        if shared and shared[0] in marks:
            out.append(parts.pop())
        else:
            own = [*shared, *own]  # noqa: PLW2901 - a run of lines
        for line in (*own, *others):
            out += (line, b"\n")
    return b"".join(out)


def _last(text: bytes, begin: int, end: int) -> bytes:
    """Return the last of these lines."""
    return text[text.rfind(b"\n", begin, end - 1) + 1 or begin : end - 1]
