"""What three long documents have in common and no join looks into: sections that all begin with.

A journal of blocks grows at its end, and reading half a million blocks into a tree to put two
behind them takes fifteen seconds and a gigabyte. So a run of whole sections that stands in all
three texts is left out of them before they are read, and put back into the join; it is looked at a
chunk at a time. The first section stays, and the last two, and each that has the name of one behind
the run: a name that stands twice names nothing. Where anything could be read otherwise than line by
line, as in a code fence, that piece of the run is read alone, and has to be sections and no more.
"""

from __future__ import annotations

import re  # the tree needs it anyway
from _bisect import bisect_left  # `bisect` is a file more to load
from operator import gt, itemgetter, lt

from coord.drivers.kinds import SECTION
from coord.drivers.line import is_rule, seam_depth
from coord.drivers.prefix import CHUNK, agreement, block, first
from coord.drivers.rank import size, steps
from coord.drivers.tree import Parser

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from coord.drivers.prefix import Read
    from coord.drivers.rank import Size
    from coord.drivers.tree import Node

LEAST = 1 << 16  # bytes in common from which looking for a run pays
DEPTH = 2  # of the sections that most documents are made of
_MARK = b"#" * DEPTH + b" "
BEGIN = b"\n" + _MARK
STARTS = (None, _MARK)
# A byte is found ten times as fast as some of them in a row, and most texts lack most of these.
FENCES = tuple((fence[:1], fence) for fence in (b"```", b"~~~", b"<!--", b"\r"))
RULES = tuple((bytes([byte]), b"\n" + 3 * bytes([byte])) for byte in b"-=^\"'*+.")
HEAD = b"\n# "  # a section of these holds those
HEADS = ((b"#", HEAD), (b"=", b"urgency="))
_HASHES = re.compile(rb"\n###+[ \t]*\n")
_NAMES = re.compile(rb"\n(## [^\n]*)")
_BLANKS = frozenset(b" \t\r\v\f")
_LAST = itemgetter(-1)
_STAMPS = re.compile(
    rb"\n## (\d{4}-(?:0[1-9]|1[012])-(?:0[1-9]|[12]\d|3[01])"
    rb"T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ)[^\n\w.,:]"
)


class Passage:
    """A run of sections between two places of a text, which other texts have as well.

    `above` is where it begins, `end` where it ends, `kept` what of it stays, and `names` are those
    of its first section and its last. In the text without what is left out, the section before it
    begins at line `anchor`, and what is kept of it at `line`.
    """

    def __init__(self, read: Read, above: int, end: int) -> None:
        self._read = read
        self.above = above
        self.end = end
        self.kept = b""
        self.names = b"", b""
        self.anchor = 0
        self.line = 0
        self._stamps = _Stamps()

    def is_plain(self, names: set[bytes], start: bytes | None) -> bool:
        """Tell whether each line with the mark begins a section; those of these names are kept."""
        kept: list[bytes] = []
        for piece in _pieces(self._read, self.above - 1, self.end, BEGIN):
            found = names_in(piece)
            if not is_plain(piece) and not _are_sections(piece, found, start):
                return False
            self.names = self.names[0] or found[0], found[-1]
            self._stamps.add(piece, found)
            if not names.isdisjoint(found):
                kept.append(_sections(piece, names))
        self.kept = b"".join(kept)
        return 2 * len(self.kept) < self.end - self.above  # or little is gained

    def lines(self, begin: int = 0) -> int:
        """Return how many lines there are from a place to the end of the run."""
        places = range(begin, self.end, CHUNK)
        return sum(self._read(at, min(at + CHUNK, self.end)).count(b"\n") for at in places)

    def more(self, line: int, begin: int) -> int | None:
        """Return how many lines are left out above a line; None: it may be among them.

        It is a number in a text without them, where what is kept of the run follows `begin`.
        """
        kept = self.kept.count(b"\n")
        if line <= begin:
            return 0
        return self.lines(self.above) - kept if line > begin + kept else None

    def gaps(self) -> dict[tuple[bytes, ...], int]:
        """Return how often which blank lines stand behind a section that is left out."""
        out: dict[tuple[bytes, ...], int] = {}
        for text, copies in ((None, 1), (self.kept, -1)):
            pieces = _pieces(self._read, self.above - 1, self.end, BEGIN)
            for piece in pieces if text is None else (b"\n" + text,):
                for section in piece[:-1].split(BEGIN)[1:]:
                    gap = tuple(section[len(section.rstrip()) :].split(b"\n")[1:])
                    out[gap] = out.get(gap, 0) + copies
        return {gap: copies for gap, copies in out.items() if copies}

    def stands_in(self, kids: list[Node]) -> bool:
        """Tell whether it is of the place that has these pieces."""
        at = bisect_left(kids, self.anchor, key=_at)
        return at < len(kids) and kids[at].at == self.anchor

    def steps(self) -> tuple[int, int]:
        """Return how many sections stand above a smaller one, and above a larger one."""
        if self._stamps.are_all:
            return self._stamps.down, self._stamps.up
        down, up = 0, 0
        last: list[tuple[Size, bytes]] = []
        for piece in _pieces(self._read, self.above - 1, self.end, BEGIN):
            order = last + [(size(name, SECTION), name) for name in names_in(piece)]
            down, up = (sum(counts) for counts in zip((down, up), steps(order), strict=True))
            last = order[-1:]
        return down, up


