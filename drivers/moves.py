"""What stands elsewhere: entries that left one place of a document, and where each side put them.

A join goes place by place, and in each of them a removal that both made is agreed. Whether one of
them removed the entry and the other one only moved it, or both moved it apart, all places tell.
"""

from __future__ import annotations

from coord.drivers.clash import APART, GROWN, TEXTS, Clash
from coord.drivers.kinds import ITEM, SECTION, TEXT
from coord.drivers.line import label
from coord.drivers.place import is_copy
from coord.drivers.tree import text, unfolded

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from coord.drivers.place import Table
    from coord.drivers.tree import Node

    Found = dict[bytes, tuple[Node, bool]]  # …, and whether the place it was put is on both sides

_MARKS = bytes(byte for byte in range(128) if not bytes([byte]).isalnum())


class Moves:
    """What left, came or stayed, over all places. `edits`: a changelog, of which entries move."""

    def __init__(self, *, edits: bool) -> None:
        self._edits = edits
        self._gone: dict[bytes, Node] = {}
        self._shared: set[bytes] = set()
        self._alone: dict[str, Found] = {"ours": {}, "theirs": {}}
        self._anchors: list[tuple[str, bytes, Node]] = []

    def see(self, base: Table, ours: Table, theirs: Table) -> None:
        """Take note of one place."""
        for key, node in base.items():
            if key not in ours and key not in theirs:
                for entry in self._entries(node):
                    self._gone.setdefault(entry.name.strip(), entry)
        for side, mine, others in (("ours", ours, theirs), ("theirs", theirs, ours)):
            self._see_side(side, base, mine, others)

    def _see_side(self, side: str, base: Table, mine: Table, others: Table) -> None:
        found = self._alone[side]
        last: Node | None = None  # what the other side has no more
        for key, node in mine.items():
            if key in base:
                last = node if key not in others and node.kind == TEXT else None
                continue
            if last is not None:
                self._anchors.append((side, last.name.strip(), last))
            if key not in others:
                for entry in self._entries(node):
                    found.setdefault(entry.name.strip(), (entry, entry is node))
            elif not self._edits:
                self._see_shared(node, copy=is_copy(key))

    def _see_shared(self, node: Node, *, copy: bool) -> None:
        """Take note of what both brought: what they share inside of it is seen as a place."""
        entries = self._entries(node) if copy else [node] if self._is_entry(node) else []
        self._shared.update(entry.name.strip() for entry in entries)

    def _entries(self, node: Node) -> Iterable[Node]:
        """Return the entries in a piece: no titles, and no line that tells how a release stands."""
        if not node.kids and node.folded is None:
            return (node,) if self._is_entry(node) else ()
        return self._inside(node)

    def _inside(self, node: Node) -> Iterator[Node]:
        pending = [node]
        while pending:
            piece = pending.pop()
            if self._is_entry(piece):
                yield piece
            if piece.kids or piece.folded is not None:
                pending += reversed(unfolded(piece).kids)

    def _is_entry(self, piece: Node) -> bool:
        if piece.kind == SECTION or not piece.name.strip(_MARKS):
            return False
        return not self._edits or piece.kind == ITEM or piece.gap is not None

    def require_one_place(self, base: Callable[[], bytes]) -> None:
        """Raise Clash where something was moved apart, or one side removed what the other moved.

        `base` reads the text of the base, in which what stands is no news that two sides bring.
        """
        ours, theirs = self._alone.values()
        for name, node in self._gone.items():
            if name in ours or name in theirs or (not self._edits and name in self._shared):
                raise self._clash(APART, name, node.at, "base")
        self._require_anchors()
        both = sorted(ours.keys() & theirs.keys()) if self._edits else []
        news = set(both) - {line.strip() for line in base().split(b"\n")} if both else set()
        for name in both:
            (one, direct), (other, straight) = ours[name], theirs[name]
            leaves = not (one.kids or other.kids)
            if name in news and leaves and (direct or straight):
                raise self._clash(APART, name, one.at, "ours")
        self._require_one_target()

    def _require_anchors(self) -> None:
        """What one side wrote behind a text follows it; where the other one moved that, nobody."""
        for side, name, node in self._anchors:
            if name in self._alone["theirs" if side == "ours" else "ours"]:
                raise self._clash(GROWN, name, node.at, side, side=side)

    def _require_one_target(self) -> None:
        """A label of a link or footnote that both sides add means one thing."""
        ours, theirs = (
            {label(name): node for name, (node, _) in found.items() if label(name)}
            for found in self._alone.values()
        )
        for name in sorted(ours.keys() & theirs.keys()):
            one, other = ours[name], theirs[name]
            if text(one) != text(other):
                raise Clash(TEXTS, name, b"", "ours", one.at + 1, "both", text(one), text(other))

    def _clash(self, reason: str, name: bytes, at: int, of: str, side: str = "both") -> Clash:
        there = [found[name][0] if name in found else None for found in self._alone.values()]
        ours, theirs = (() if node is None else text(node) for node in there)
        return Clash(reason, name, b"", of, at + 1, side, ours, theirs)
