"""The join of documents as trees, place by place: of changelogs, and of journals of blocks.

A changelog is a document that people also edit: what one side alone edits or deletes is taken. Of a
journal every line of the base has to stand. In both, what is new on either side is kept once, under
the section where it was put, and what both changed differently is refused.

Documents differ in one place, seldom at both ends. So what all three begin and end with is parsed
once, and its pieces folded: only their names count there, for a name may stand twice.
"""

from __future__ import annotations

from coord.drivers.clash import EDITED, FORM, GROWN, MOVED, PLACE, TEXTS, Clash
from coord.drivers.join import count
from coord.drivers.moves import Moves
from coord.drivers.place import Weaver, added, descending, removed, tables
from coord.drivers.prefix import agreement
from coord.drivers.records import line_end, line_ends, terminated
from coord.drivers.tree import (
    SECTION,
    Parser,
    difference,
    folded,
    is_directive,
    is_release,
    raw,
    seam,
    sections,
    text,
    unfolded,
)

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

    from coord.drivers.place import Key
    from coord.drivers.tree import Node

    Trees = tuple[Node, Node, Node]
    Joined = tuple[Node, Trees | None]  # a piece, and what it is still to be joined from

_SIGNS = b" -- "  # how the last line of a release of Debian begins


def join(
    base: bytes, ours: bytes, theirs: bytes, start: bytes | None = None, *, edits: bool
) -> bytes:
    """Return the join of three documents, which takes the `edits` of one side or refuses them.

    Raises:
        Clash: they cannot be joined.
    """
    end = line_end(line_ends(base), line_ends(ours), line_ends(theirs))
    if ours == theirs:
        return terminated(ours, end)
    texts = Texts(base, ours, theirs, start)
    moves = Moves(edits=edits)
    new = _joined(texts.trees(), moves, edits=edits)
    moves.require_one_place(base.split(b"\n"))
    lines = raw(new) + list(new.gap or ())
    other = difference(texts.reread(lines), new)
    if other is not None:
        raise _clash(FORM, other, None, of="join")
    return end.join(lines) + end if lines else b""


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
        self._shared = self._sections_of_all()

    def _sections_of_all(self) -> dict[bytes, tuple[list[Node], list[bytes]]]:
        """Return the lines of sections that stand in all three texts, read once."""
        texts = []
        for body in self._bodies:
            found = {b"\n".join(body[begin:end]) for begin, end in self._sections(body)}
            texts.append(found)
        shared = {}
        for lines in texts[0].intersection(*texts[1:]):
            read = folded(lines.split(b"\n"), 0, self._start)
            if read is not None and len(read[0]) == 1:
                shared[lines] = read
        return shared

    def _sections(self, body: list[bytes]) -> list[tuple[int, int]]:
        """Return begin and end of the sections of a body that are not in another one of it."""
        out: list[tuple[int, int]] = []
        found = sections(body, self._start)
        depths = [depth for _, _, depth in found]
        often = {depth for depth, copies in count(depths).items() if copies > 1}
        top = min(often, default=0)
        for begin, end, depth in found:
            if depth == top and (not out or begin >= out[-1][1]):
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
        parser = self._parser.fork()
        lines = body + self._tail[: self._seam]
        at = 0
        for begin, end in self._sections(lines):
            read = self._shared.get(b"\n".join(lines[begin:end]))
            if read is not None:
                at = parser.feed(lines, at, begin, self._read)
                if not parser.fence:
                    parser.graft(*read, self._read + begin)
                    at = end
        parser.feed(lines, at, len(lines), self._read)
        if parser.fence and self._after[0]:
            return None
        parser.graft(*self._after, self._read + len(body))
        return parser.finish()

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


def _joined(trees: Trees, moves: Moves, *, edits: bool) -> Node:
    """Return the join of three whole trees."""
    root = trees[0].like()
    root.gap = three(trees[0].gap, trees[1].gap, trees[2].gap, widest)
    pending: list[tuple[Node, Trees, Node | None]] = [(root, trees, None)]
    while pending:
        new, sides, above = pending.pop()
        base, ours, theirs = sides
        if base.folded is not None and base.folded == ours.folded == theirs.folded:
            new.folded = base.folded
            continue
        base, ours, theirs = sides = unfolded(base), unfolded(ours), unfolded(theirs)
        new.glue = _glue(sides, above, edits=edits)
        if ours.kids and theirs.kids:
            new.lead = three(base.lead, ours.lead, theirs.lead, widest)
        else:
            new.lead = ours.lead if ours.kids else theirs.lead
        if ours.kids or theirs.kids or base.kids:
            place = _Place(sides, edits=edits)
            inside = place.joined()
            moves.see(place.base, place.ours, place.theirs)
            new.kids = [kid for kid, _ in inside]
            pending += [(kid, three, new) for kid, three in reversed(inside) if three is not None]
    return root