class Above:
    """What stands above a run, read into a tree: the sections around it, and the one before it.

    Where that is plain, no more than its first lines and its last section are.
    """

    def __init__(self, read: Read, start: bytes | None) -> None:
        self._text = read
        self._parser = Parser(start)
        self._lines = 0
        self._begin = 0
        self._has_cr = False

    def reads(self, place: int) -> bool:
        """Go on to a place where a section begins whatever stands above; tell of the one before.

        That is of the same depth, and nothing else stands between.
        """
        text = self._text(self._begin, place)
        self._has_cr = self._has_cr or b"\r" in text  # no part of a line, where LF is behind it
        self._read(b"\n" + text)
        self._begin = place
        return not self._has_cr and self._last() is not None

    def skip(self, place: int) -> None:
        """Go on behind a run."""
        self._begin = place

    def _read(self, text: bytes) -> None:
        top = text.find(BEGIN) + 1
        if top and is_plain(text[top - 1 :]):
            self._feed(text[1:top])
            text = text[top - 1 if self._parser.fence else text.rfind(BEGIN) :]
        self._feed(text[1:])

    def _feed(self, text: bytes) -> None:
        lines = text.split(b"\n")[:-1]
        self._parser.feed(lines, 0, len(lines), self._lines)
        self._lines += len(lines)

    def _last(self) -> Node | None:
        """Return the section that one more of the same depth would follow."""
        if self._parser.fence:
            return None
        below = next((node for node in self._parser.stack if node.depth >= DEPTH), None)
        return None if below is None or (below.kind, below.depth) != (SECTION, DEPTH) else below

    def back(self) -> int:
        """Return how many lines above the run the section before it begins."""
        node = self._last()
        assert node is not None  # noqa: S101 - a run was found
        return self._lines - node.at

    def path(self) -> list[tuple[bytes, ...]]:
        """Return the heads of the sections around the run, from the outermost."""
        return [node.head for node in self._parser.stack[1:] if node.depth < DEPTH]


