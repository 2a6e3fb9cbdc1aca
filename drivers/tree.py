"""A document as a tree: sections hold pieces, and what is indented hangs from what is not.

A section begins at a `start` line, an ATX heading, a setext heading, an overlined title or the
first line of a Debian release. An item is a bullet, a text a paragraph, a link or a directive; the
lines below that continue one are its glue. A code fence is one piece, and so is a comment of
HTML that spans lines. Blank lines belong to the place. Nothing here recurses: how deep a document
nests is for whoever wrote it to say.
"""

# `re` costs a driver 4 ms, once a file that is a tree: by hand the patterns cost more a megabyte.
from __future__ import annotations

import re

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Lines = Sequence[bytes]

SECTION, ITEM, TEXT = 0, 1, 2
_INDENTED = 100  # the depth of what is no section begins here, and grows with its indent
_UNDERLINES = b"=-~^\"'`*+.#"  # the order is the depth of the titles they underline
_COMMENT_END = b"-->"
_DEFAULT = 2  # the depth of a start line that does not tell by its `#`

_ATX = re.compile(rb"#{1,6} ")
_BULLET = re.compile(rb"[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+\S|[-*+]$)")
_DEBIAN = re.compile(rb"[a-z0-9]\S* \(\S+\)[^;]*; *urgency=")
_LINK = re.compile(rb"\[[^\]]+\]:[ \t]|\.\. ")
_LABEL = re.compile(rb"[ \t]*(?:\[[^\]]+\]:|\.\. (?:_[^:]+:(?!:)|\[[^\]]+\]))")
_DIRECTIVE = re.compile(rb"[ \t]*\.\. [^\s:][^:]*::")
_RULE = re.compile(rb"([-=~^\"'`*+.#])\1\1+[ \t]*$")
_FENCE = re.compile(rb"(`{3,})[^`]*$|(~{3,})")


class Node:
    """A piece. `name` is its first line, or the title of a section, and what it is known by.

    `head` holds that line (two, where a title is overlined), `glue` the lines that stick to it,
    `gap` the blank lines before it (None for a first kid: its parent has them as `lead`). `at` is
    the index of its first line. A folded piece has no kids, but `folded`: lines, begin, end and
    the start that they are read with.
    """

    __slots__ = ("at", "depth", "folded", "gap", "glue", "head", "kids", "kind", "lead", "name")

    def __init__(self, kind: int, depth: int, head: tuple[bytes, ...], at: int) -> None:
        self.kind = kind
        self.depth = depth
        self.head = head
        self.name = head[-1].rstrip() if head else b""
        self.at = at
        self.gap: tuple[bytes, ...] | None = None
        self.lead: tuple[bytes, ...] | None = None
        self.glue: list[bytes] = []
        self.kids: list[Node] = []
        self.folded: tuple[Lines, int, int, bytes | None] | None = None

    def like(self) -> Node:
        """Return a piece of the same name and head, with nothing else."""
        return Node(self.kind, self.depth, self.head, self.at)

    def copy(self) -> Node:
        """Return one that can grow without this one."""
        new = self.like()
        new.gap, new.lead, new.folded = self.gap, self.lead, self.folded
        new.glue, new.kids = list(self.glue), list(self.kids)
        return new


