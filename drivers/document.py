"""The join of documents as trees, place by place: of changelogs, and of journals of blocks.

A changelog is a document that people also edit: what one side alone edits or deletes is taken. Of a
journal every line of the base has to stand. In both, what is new on either side is kept once, under
the section where it was put, and what both changed differently is refused.
"""

from __future__ import annotations

from coord.drivers import between, passage
from coord.drivers.clash import EDITED, FORM, GROWN, MOVED, PLACE, TEXTS, Clash
from coord.drivers.kinds import SECTION
from coord.drivers.line import is_directive, is_release
from coord.drivers.moves import Moves
from coord.drivers.place import Weaver, added, descending, is_copy, removed, tables
from coord.drivers.records import common_end, line_end, line_ends, terminated
from coord.drivers.texts import Texts
from coord.drivers.tree import difference, raw, text, unfolded

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

    from coord.drivers.passage import Beginning, Passage
    from coord.drivers.place import Key
    from coord.drivers.texts import Trees
    from coord.drivers.tree import Node

    Joined = tuple[Node, Trees | None]  # a piece, and what it is still to be joined from

_SIGNS = b" -- "  # how the last line of a release of Debian begins


def join(
    base: bytes, ours: bytes, theirs: bytes, start: bytes | None = None, *, edits: bool
) -> bytes:
    """Return the join of three documents, which takes the `edits` of one side or refuses them.

    Raises:
        Clash: they cannot be joined.
    """
    texts = [base, ours, theirs]
    run = None if ours == theirs else passage.find(texts, start)
    tail = None if run is None else behind(run, start, edits=edits)
    if run is None or tail is None:
        return whole(texts, start, edits=edits)
    return ours[: run.end] + tail


def behind(run: Beginning, start: bytes | None, *, edits: bool) -> bytes | None:
    """Return what the join has behind a run that all three texts have; None: read them whole.

    Raises:
        Clash: they cannot be joined.
    """
    end = _line_end(run)
    if run.tails[1] == run.tails[2]:
        return terminated(run.tails[1], end)
    try:
        short = _of_ends(run.without(), start, end, run, lambda: run.whole(0), edits=edits)
    except Clash as error:
        more = run.more(error.line, run.line)
        if more is None:
            return None
        error.line += more
        raise
    return run.behind(short)


def _line_end(run: Beginning) -> bytes:
    """Return the line end of a join; in the run there is no CR."""
    if not any(b"\r" in tail for tail in run.tails):
        return b"\n"
    above = run.lines()
    base, ours, theirs = ((crlf, above + lines) for crlf, lines in map(line_ends, run.tails))
    return line_end(base, ours, theirs)


def whole(texts: list[bytes], start: bytes | None, *, edits: bool) -> bytes:
    """Return the join of three texts, all of which is read. Raise Clash."""
    base, ours, theirs = texts
    end = common_end(base, ours, theirs)
    if ours == theirs:
        return terminated(ours, end)
    return _of_ends(texts, start, end, None, lambda: base, edits=edits)


def _of_ends(
    texts: list[bytes],
    start: bytes | None,
    end: bytes,
    run: Beginning | None,
    base: Callable[[], bytes],
    *,
    edits: bool,
) -> bytes:
    """Return the join of three texts, which need not be read where they are the same. Raise Clash.

    They may lack a `run`; `base` reads the whole one.
    """
    runs: list[Passage] = [] if run is None else [run]
    more = between.find(texts, start, 0 if run is None else run.left - 1)
    if more is not None:
        try:
            left = [*runs, *more.all]
            short = _of_texts(more.without(), start, end, left, base, edits=edits)
            whole = more.back_in(short)
        except Clash as error:
            whole, line = None, more.numbered(error.line, error.of)
            if line is not None:
                error.line = line
                raise
        if whole is not None:
            return whole
    return _of_texts(texts, start, end, runs, base, edits=edits)


def _of_texts(
    sides: list[bytes],
    start: bytes | None,
    end: bytes,
    runs: list[Passage],
    base: Callable[[], bytes],
    *,
    edits: bool,
) -> bytes:
    """Return the join of three texts that lack `runs`. Raise Clash."""
    texts = Texts(sides[0], sides[1], sides[2], start)
    moves = Moves(edits=edits)
    new = _joined(texts.trees(), moves, runs, edits=edits)
    moves.require_one_place(base)
    lines = raw(new) + list(new.gap or ())
    other = difference(texts.reread(lines), new)
    if other is not None:
        raise _clash(FORM, other, None, of="join")
    return end.join(lines) + end if lines else b""