class Beginning(Passage):
    """A run of sections that several texts begin with; `tails` is what each has behind it."""

    def __init__(self, read: Read, begin: int, end: int, above: Above, tails: list[bytes]) -> None:
        super().__init__(read, begin, end)
        self.tails = tails
        self._top = read(0, begin)
        self._path = above.path()
        self.line = self._top.count(b"\n")
        self.anchor = self.line - above.back()

    def is_left_out(self, start: bytes | None) -> bool:
        """Tell whether it can be, and see what is kept."""
        return all(are_single(self._path, [self._top, tail]) for tail in self.tails) and (
            self.is_plain(
                {name for text in (self._top, *self.tails) for name in names_in(b"\n" + text)},
                start,
            )
        )

    @property
    def left(self) -> int:
        """How many bytes of it and above stand in a text without what is left out."""
        return len(self._top) + len(self.kept)

    def without(self) -> list[bytes]:
        """Return the texts without what is left out."""
        return [self._top + self.kept + tail for tail in self.tails]

    def behind(self, text: bytes) -> bytes | None:
        """Return what a join has behind the run; None where it is another one up to there."""
        head = self._top + self.kept
        return text[len(head) :] if text.startswith(head) else None

    def whole(self, side: int) -> bytes:
        """Return a text as it is."""
        return self._read(0, self.end) + self.tails[side]


class _Stamps:
    """The stamps of sections, counted: by how many stands a smaller one behind, or a larger one.

    Those of one form, which most journals have, are compared as they are; `are_all` tells.
    """

    def __init__(self) -> None:
        self.are_all = True
        self.down = 0
        self.up = 0
        self._last: tuple[list[bytes], list[bytes]] = [], []

    def add(self, piece: bytes, names: list[bytes]) -> None:
        """Go on with the sections of a piece, which have these names."""
        stamps = _STAMPS.findall(piece) if self.are_all else []
        if len(stamps) != len(names):
            self.are_all = False
            return
        stamps, names = self._last[0] + stamps, self._last[1] + names
        later = stamps[1:]
        down, up = sum(map(gt, stamps, later)), sum(map(lt, stamps, later))
        if down + up < len(later):
            for at in [at for at, stamp in enumerate(later) if stamp == stamps[at]]:
                one, two = ((size(name, SECTION), name) for name in names[at : at + 2])
                down, up = down + (one > two), up + (one < two)
        self.down, self.up = self.down + down, self.up + up
        self._last = stamps[-1:], names[-1:]


def _at(node: Node) -> int:
    return node.at


def find(texts: list[bytes], start: bytes | None) -> Beginning | None:
    """Return what can be left out of three texts, if anything."""
    return of(
        reader(texts[0]),
        agreement(texts, min(map(len, texts))),
        lambda end: [text[end:] for text in texts],
        start,
    )


def reader(text: bytes) -> Read:
    """Return what reads a text."""
    return lambda begin, end: text[begin:end]


def of(
    read: Read, common: int, tails: Callable[[int], list[bytes]], start: bytes | None
) -> Beginning | None:
    """Return what can be left out of texts that have their first `common` bytes in common.

    `read` gives these, and `tails` what each text has from a place among them on.
    """
    if common < LEAST or start not in STARTS:
        return None
    end = end_in(read, common, start)  # what is read again is read from its beginning, once
    if end == 0:
        return None
    behind = tails(end)
    above = Above(read, start)
    for head in _heads(read, end, start):
        begin = next((at for at in seams(read, head, end, start) if above.reads(at)), 0)
        run = Beginning(read, begin, end, above, behind) if begin else None
        if run is not None and run.is_left_out(start):
            return run
    return None


def _heads(read: Read, end: int, start: bytes | None) -> Iterator[int]:
    """Yield the beginning, and the last heading that holds sections, if most stands behind it."""
    yield 0
    *_, head = 0, *headings(read, 0, end, start)
    if 0 < 2 * head < end:
        yield head


def headings(read: Read, begin: int, end: int, start: bytes | None) -> Iterator[int]:
    """Yield the places of headings that may hold sections; those in the code of one do not."""
    for piece in _pieces(read, begin, end, BEGIN):
        place = piece.find(HEAD)
        while place >= 0:
            top, below = max(piece.rfind(BEGIN, 0, place), 0), piece.find(BEGIN, place + 1)
            section = piece[top : below + 1 if below >= 0 else None]
            is_code = has(section, FENCES) and _are_sections(section, names_in(section), start)
            if not is_code:
                yield begin + place
            place = piece.find(HEAD, below) if below >= 0 else -1
        begin += len(piece) - 1