class Parser:
    """Reads lines into a tree, and can stop between two of them. The tree is `stack[0]`."""

    __slots__ = ("blank", "fence", "fold", "stack", "start")

    def __init__(self, start: bytes | None, *, fold: bool = False) -> None:
        self.start = start
        self.fold = fold
        self.stack = [Node(SECTION, -1, (), 0)]
        self.blank: list[bytes] = []
        self.fence: bytes | None = None

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
        while at < end:
            line = lines[at]
            bare = line.strip()
            if not bare and not self.fence:
                self.blank.append(line)
                at += 1
            elif self.fence:
                if _closes(bare, self.fence):
                    self.fence = None
                at += self._stick(line)
            else:
                at += self._piece(lines, at, bare, offset)
        return at

    def _stick(self, line: bytes) -> int:
        glue = self.stack[-1].glue
        glue += self.blank
        glue.append(line)
        self.blank = []
        return 1

    def _piece(self, lines: Lines, at: int, bare: bytes, offset: int) -> int:
        """Read the piece or the line of glue that begins at a line; return how many it takes."""
        line, last = lines[at], self.stack[-1]
        fresh = bool(self.blank) or last.kind == SECTION
        found = heading(lines, at, self.start, fresh=fresh)
        if found is not None:
            depth, head, under = found
            self._open(Node(SECTION, depth, head, at + offset), lines, at)
            if under:
                self.stack[-1].glue.append(lines[at + len(head)])
            return len(head) + under
        indent = _INDENTED + len(line) - len(line.lstrip())
        if _BULLET.match(line):
            self._open(Node(ITEM, indent, (line,), at + offset), lines, at)
        elif fresh or _LINK.match(line) or _comment(bare):
            self._open(Node(TEXT, indent, (line,), at + offset), lines, at)
            self.fence = _comment(bare) or _fence(bare)
        else:
            self.fence = None if bare.startswith(b"~") else _fence(bare)  # not an underline
            self._stick(line)
        return 1

    def _open(self, node: Node, lines: Lines, at: int) -> None:
        """Hang a new piece where its depth says."""
        self.close(node.depth, lines, at)
        parent = self.stack[-1]
        if parent.kids:
            node.gap = tuple(self.blank)
        else:
            parent.lead = tuple(self.blank)
        self.blank = []
        parent.kids.append(node)
        self.stack.append(node)

    def close(self, depth: int, lines: Lines, at: int) -> None:
        """End every open piece that is not above `depth`: line `at` is no part of it."""
        while self.stack[-1].depth >= depth:
            node = self.stack.pop()
            if self.fold:
                node.folded = lines, node.at, at - len(self.blank), self.start
                node.kids, node.glue = [], []

    def graft(self, sections: list[Node], after: list[bytes], offset: int) -> None:
        """Go on with folded sections, read elsewhere, and the blank lines behind them."""
        for section in sections:
            node = section.copy()
            node.at += offset
            self.blank = self.blank if section.gap is None else list(section.gap)
            node.gap = None
            self._open(node, (), 0)
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


def _fence(bare: bytes) -> bytes | None:
    """Return what has to end the code that begins at a line, if it does."""
    if bare[:3] not in (b"```", b"~~~"):
        return None
    opens = _FENCE.match(bare)
    return opens and (opens[1] or opens[2])


def _comment(bare: bytes) -> bytes | None:
    """Return what has to end the comment that begins at a line and goes on below it."""
    return _COMMENT_END if bare.startswith(b"<!--") and _COMMENT_END not in bare else None


def _closes(bare: bytes, fence: bytes) -> bool:
    if fence == _COMMENT_END:
        return fence in bare
    return bare.startswith(fence) and not bare.strip(fence[:1])


def heading(
    lines: Lines, at: int, start: bytes | None, *, fresh: bool
) -> tuple[int, tuple[bytes, ...], bool] | None:
    """Return depth and head of the section that begins at a line, and whether it is underlined.

    `fresh`: nothing stands right above that the line could continue.
    """
    line = lines[at]
    below = lines[at + 1] if at + 1 < len(lines) else b""
    if start and line.startswith(start):
        # a start line may be underlined too, as in `Version 2` and dashes
        return len(start) - len(start.lstrip(b"#")) or _DEFAULT, (line,), _underlined(line, below)
    if line.startswith(b"#") and _ATX.match(line):
        return line.index(b" "), (line,), False
    if not start and _DEBIAN.match(line):
        return _DEFAULT, (line,), False
    return _title(lines, at, below) if fresh else None


def _title(lines: Lines, at: int, below: bytes) -> tuple[int, tuple[bytes, ...], bool] | None:
    """Return the same of a title that a line below it makes one, or one above and one below."""
    line = lines[at]
    if _is_rule(line):
        third = lines[at + 2] if at + 2 < len(lines) else b""
        if not below.strip() or third[:3] != line[:3] or _width(line) < _width(below):
            return None  # a rule, or a fence of code
        return 1 + _UNDERLINES.index(line[:1]), (line, below), _is_rule(third)
    if not line[:1].isspace() and _is_rule(below):
        return 1 + _UNDERLINES.index(below[:1]), (line,), True
    return None


def _width(line: bytes) -> int:
    return len(line.rstrip().decode(errors="replace"))


def _underlined(line: bytes, below: bytes) -> bool:
    return not line.startswith(b"#") and _is_rule(below)