def _glue(sides: Trees, above: Node | None, *, edits: bool) -> list[bytes]:
    """Return the lines below a head, which stands below another piece. Raise Clash."""
    base, ours, theirs = (node.glue for node in sides)

    def clash(one: list[bytes], other: list[bytes]) -> list[bytes]:
        if _trimmed(one) == _trimmed(other):
            return min(one, other)
        raise _clash_of(TEXTS, sides, above)

    glue = three(base, ours, theirs, clash)
    if not edits and ours != theirs and not _stand(_trimmed(base), _trimmed(glue)):
        raise _clash_of(EDITED, sides, above, "ours" if ours == glue else "theirs")
    return glue


class _Place:
    """The kids of one piece, on each side."""

    def __init__(self, sides: Trees, *, edits: bool) -> None:
        self._below = sides[1]
        self._is_release = sides[1].kind == SECTION and is_release(sides[1].name)
        self._edits = edits
        self._siblings = sides[0].kids
        self.base, self.ours, self.theirs = tables([side.kids for side in sides])
        self._kept = {
            key: node for key, node in self.base.items() if key in self.ours and key in self.theirs
        }
        self._sides = {"ours": self.ours, "theirs": self.theirs}
        self._new = {name: added(side, self.base, self._kept) for name, side in self._sides.items()}

    def joined(self) -> list[Joined]:
        """Return the kids of the join, in order. Raise Clash."""
        for key in self.base:
            self._require_agreement(key)
        for name in self._sides:
            self._require_order(name)
        self._require_one_change()
        self._require_one_trailer()
        out: list[Joined] = []
        kept = list(self._kept)
        for number, keys in enumerate(self._woven()):
            out += [self._piece(key) for key in keys]
            if number < len(kept):
                out.append(self._piece(kept[number]))
        return out

    def _require_agreement(self, key: Key) -> None:
        """A piece that one side alone removed was removed from what the other one left alone."""
        mine, others = self.ours.get(key), self.theirs.get(key)
        if (mine is None) == (others is None):
            return
        left = others if mine is None else mine
        assert left is not None  # noqa: S101 - for mypy
        if not self._edits or text(left) != text(self.base[key]):
            side = "ours" if mine is None else "theirs"
            raise self._clash(GROWN if self._edits else EDITED, key, side)

    def _require_order(self, side: str) -> None:
        stand = [key for key in self._sides[side] if key in self._kept]
        for key, here in zip(self._kept, stand, strict=True):
            if key != here:
                raise self._clash(MOVED, key, side)

    def _require_one_change(self) -> None:
        """In no place have both sides removed something, and put different things there."""
        holes = [removed(side, self.base, self._kept) for side in self._sides.values()]
        for number, (one, other) in enumerate(zip(*holes, strict=True)):
            if one and other and self._new["ours"][number] != self._new["theirs"][number]:
                raise self._clash(PLACE, self._gone(number), "both")

    def _require_one_trailer(self) -> None:
        """A release of Debian is signed once: no two sides add signatures that differ."""
        signed = [
            [key for place in places for key in place if key[0].startswith(_SIGNS)]
            for places in self._new.values()
        ]
        if self._is_release and all(signed) and signed[0] != signed[1]:
            ours, theirs = self.ours[signed[0][0]], self.theirs[signed[1][0]]
            name, texts = _SIGNS.strip(), (text(ours), text(theirs))
            raise Clash(TEXTS, name, self._below.name, "ours", ours.at + 1, "both", *texts)

    def _gone(self, place: int) -> Key:
        """Return the first piece of the base that is gone from a place."""
        passed = 0
        for key in self.base:
            if key in self._kept:
                passed += 1
            elif passed == place:
                return key
        raise AssertionError(place)

    def _clash(self, reason: str, key: Key, side: str) -> Clash:
        texts = self._there(key, "ours"), self._there(key, "theirs")
        return _clash(reason, self.base[key], self._below, side=side, texts=texts)

    def _there(self, key: Key, side: str) -> tuple[bytes, ...]:
        """Return the text that a side has for a piece of the base, or instead of it."""
        table = self._sides[side]
        if key in table:
            return text(table[key])
        place = 0
        for other in self.base:
            if other == key:
                break
            place += other in self._kept
        return tuple(line for new in self._new[side][place] for line in text(table[new]))

    def _woven(self) -> list[list[Key]]:
        """Return what is new in each place, in order."""
        left, right = sorted(self._new.values())
        if not any(left) and not any(right):
            return left
        nodes = dict(self.ours)
        for key, node in self.theirs.items():
            if key not in nodes or nodes[key].depth < node.depth:
                nodes[key] = node
        weaver = Weaver(nodes, down=descending(self._siblings))
        first: dict[int, int] = {}  # depth → the first place behind a kept piece of that depth
        for number, node in enumerate(self._kept.values()):
            first.setdefault(node.depth, number)
        place: dict[Key, int] = {}  # what both put into different places goes into the first
        out: list[list[Key]] = []
        for number, sides in enumerate(zip(left, right, strict=True)):
            for key in (*sides[0], *sides[1]):
                place.setdefault(key, number)
            out.append([])
            # the deeper first: behind a shallower one they would hang from it
            here = [[key for key in keys if place[key] == number] for keys in sides]
            for depth in sorted({nodes[key].depth for keys in here for key in keys}, reverse=True):
                mine, others = ([key for key in keys if nodes[key].depth == depth] for keys in here)
                out[-1] += weaver.weave(mine, others, top=first.get(depth, -1) >= number)
        return out

    def _piece(self, key: Key) -> Joined:
        """Return one kid of the join, and what it is to be joined from, if it is."""
        base, ours, theirs = (table.get(key) for table in (self.base, self.ours, self.theirs))
        if ours is None or theirs is None:
            alone = ours or theirs
            assert alone is not None  # noqa: S101 - for mypy
            return alone, None
        if base is None:
            base = _nothing(ours)
        gap = three(base.gap, ours.gap, theirs.gap, widest)
        if is_directive(key[0]):
            _require_one_body((base, ours, theirs), self._below)
        if key[2]:  # its name stands twice, so it is the same everywhere, but for blank lines
            lines = [tuple(raw(piece)) for piece in (base, ours, theirs)]
            chosen = three(lines[0], lines[1], lines[2], min)
            new = (ours if chosen == lines[1] else theirs).copy()
            new.gap = gap
            return new, None
        new = ours.like()
        new.head = three(base.head, ours.head, theirs.head, min)
        new.depth = three(base.depth, ours.depth, theirs.depth, max)  # another underline
        new.gap = gap
        return new, (base, ours, theirs)


