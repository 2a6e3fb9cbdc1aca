"""A document as a tree: sections hold pieces, and what is indented hangs from what is not.

A section begins at a `start` line, an ATX heading, a setext heading, an overlined title or the
first line of a Debian release. An item is a bullet, a text a paragraph, a link or a directive; the
lines below that continue one are its glue. A code fence is one piece, and so is a comment of
HTML that spans lines. Blank lines belong to the place. Nothing here recurses: how deep a document
nests is for whoever wrote it to say.
"""

from __future__ import annotations

from _bisect import bisect_right  # `bisect` is a file more to load

from coord.drivers.kinds import BLANK, INDENTED, ITEM, ODD, SECTION, TEXT, Kinds
from coord.drivers.line import LINK, closes, comment, fence, heading, is_item, is_rule

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from coord.drivers.line import Lines

    Gaps = dict[tuple[bytes, ...], int]  # blank lines → how often they stand before a section


_NOTHING: list[Any] = ()  # type: ignore[assignment]  # most pieces have neither kids nor glue
_ONE = (b"",)  # a gap of one line, as most are


class Node:
    """A piece. `name` is its first line, or the title of a section, and what it is known by.

    `head` holds that line (two, where a title is overlined), `glue` the lines that stick to it,
    `gap` the blank lines before it (None for a first kid: its parent has them as `lead`). `at` is
    the index of its first line; `unread` tells of sections that nobody read. A folded piece has no
    kids, but `folded`: lines, begin, end and the start that they are read with.
    """

    __slots__ = (
        "at", "depth", "folded", "gap", "glue", "head", "kids", "kind", "lead", "name", "unread"
    )  # fmt: skip

    def __init__(
        self, kind: int, depth: int, head: tuple[bytes, ...], name: bytes, at: int
    ) -> None:
        self.kind = kind
        self.depth = depth
        self.head = head
        self.name = name
        self.at = at
        self.gap: tuple[bytes, ...] | None = None
        self.lead: tuple[bytes, ...] | None = None
        self.glue: list[bytes] = _NOTHING
        self.kids: list[Node] = _NOTHING
        self.folded: tuple[Lines, int, int, bytes | None] | None = None
        self.unread: list[Callable[[], Gaps]] = _NOTHING

    def like(self) -> Node:
        """Return a piece of the same name and head, with nothing else."""
        return Node(self.kind, self.depth, self.head, self.name, self.at)

    def copy(self) -> Node:
        """Return one that can grow without this one."""
        new = self.like()
        new.gap, new.lead, new.folded = self.gap, self.lead, self.folded
        new.glue, new.kids = self.glue and [*self.glue], self.kids and [*self.kids]
        return new