def _is_rule(line: bytes) -> bool:
    """Tell whether a line can underline a title; three backticks rather begin code."""
    return bool(_RULE.match(line)) and line.rstrip() != b"```"


def label(line: bytes) -> bytes:
    """Return the label of a link, footnote or target that a line defines, in lower case, or b""."""
    found = _LABEL.match(line)
    return b" ".join(found[0].lower().split()) if found else b""


def is_release(line: bytes) -> bool:
    """Tell whether a line begins a release of Debian."""
    return bool(_DEBIAN.match(line))


def is_directive(line: bytes) -> bool:
    """Tell whether a line begins a directive of reST, the name of which names no piece."""
    return bool(_DIRECTIVE.match(line))


def seam(lines: Lines, begin: int, start: bytes | None) -> int:
    """Return the first line, from `begin`, at which a section begins whatever stands above.

    The lines from `begin` are those that all texts end with; without such a section, the length.
    """
    for at in range(begin + 2, len(lines)):
        if seam_depth(lines, at, start) is not None:
            return at
    return len(lines)


def seam_depth(lines: Lines, at: int, start: bytes | None) -> int | None:
    """Return the depth of the section that begins at a line whatever stands above; else None."""
    line = lines[at]
    bare = not lines[at - 1].strip()
    if not line.strip() or _RULE.match(line):
        return None
    if not bare and (_RULE.match(lines[at - 1]) or _RULE.match(lines[at - 2])):
        return None
    found = heading(lines, at, start, fresh=bare)
    return None if found is None else found[0]


def sections(lines: Lines, start: bytes | None) -> list[tuple[int, int, int]]:
    """Return begin, end and depth of the sections with `#` that one at most as deep ends."""
    out: list[tuple[int, int, int]] = []
    open_ones: list[tuple[int, int]] = []
    for at in [at for at, line in enumerate(lines) if line.startswith(b"#") and at > 1]:
        depth = seam_depth(lines, at, start)
        if depth is not None:
            while open_ones and open_ones[-1][1] >= depth:
                begin, deep = open_ones.pop()
                out.append((begin, at, deep))
            open_ones.append((at, depth))
    return sorted(out)


def text(node: Node) -> tuple[bytes, ...]:
    """Return all lines of a piece but for blank ones, without what they trail."""
    return tuple(line for line in map(bytes.rstrip, raw(node)) if line)


def raw(node: Node) -> list[bytes]:
    """Return all lines of a piece as they would be written."""
    out: list[bytes] = []
    pending = [node]
    while pending:
        piece = pending.pop()
        if piece.folded is not None:
            lines, begin, end, _ = piece.folded
            out += lines[begin:end]
            continue
        out += piece.head
        out += piece.glue
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
                gaps[is_section] = _usual(node.kids, is_section=is_section)
            gap = _gap(kid, gaps[is_section])
        if gap:
            space = Node(TEXT, 0, (), 0)
            space.glue += gap
            yield space


def _usual(kids: list[Node], *, is_section: bool) -> tuple[bytes, ...] | None:
    """Return the commonest of the gaps between sections, or between other pieces."""
    counts: dict[tuple[bytes, ...], int] = {}
    for kid in kids:
        if kid.gap is not None and (kid.kind == SECTION) == is_section:
            counts[kid.gap] = counts.get(kid.gap, 0) + 1
    return max(counts, key=lambda gap: (counts[gap], gap), default=None)


def _gap(kid: Node, usual: tuple[bytes, ...] | None) -> tuple[bytes, ...]:
    """Return the gap before a piece that was a first kid and is none now."""
    if usual is None:
        usual = () if kid.kind == ITEM else (b"",)
    if kid.kind == TEXT and not _LINK.match(kid.head[0]):
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
        stands = [*node.head, *node.glue]
        if node.kind == SECTION and node.head:
            path = (*path, node.name.strip())
            stands = [b"", *node.glue[bool(node.glue) and _is_rule(node.glue[0]) :]]
        found += [(path, line.strip()) for line in stands]
        pending += [(kid, path) for kid in reversed(node.kids)]
    return found


def difference(one: Node, other: Node) -> Node | None:
    """Return the first piece of a tree that the other has not: by name, glue or number of kids."""
    pending = [(one, other)]
    while pending:
        left, right = pending.pop()
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
