"""The three texts of a document, read into trees: what they have in common only once.

Documents differ in one place, seldom at both ends. So what all three begin and end with is parsed
once, and its pieces folded: only their names count there, for a name may stand twice.
"""

from __future__ import annotations

from coord.drivers.line import seam, sections
from coord.drivers.prefix import agreement
from coord.drivers.records import count
from coord.drivers.tree import Parser, folded, resumed

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from coord.drivers.tree import Node

    Trees = tuple[Node, Node, Node]

_LOOK = 2  # so many lines behind a piece tell what it is


class Texts:
    """Three documents, and what they have in common at both ends, in lines."""

    def __init__(self, base: bytes, ours: bytes, theirs: bytes, start: bytes | None) -> None:
        self._start = start
        texts = [text.replace(b"\r\n", b"\n") for text in (base, ours, theirs)]
        texts = [text.removesuffix(b"\n") for text in texts]
        self._head, bodies, self._tail = _cut(texts)
        self._parser = Parser(start, fold=True)
        self._read = self._parser.feed(self._head, 0, len(self._head) - 2)
        self._bodies = [self._head[self._read :] + body for body in bodies]
        self._seam = seam(self._tail, 0, start)
        after = folded(self._tail, self._seam, start)
        if after is None:
            self._seam = len(self._tail)
        self._after = after or ([], [])
        self._found: list[tuple[list[bytes], list[tuple[int, int]]]] = []
        self._shared = self._sections_of_all()
        self._known: list[tuple[list[bytes], Node]] = []  # what was read, and its tree

    def _sections_of_all(self) -> dict[bytes, tuple[list[Node], list[bytes]]]:
        """Return the lines of sections that stand in all three texts, read once."""
        common: set[bytes] | None = None
        for body in self._bodies if all(self._bodies) else []:
            found = {b"\n".join(body[begin:end]) for begin, end in self._sections(body)}
            common = found if common is None else common & found
            if not common:
                break  # the other bodies may be large
        shared = {}
        for lines in common or ():
            read = folded(lines.split(b"\n"), 0, self._start)
            if read is not None and len(read[0]) == 1:
                shared[lines] = read
        return shared

    def _sections(self, body: list[bytes]) -> list[tuple[int, int]]:
        """Return begin and end of the sections of a body that are not in another one of it."""
        for known, out in self._found:
            if body == known:
                return out
        out = []
        self._found.append((body, out))
        found = sections(body, self._start)
        depths = [depth for _, _, depth in found]
        often = {depth for depth, copies in count(depths).items() if copies > 1}
        top = min(often, default=0)
        for begin, end, depth in found:
            is_long = end - begin > _LOOK  # a shorter one is read before it is found
            if is_long and depth == top and (not out or begin >= out[-1][1]):
                out.append((begin, end))
        return out

    def trees(self) -> Trees:
        """Return the trees of base, ours and theirs."""
        base, ours, theirs = (self._tree(body) for body in self._bodies)
        if base is None or ours is None or theirs is None:  # a code fence goes on behind the seam
            self._seam, self._after = len(self._tail), ([], [])
            base, ours, theirs = (self._whole(body) for body in self._bodies)
        return base, ours, theirs

    def _whole(self, body: list[bytes]) -> Node:
        tree = self._tree(body)
        assert tree is not None  # noqa: S101 - only a seam makes it so
        return tree

    def _tree(self, body: list[bytes]) -> Node | None:
        """Return the tree of a text, of which `body` is what stands between head and tail.

        None where a code fence goes on into what was read elsewhere.
        """
        lines = body + self._tail[: self._seam]
        for known, tree in self._known:
            if lines == known:  # of a commit that is judged, the base is a side
                return tree
        parser, at = self._begun(lines)
        for begin, end in self._sections(lines) if self._shared else []:
            read = self._shared.get(b"\n".join(lines[begin:end]))
            if read is not None and begin >= at:
                at = parser.feed(lines, at, begin, self._read)
                if not parser.fence:
                    parser.graft(*read, self._read + begin)
                    at = end
        parser.feed(lines, at, len(lines), self._read)
        if parser.fence and self._after[0]:
            return None
        parser.graft(*self._after, self._read + len(body))
        tree = parser.finish()
        self._known.append((lines, tree))
        return tree

    def _begun(self, lines: list[bytes]) -> tuple[Parser, int]:
        """Return a parser that has read the lines as far as its answer says.

        What another text begins with as well is not read again: in there, a piece ends two lines
        before they differ.
        """
        same = [(_common(lines, other), number) for number, (other, _) in enumerate(self._known)]
        length, number = max(same, default=(0, 0))
        found = None
        if length > _LOOK:
            found = resumed(self._known[number][1], self._read + length - _LOOK, self._start)
        if found is None or found[1] < self._read:
            return self._parser.fork(), 0
        return found[0], found[1] - self._read

    def reread(self, lines: list[bytes]) -> Node:
        """Return the tree of a join; what all texts have at both ends is not read again."""
        end = len(lines) - len(self._tail)
        if self._read <= end and lines[: self._read] == self._head[: self._read]:
            tree = self._tree(lines[self._read : end]) if lines[end:] == self._tail else None
            if tree is not None:
                return tree
        parser = Parser(self._start)  # a piece of what was cut stands elsewhere
        parser.feed(lines, 0, len(lines))
        return parser.finish()


def _common(one: list[bytes], other: list[bytes]) -> int:
    """Return how many lines two texts begin with in common."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _cut(texts: list[bytes]) -> tuple[list[bytes], list[list[bytes]], list[bytes]]:
    """Return the lines that all texts begin with, those of each between, those they end with."""
    shortest = min(map(len, texts))
    begin = texts[0].rfind(b"\n", 0, agreement(texts, shortest)) + 1
    common = _ending(texts, shortest - begin)
    # a line that is whole in one may be the end of a longer one in another
    end = texts[0].find(b"\n", len(texts[0]) - common) + 1 if common else 0
    size = len(texts[0]) - end if end else 0
    head = texts[0][:begin].split(b"\n")[:-1]
    tail = texts[0][end:].split(b"\n") if size else []
    bodies = [text[begin : len(text) - size].split(b"\n") if text else [] for text in texts]
    if size:
        bodies = [body[:-1] for body in bodies]  # what stands behind the last line end
    return head, bodies, tail


def _ending(texts: list[bytes], size: int) -> int:
    """Return how many of the last `size` bytes are the same in all texts."""
    low, first = 0, texts[0]
    ends = [len(text) for text in texts]
    while low < size:
        middle = (low + size + 1) // 2
        ours = first[ends[0] - middle : ends[0] - low]
        if all(
            text[end - middle : end - low] == ours for text, end in zip(texts, ends, strict=True)
        ):
            low = middle
        else:
            size = middle - 1
    return low