class Parser:
    """Reads lines into a tree, and can stop between two of them. The tree is `stack[0]`."""

    __slots__ = ("_kinds", "blank", "fence", "fold", "stack", "start")

    def __init__(self, start: bytes | None, *, fold: bool = False) -> None:
        self.start = start
        self.fold = fold
        self.stack = [Node(SECTION, -1, (), b"", 0)]
        self.blank: list[bytes] = []
        self.fence: bytes | None = None
        self._kinds = Kinds(start)

    def fork(self) -> Parser:
        """Return a parser that goes on from here by itself, and folds nothing."""
        new = Parser(self.start)
        new.blank, new.fence = list(self.blank), self.fence
        new.stack = [node.copy() for node in self.stack]
        for parent, kid in zip(new.stack, new.stack[1:], strict=False):
            parent.kids[-1] = kid
        return new

    def feed(self, lines: Lines, at: int, end: int, offset: int = 0) -> int:
        """Read from line `at` to `end`, two lines behind which are looked at; return where it is.

        That may be behind `end`, where a heading of two or three lines stands.
        """
        kinds, stack = self._kinds, self.stack
        while at < end:
            line = lines[at]
            if self.fence:
                if closes(line.strip(), self.fence):
                    self.fence = None
                at += self._stick(line)
                continue
            kind, depth, head, name = kinds[line]
            if kind == BLANK:
                self.blank.append(line)
                at += 1
                continue
            last = stack[-1]
            fresh = self.blank or last.kind == SECTION
            if kind != SECTION and fresh and at + 1 < len(lines) and kinds[lines[at + 1]][0] == ODD:
                kind = ODD  # what stands below may make a title of it
            if kind == ODD:
                at += self._piece(lines, at, line.strip(), offset)
            elif kind != TEXT or fresh:
                self._open(Node(kind, depth, head, name, at + offset), lines, at)
                at += 1
            else:
                at += self._stick(line)
        return at

    def _stick(self, line: bytes) -> int:
        last = self.stack[-1]
        if not last.glue:
            last.glue = []
        last.glue += self.blank
        last.glue.append(line)
        self.blank = []
        return 1

    def _piece(self, lines: Lines, at: int, bare: bytes, offset: int) -> int:
        """Read the piece or the line of glue that begins at a line; return how many it takes."""
        line, last = lines[at], self.stack[-1]
        fresh = bool(self.blank) or last.kind == SECTION
        found = heading(lines, at, self.start, fresh=fresh)
        if found is not None:
            depth, head, under = found
            name = head[-1].rstrip()
            self._open(Node(SECTION, depth, head, name, at + offset), lines, at)
            if under:
                self._stick(lines[at + len(head)])
            return len(head) + under
        indent = INDENTED + len(line) - len(line.lstrip())
        if is_item(line, bare):
            self._open(Node(ITEM, indent, (line,), line.rstrip(), at + offset), lines, at)
        elif fresh or LINK.match(line) or comment(bare):
            self._open(Node(TEXT, indent, (line,), line.rstrip(), at + offset), lines, at)
            self.fence = comment(bare) or fence(bare)
        else:
            self.fence = None if bare.startswith(b"~") else fence(bare)  # not an underline
            self._stick(line)
        return 1

    def _open(self, node: Node, lines: Lines, at: int) -> None:
        """Hang a new piece where its depth says."""
        if self.fold:
            self.close(node.depth, lines, at)
        stack = self.stack
        while stack[-1].depth >= node.depth:
            stack.pop()
        parent = stack[-1]
        blank: tuple[bytes, ...] = ()
        if self.blank:
            blank = _ONE if self.blank == [b""] else tuple(self.blank)
            self.blank = []
        if parent.kids:
            node.gap = blank
            parent.kids.append(node)
        else:
            parent.lead = blank
            parent.kids = [node]
        stack.append(node)

    def close(self, depth: int, lines: Lines, at: int) -> None:
        """End every open piece that is not above `depth`: line `at` is no part of it."""
        while self.stack[-1].depth >= depth:
            node = self.stack.pop()
            if self.fold and (node.kids or node.glue):
                node.folded = lines, node.at, at - len(self.blank), self.start
                node.kids = node.glue = _NOTHING

    def graft(self, sections: list[Node], after: list[bytes], offset: int) -> None:
        """Go on with folded sections, read elsewhere, and the blank lines behind them."""
        depth = -1  # of the last one, behind which others of the same stand in the same place
        for section in sections:
            node = section.copy()
            node.at += offset
            if section.depth == depth and section.gap is not None:
                self.stack[-1] = node
                self.stack[-2].kids.append(node)
                continue
            depth = section.depth
            self.blank = self.blank if section.gap is None else list(section.gap)
            node.gap = None
            self._open(node, (), 0)
        if sections:
            self.blank = list(after)

    def finish(self) -> Node:
        """Return the whole tree."""
        root = self.stack[0]
        root.gap = tuple(self.blank)
        return root


def folded(lines: Lines, begin: int, start: bytes | None) -> tuple[list[Node], list[bytes]] | None:
    """Return the sections from a line to the end, folded, and the blank lines behind them.

    None where they end in the middle of a code fence.
    """
    parser = Parser(start, fold=True)
    parser.feed(lines, begin, len(lines))
    if parser.fence:
        return None
    parser.close(0, lines, len(lines))
    return parser.stack[0].kids, parser.blank


def resumed(root: Node, line: int, start: bytes | None) -> tuple[Parser, int] | None:
    """Return a parser that has read a tree up to its last piece that begins at or before a line.

    And the line of that piece; None where there is none. What it has read it shares with the tree.
    """
    node, path = root, []
    while place := bisect_right(node.kids, line, key=lambda kid: kid.at):
        path.append((node, place - 1))
        node = node.kids[place - 1]
    if not path:
        return None
    parser = Parser(start)
    parser.blank = list((path[-1][0].lead if path[-1][1] == 0 else node.gap) or ())
    parser.stack = []
    for above, place in path:
        new = above.copy()
        new.kids = above.kids[:place]
        if parser.stack:
            parser.stack[-1].kids.append(new)
        parser.stack.append(new)
    while parser.stack[-1].kids:  # what stands above the piece is open yet
        new = parser.stack[-1].kids[-1].copy()
        parser.stack[-1].kids[-1] = new
        parser.stack.append(new)
    return parser, node.at