def end_in(read: Read, common: int, start: bytes | None) -> int:
    """Return where a run ends of what is in common, or 0: two stay, for the last may go on."""
    end = common
    for _ in range(3):
        end = block(read, end, _MARK)
    return end if end and _is_seam(read, end, common, start) else 0


def seams(read: Read, top: int, end: int, start: bytes | None) -> Iterator[int]:
    """Yield where a run may begin behind a place, if it is not too short.

    Further apart each time, for code may never end.
    """
    begin = first(read, BEGIN, top, end) + 1
    while 0 < begin < end - LEAST // 2:
        if _is_seam(read, begin, end, start):
            yield begin
        begin = first(read, BEGIN, begin + (begin - top) // 2, end) + 1


def _pieces(read: Read, begin: int, end: int, mark: bytes) -> Iterator[bytes]:
    """Yield what stands between two places, cut at the line end of some `mark`, which both have."""
    size = CHUNK
    while begin + 1 < end:
        piece = read(begin, min(begin + size, end))
        cut = piece.rfind(mark, 1) if begin + size < end else len(piece) - 1
        if cut < 0:
            size *= 2
            continue
        yield piece[: cut + 1]
        begin += cut
        size = CHUNK


def has(text: bytes, odd: tuple[tuple[bytes, bytes], ...]) -> bool:
    """Tell whether one of some marks stands in a text."""
    return any(byte in text and marks in text for byte, marks in odd)


def is_plain(text: bytes) -> bool:
    """Tell whether each line with the mark begins a section, and no other line does."""
    return not has(text, FENCES) and not has(text, RULES) and not has_odd_heads(text)


def has_odd_heads(text: bytes) -> bool:
    """Tell whether a heading stands there that is none of the mark, or one of hashes alone."""
    return has(text, HEADS) or (b"\n###" in text and _HASHES.search(text) is not None)


def _are_sections(piece: bytes, names: list[bytes], start: bytes | None) -> bool:
    """Tell whether a piece is read as these sections, though there is code or a rule in it."""
    lines = piece[1:].split(b"\n")[:-1]
    if b"\r" in piece or any(map(is_rule, lines[-2:])):
        return False  # a rule may tell of what stands behind
    parser = Parser(start)
    parser.feed(lines, 0, len(lines))
    kids = parser.stack[0].kids
    return parser.fence is None and [(kid.name, kid.kind, kid.depth) for kid in kids] == [
        (name, SECTION, DEPTH) for name in names
    ]


def are_single(path: list[tuple[bytes, ...]], texts: list[bytes]) -> bool:
    """Tell whether the titles around a run stand once in a text, which is given in parts.

    One that stands twice names nothing, and all that it holds is compared.
    """
    names = [b"\n" + head[-1].strip() for head in path]
    return all(sum((b"\n" + text).count(name) for text in texts) == 1 for name in names)


def _is_seam(read: Read, place: int, end: int, start: bytes | None) -> bool:
    """Tell whether a section begins at a place, whatever stands above."""
    above = read(max(0, place - CHUNK), place).rsplit(b"\n", 3)[-3:-1]
    below = read(place, min(place + CHUNK, end)).split(b"\n", 3)[:3]
    return len(above) == 2 and seam_depth([*above, *below], 2, start) == DEPTH  # noqa: PLR2004


def names_in(text: bytes) -> list[bytes]:
    """Return the names of the sections that begin behind a line end of a text."""
    names = _NAMES.findall(text)
    is_bare = _BLANKS.isdisjoint(map(_LAST, names))
    return names if is_bare else [name.rstrip() for name in names]


def _sections(piece: bytes, names: set[bytes]) -> bytes:
    """Return the sections of a piece that have one of these names."""
    sections = piece[:-1].split(BEGIN)[1:]
    heads = [(_MARK + section.partition(b"\n")[0]).rstrip() for section in sections]
    pairs = zip(heads, sections, strict=True)
    return b"".join(_MARK + section + b"\n" for head, section in pairs if head in names)
