"""What three long documents have in common between places where they differ: runs of sections.

A merge of two sides that both put something near the top and at the end used to read all between
into three trees. What is said of the run that all begin with (see `passage`) holds for these too,
where no line that could be read otherwise stands before one from where the texts differ on.
"""

from __future__ import annotations

from coord.drivers import passage
from coord.drivers.passage import BEGIN, LEAST, Passage
from coord.drivers.prefix import agreement
from coord.drivers.segments import agreed

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from coord.drivers.segments import Segment

    Cut = tuple[list[int], int, int]  # where the section before it is; where it begins behind that

_TRIES = 16  # so many sections of the base may be gone from a side, or be others there
_PROBE = 128  # bytes of a section by which it is found
_SIDES = ("base", "ours", "theirs")


class Runs:
    """Runs that texts have between what differs: `gaps` of each text, before each and behind."""

    def __init__(self, texts: list[bytes], cuts: list[Cut]) -> None:
        self._base = texts[0]
        self._cuts = cuts
        self.gaps: list[list[bytes]] = []
        for side, text in enumerate(texts):
            ends = [0]
            for places, begin, end in cuts:
                ends += places[side] + begin, places[side] + end
            ends.append(len(text))
            self.gaps.append([text[ends[at] : ends[at + 1]] for at in range(0, len(ends), 2)])
        self.all = [
            Passage(self._read, places[0] + begin, places[0] + end) for places, begin, end in cuts
        ]

    def _read(self, begin: int, end: int) -> bytes:
        return self._base[begin:end]

    def plain(self, start: bytes | None) -> int:
        """Return how many can be left out, from the first on, and see what of each is kept."""
        gaps = {gap for gaps in self.gaps for gap in gaps}
        names = {name for gap in gaps for name in passage.names_in(b"\n" + gap)}
        line = 0
        for number, run in enumerate(self.all):
            gap = self.gaps[0][number]
            line += gap.count(b"\n")
            others = [gaps[number] for gaps in self.gaps] if number else []
            if not all(passage.is_plain(b"\n" + other) for other in others):
                return number
            if not run.is_plain(names, start):
                return number
            run.line = line
            run.anchor = line - gap.count(b"\n", gap.rfind(BEGIN) + 1)
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
        for run, (places, begin, _) in zip(self.all, self._cuts, strict=True):
            before = self._base[places[0] : places[0] + begin]
            mark = before + run.kept + self._base[run.end : self._base.find(b"\n", run.end) + 1]
            place = text.find(mark)
            if place < at or text.find(mark, place + 1) >= 0:
                return None
            out += [text[at : place + begin], view[run.above : run.end]]
            at = place + begin + len(run.kept)
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
    cuts = []

    def read(begin: int, end: int) -> bytes:
        return texts[0][begin:end]

    for places, size in _segments(texts, at):
        top = places[0]
        end = passage.end_in(read, top + size, start)
        begin = passage.begin_in(read, top, end, start) if end > top else 0
        if begin:
            cuts.append((places, begin - top, end - top))
    if not cuts:
        return None
    places, begin, _ = cuts[0]
    differ = min(agreement(texts, min(map(len, texts))), *places)
    above = {text[: place + begin] for text, place in zip(texts, places, strict=True)}
    if not all(_is_plain_above(text, differ) for text in above):
        return None
    runs = Runs(texts, cuts)
    plain = runs.plain(start)
    if plain == len(cuts):
        return runs
    runs = Runs(texts, cuts[:plain])  # what is behind these is read, and names more
    return runs if plain and runs.plain(start) == plain else None


def _is_plain_above(text: bytes, place: int) -> bool:
    """Tell whether the lines of a text are plain from a place on, and no code stands anywhere.

    What underlines a title tells of the two lines above it.
    """
    line = text.rfind(b"\n", 0, place) + 1
    two = text.rfind(b"\n", 0, text.rfind(b"\n", 0, max(0, line - 1)) + 1) + 1
    rules, heads = (b"\n" + text[begin:] for begin in (two, line))
    return not (
        passage.has(text, passage.FENCES)
        or passage.has(rules, passage.RULES)
        or passage.has_odd_heads(heads)
    )


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