def _joined(trees: Trees, moves: Moves, runs: list[Passage], *, edits: bool) -> Node:
    """Return the join of three whole trees."""
    root = trees[0].like()
    root.gap = three(trees[0].gap, trees[1].gap, trees[2].gap, widest)
    pending: list[tuple[Node, Trees, Node | None]] = [(root, trees, None)]
    while pending:
        new, sides, above = pending.pop()
        base, ours, theirs = sides
        same = ours.folded if ours.folded == theirs.folded else None
        if same is not None and (base.folded == same or (edits and base.at < 0)):
            new.folded = same
            continue
        base, ours, theirs = sides = unfolded(base), unfolded(ours), unfolded(theirs)
        new.glue = _glue(sides, above, edits=edits)
        if ours.kids and theirs.kids:
            new.lead = three(base.lead, ours.lead, theirs.lead, widest)
        else:
            new.lead = ours.lead if ours.kids else theirs.lead
        if ours.kids or theirs.kids or base.kids:
            place = _Place(sides, runs, edits=edits)
            inside = place.joined()
            moves.see(place.base, place.ours, place.theirs)
            new.kids = [kid for kid, _ in inside]
            new.unread = [run.gaps for run in runs if run.stands_in(base.kids)]
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
    """The kids of one piece, on each side; what all begin with was read once, and is the same."""

    def __init__(self, sides: Trees, runs: list[Passage], *, edits: bool) -> None:
        self._runs = runs
        self._below = sides[1]
        self._is_release = sides[1].kind == SECTION and is_release(sides[1].name)
        self._edits = edits
        self._siblings = sides[0].kids
        self._head, known = tables([side.kids for side in sides])
        self.base, self.ours, self.theirs = known
        self._kept = {
            key: node for key, node in self.base.items() if key in self.ours and key in self.theirs
        }
        self._sides = {"ours": self.ours, "theirs": self.theirs}
        self._new = {name: added(side, self.base, self._kept) for name, side in self._sides.items()}

    def joined(self) -> list[Joined]:
        """Return the kids of the join, in order. Raise Clash."""
        for key in self.base:
            if (key in self.ours) != (key in self.theirs):
                self._require_agreement(key)
        for name in self._sides:
            self._require_order(name)
        self._require_one_change()
        self._require_one_trailer()
        out: list[Joined] = [(node, None) for node in self._head]
        kept = list(self._kept)
        for number, keys in enumerate(self._woven()):
            out += [self._piece(key) for key in keys]
            if number < len(kept):
                out.append(self._piece(kept[number]))
        return out

    def _require_agreement(self, key: Key) -> None:
        """A piece that one side alone removed was removed from what the other one left alone."""
        mine, others = self.ours.get(key), self.theirs.get(key)
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
            [key for place in places for key in place if key.startswith(_SIGNS)]
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
        all_depths = {node.depth for node in nodes.values()}
        weaver = Weaver(nodes, lambda: descending(self._siblings, self._runs))
        # depth → the first place behind a kept piece of that depth
        first = {node.depth: -1 for node in self._head}
        for number, node in enumerate(self._kept.values()):
            first.setdefault(node.depth, number)
        seen: set[Key] = set()  # what both put into different places goes into the first
        out: list[list[Key]] = []
        for number, sides in enumerate(zip(left, right, strict=True)):
            out.append([])
            if not sides[0] and not sides[1]:
                continue
            here = [[key for key in keys if key not in seen] if seen else keys for keys in sides]
            seen.update(*here)
            # the deeper first: behind a shallower one they would hang from it
            depths = [*all_depths]
            if depths[1:]:
                depths = sorted({nodes[key].depth for keys in here for key in keys}, reverse=True)
            for depth in depths:
                mine, others = here
                if depths[1:]:
                    mine, others = (
                        [key for key in keys if nodes[key].depth == depth] for keys in here
                    )
                out[-1] += weaver.weave(mine, others, top=first.get(depth, -1) >= number)
        return out

    def _piece(self, key: Key) -> Joined:
        """Return one kid of the join, and what it is to be joined from, if it is."""
        base, ours, theirs = self.base.get(key), self.ours.get(key), self.theirs.get(key)
        if ours is None or theirs is None:
            alone = ours or theirs
            assert alone is not None  # noqa: S101 - for mypy
            return alone, None
        if _are_same_leaf(ours, theirs) and (base is None or _are_same_leaf(base, ours)):
            return ours, None
        if base is None:
            base = _nothing(ours)
        gap = three(base.gap, ours.gap, theirs.gap, widest)
        if is_directive(ours.name):
            _require_one_body((base, ours, theirs), self._below)
        if is_copy(key):  # its name stands twice, so it is the same everywhere, but for blank lines
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


def _are_same_leaf(ours: Node, theirs: Node) -> bool:
    """Tell whether both are one piece without others in it, so that there is nothing to join."""
    if ours.kids or ours.folded or theirs.kids or theirs.folded:
        return False
    if ours is theirs:
        return True
    return (ours.head, ours.glue, ours.gap) == (theirs.head, theirs.glue, theirs.gap)


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
