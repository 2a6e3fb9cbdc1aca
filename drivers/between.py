"""What three long documents have in common between places where they differ: runs of sections.

A merge of two sides that both put something near the top and at the end used to read all between
into three trees. What is said of the run that all begin with (see `passage`) holds for these too,
where it stands below the same titles in each.
"""

from __future__ import annotations

from coord.drivers import passage
from coord.drivers.passage import BEGIN, LEAST, Above, Passage
from coord.drivers.segments import agreed

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.drivers.segments import Segment

_TRIES = 16  # so many sections of the base may be gone from a side, or be others there
_PROBE = 128  # bytes of a section by which it is found
_SIDES = ("base", "ours", "theirs")


class Cut:
    """A run, from `begin` to `end` behind `places`, from which on all texts have the same.

    It stands in the sections with the heads `path`; `back` lines above it begins the one before it.
    """

    __slots__ = ("back", "begin", "end", "path", "places")

    def __init__(self, places: list[int], begin: int, end: int, above: Above) -> None:
        self.places = places
        self.begin = begin
        self.end = end
        self.path = above.path()
        self.back = above.back()


class Runs:
    """Runs that texts have between what differs: `gaps` of each text, before each and behind."""

    def __init__(self, texts: list[bytes], cuts: list[Cut]) -> None:
        self._base = texts[0]
        self._cuts = cuts
        self.gaps: list[list[bytes]] = []
        for side, text in enumerate(texts):
            ends = [0]
            for cut in cuts:
                ends += cut.places[side] + cut.begin, cut.places[side] + cut.end
            ends.append(len(text))
            self.gaps.append([text[ends[at] : ends[at + 1]] for at in range(0, len(ends), 2)])
        self.all = [
            Passage(self._read, cut.places[0] + cut.begin, cut.places[0] + cut.end) for cut in cuts
        ]

    def _read(self, begin: int, end: int) -> bytes:
        return self._base[begin:end]

    def plain(self, start: bytes | None) -> int:
        """Return how many can be left out, from the first on, and see what of each is kept."""
        gaps = {gap for gaps in self.gaps for gap in gaps}
        names = {name for gap in gaps for name in passage.names_in(b"\n" + gap)}
        line = 0
        for number, (run, cut) in enumerate(zip(self.all, self._cuts, strict=True)):
            if not all(passage.are_single(cut.path, gaps) for gaps in self.gaps):
                return number
            if not run.is_plain(names, start):
                return number
            run.line = line = line + self.gaps[0][number].count(b"\n")
            run.anchor = line - cut.back
            line += run.kept.count(b"\n")
        return len(self.all)

    def without(self) -> list[bytes]:
        """Return the texts without what is left out."""
        kept = [*(run.kept for run in self.all), b""]
        return [
            b"".join(part for pair in zip(gaps, kept, strict=True) for part in pair)
            for gaps in self.gaps
        ]

    def back_in(self, text: bytes) -> bytes | None:
        """Return a join with what was left out; None where nothing tells where that belongs."""
        out: list[bytes | memoryview] = []
        at, view = 0, memoryview(self._base)
        for run, cut in zip(self.all, self._cuts, strict=True):
            before = self._base[cut.places[0] : run.above]
            mark = before + run.kept + self._base[run.end : self._base.find(b"\n", run.end) + 1]
            place = text.find(mark)
            if place < at or text.find(mark, place + 1) >= 0:
                return None
            out += [text[at : place + cut.begin], view[run.above : run.end]]
            at = place + cut.begin + len(run.kept)
        return b"".join([*out, text[at:]])

    def numbered(self, line: int, of: str) -> int | None:
        """Return the number of a line in a text, from that without what is left out.

        None where it is not told: in what is kept of a run, and in a join.
        """
        if of not in _SIDES:
            return None
        begin, out = 0, line
        for run, gap in zip(self.all, self.gaps[_SIDES.index(of)], strict=False):
            begin += gap.count(b"\n")
            more = run.more(line, begin)
            if more is None:
                return None
            out += more
            begin += run.kept.count(b"\n")
        return out


def find(texts: list[bytes], start: bytes | None, at: int = 0) -> Runs | None:
    """Return what can be left out of three texts behind a place of each, if anything."""
    if min(map(len, texts)) < LEAST or start not in passage.STARTS:
        return None
    cuts = list(_cuts(texts, start, at))
    if not cuts:
        return None
    runs = Runs(texts, cuts)
    plain = runs.plain(start)
    if plain == len(cuts):
        return runs
    runs = Runs(texts, cuts[:plain])  # what is behind these is read, and names more
    return runs if plain and runs.plain(start) == plain else None


def _cuts(texts: list[bytes], start: bytes | None, at: int) -> Iterator[Cut]:
    """Yield what texts have alike below the same titles, behind a section of the same place."""
    sides = [Above(passage.reader(text), start) for text in texts]
    read = passage.reader(texts[0])
    for places, size in _parts(texts, at, start):
        top = places[0]
        end = passage.end_in(read, top + size, start)
        for begin in passage.seams(read, top + 1, end, start):
            there = zip(sides, [place + begin - top for place in places], strict=True)
            if not all(side.reads(place) for side, place in there):
                continue
            cuts = [Cut(places, begin - top, end - top, side) for side in sides]
            if all(cut.path == cuts[0].path for cut in cuts):
                yield cuts[0]
                for side, place in zip(sides, places, strict=True):
                    side.skip(place + end - top)
            break


def _parts(texts: list[bytes], at: int, start: bytes | None) -> Iterator[Segment]:
    """Yield what texts have alike, in parts of which no heading holds another one of them."""
    read = passage.reader(texts[0])
    for places, size in _segments(texts, at):
        top = places[0]
        begins = [0, *(place - top for place in passage.headings(read, top, top + size, start))]
        for begin, end in zip(begins, [*begins[1:], size], strict=True):
            if end - begin > LEAST // 2:
                yield [place + begin for place in places], end - begin


def _segments(texts: list[bytes], begin: int) -> list[Segment]:
    """Return what texts have alike from a section on, whole lines, in its order."""
    out: list[Segment] = []
    at = [begin for _ in texts]
    while (found := _next(texts, at)) is not None:
        out.append(found)
        at = [place + max(found[1] - 1, 1) for place in found[0]]  # behind its last line end
    return out


def _next(texts: list[bytes], at: list[int]) -> Segment | None:
    base = texts[0]
    begin = base.find(BEGIN, at[0])
    for _ in range(_TRIES):
        if begin < 0 or len(base) - begin < LEAST:
            return None
        probe = base[begin : base.find(b"\n", begin + 1) + _PROBE]
        pairs = zip(texts[1:], at[1:], strict=True)
        places = [begin, *(text.find(probe, place) for text, place in pairs)]
        size = 0 if min(places) < 0 else agreed(texts, places)
        if size >= LEAST:
            return places, size
        begin = base.find(BEGIN, begin + 1)
    return None