def _clash(
    reason: str,
    piece: Node,
    above: Node | None,
    *,
    of: str = "base",
    side: str = "both",
    texts: tuple[tuple[bytes, ...], tuple[bytes, ...]] = ((), ()),
) -> Clash:
    below = b"" if above is None else above.name
    return Clash(reason, piece.name, below, of, piece.at + 1, side, *texts)


def _clash_of(reason: str, sides: Trees, above: Node | None, side: str = "both") -> Clash:
    base, ours, theirs = sides
    texts = text(ours), text(theirs)
    if base.at < 0:
        return _clash(reason, ours, above, of="ours", side=side, texts=texts)
    return _clash(reason, base, above, side=side, texts=texts)


def _nothing(like: Node) -> Node:
    """Return what stands for a piece that the base has not."""
    base = like.like()
    base.head, base.depth, base.at = (), -1, -1
    return base


def _require_one_body(sides: Trees, above: Node) -> None:
    """Two directives of one name are two, and what both changed in one is no list of entries."""
    base, ours, theirs = map(text, sides)
    if base not in (ours, theirs) and ours != theirs:
        raise _clash_of(TEXTS, sides, above)


def _trimmed(lines: list[bytes]) -> list[bytes]:
    return [line.rstrip() for line in lines]


def _stand(old: list[bytes], new: list[bytes]) -> bool:
    """Tell whether all old lines stand in the new ones, in their order."""
    rest = iter(new)
    return all(line in rest for line in old)


def three(base: T, ours: T, theirs: T, pick: Callable[[T, T], T]) -> T:
    """Return what stands on both sides, or what one side made of the base, or a `pick` of both."""
    if theirs in (ours, base):
        return ours
    return theirs if ours == base else pick(ours, theirs)


def widest(
    ours: tuple[bytes, ...] | None, theirs: tuple[bytes, ...] | None
) -> tuple[bytes, ...] | None:
    """Return the larger of two gaps."""
    gaps = [gap for gap in (ours, theirs) if gap is not None]
    return max(gaps, key=lambda gap: (len(gap), gap), default=None)