def text(node: Node) -> tuple[bytes, ...]:
    """Return all lines of a piece but for blank ones, without what they trail."""
    if not node.kids and not node.glue and node.folded is None:
        return (node.name,) if len(node.head) == 1 else tuple(map(bytes.rstrip, node.head))
    return tuple(line for line in map(bytes.rstrip, raw(node)) if line)


def raw(node: Node) -> list[bytes]:
    """Return all lines of a piece as they would be written."""
    if not node.kids and node.folded is None:
        return [*node.head, *node.glue]
    out: list[bytes] = []
    pending = [node]
    while pending:
        piece = pending.pop()
        if piece.folded is not None:
            lines, begin, end, _ = piece.folded
            out += lines[begin:end]
            continue
        out += piece.head
        if piece.glue:
            out += piece.glue
        if piece.kids:
            pending += _spaced(piece)
    return out


def _spaced(node: Node) -> Iterator[Node]:
    """Yield the kids from the last to the first, each followed by the blank lines before it."""
    gaps: dict[bool, tuple[bytes, ...] | None] = {}
    for at in range(len(node.kids) - 1, -1, -1):
        kid = node.kids[at]
        yield kid
        gap = node.lead if at == 0 else kid.gap
        if at and gap is None:
            is_section = kid.kind == SECTION
            if is_section not in gaps:
                gaps[is_section] = _usual(node, is_section=is_section)
            gap = _gap(kid, gaps[is_section])
        if gap:
            space = Node(TEXT, 0, (), b"", 0)
            space.glue = [*gap]
            yield space


def _usual(node: Node, *, is_section: bool) -> tuple[bytes, ...] | None:
    """Return the commonest of the gaps between sections, or between other pieces."""
    counts: dict[tuple[bytes, ...], int] = {}
    for kid in node.kids:
        if kid.gap is not None and (kid.kind == SECTION) == is_section:
            counts[kid.gap] = counts.get(kid.gap, 0) + 1
    for gaps in node.unread if is_section else ():
        for gap, copies in gaps().items():
            counts[gap] = counts.get(gap, 0) + copies
    return max(counts, key=lambda gap: (counts[gap], gap), default=None)


def _gap(kid: Node, usual: tuple[bytes, ...] | None) -> tuple[bytes, ...]:
    """Return the gap before a piece that was a first kid and is none now."""
    if usual is None:
        usual = () if kid.kind == ITEM else (b"",)
    if kid.kind == TEXT and not LINK.match(kid.head[0]):
        return usual or (b"",)  # or it would continue what stands above
    return usual


def contents(document: bytes, start: bytes | None) -> list[tuple[tuple[bytes, ...], bytes]]:
    """Return each line that is not blank, stripped, with the titles of the sections around it.

    A title is the line "" below itself; what underlines it is no line.
    """
    lines = document.replace(b"\r\n", b"\n").split(b"\n")
    parser = Parser(start)
    parser.feed(lines, 0, len(lines))
    found: list[tuple[tuple[bytes, ...], bytes]] = []
    pending: list[tuple[Node, tuple[bytes, ...]]] = [(parser.stack[0], ())]
    while pending:
        node, path = pending.pop()
        if node.kind != SECTION and not node.kids and not node.glue:
            found.append((path, node.name.lstrip()))
            continue
        stands = [*node.head, *node.glue]
        if node.kind == SECTION and node.head:
            path = (*path, node.name.strip())
            stands = node.glue[bool(node.glue) and is_rule(node.glue[0]) :]
            found.append((path, b""))
        found += [(path, bare) for bare in map(bytes.strip, stands) if bare]
        pending += [(kid, path) for kid in reversed(node.kids)]
    return found


def difference(one: Node, other: Node) -> Node | None:
    """Return the first piece of a tree that the other has not: by name, glue or number of kids."""
    pending = [(one, other)]
    while pending:
        left, right = pending.pop()
        if left is right:
            continue
        if left.folded is not None and right.folded is not None and left.folded == right.folded:
            continue
        left, right = unfolded(left), unfolded(right)
        if (left.head, left.glue, len(left.kids)) != (right.head, right.glue, len(right.kids)):
            return left
        pending += reversed(list(zip(left.kids, right.kids, strict=True)))
    return None


def unfolded(node: Node) -> Node:
    """Return a piece with its kids."""
    if node.folded is None:
        return node
    lines, begin, end, start = node.folded
    parser = Parser(start)
    if node.kind != SECTION:  # that it is no title is told by what stands above it
        parser._open(node.like(), (), 0)  # noqa: SLF001
        begin += 1
    parser.feed(lines[:end], begin, end, node.at - node.folded[1])
    new = parser.stack[0].kids[0]
    new.gap = node.gap
    return new
