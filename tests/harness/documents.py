"""Generated documents: sections of items at any depth, sides that grew or were edited, as bytes."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import strategies as st

from coord.drivers.tree import Parser

if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.drivers.tree import Node

    Heading = Callable[[str, int], list[str]]
    Contents = Counter[tuple[tuple[bytes, ...], bytes]]

_VERSIONS = ["Unreleased", "2.0", "1.10", "1.9", "1.2", "2026-01-02T10:00Z", "2026-01-01T10:00Z"]
_PARTS = ["Added", "Fixed", "Removed"]
_ITEMS = [f"item {number}" for number in range(14)]
_UNDERLINES = "=-~"
_OFTEN, _SELDOM = 0.5, 0.15


class Piece(NamedTuple):
    """A section (of `level` 1 to 3) or, at level 0, an item; and what stands in it, in order."""

    name: str
    level: int
    kids: tuple[Piece, ...] = ()


def atx(title: str, level: int) -> list[str]:
    """Return a heading of Markdown."""
    return [f"{'#' * level} {title}"]


def setext(title: str, level: int) -> list[str]:
    """Return an underlined heading, as in reST."""
    return [title, _UNDERLINES[level - 1] * max(3, len(title))]


def overlined(title: str, level: int) -> list[str]:
    """Return a heading between two lines."""
    line = _UNDERLINES[level - 1] * max(3, len(title))
    return [line, title, line]


HEADINGS: dict[str, Heading] = {"ATX": atx, "setext": setext, "overlined": overlined}


def lines(piece: Piece, heading: Heading, indent: int = 0) -> list[str]:
    """Return the lines of a piece."""
    if piece.level == 0:
        out = [" " * indent + "- " + piece.name]
        if piece.name.endswith("3"):
            out.append(" " * indent + "  goes on below " + piece.name)
    else:
        out = [*heading(piece.name, piece.level), ""]
    for number, kid in enumerate(piece.kids):
        if kid.level and (number or not piece.level):
            out.append("")
        out += lines(kid, heading, indent + 2 if piece.level == 0 else 0)
    return [*out, ""] if piece.level and piece.kids and piece.kids[-1].level == 0 else out


def spelled(piece: Piece, heading: Heading, end: bytes = b"\n") -> bytes:
    """Return the bytes of a document."""
    text = "\n".join(lines(piece, heading)).rstrip("\n")
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.encode().replace(b"\n", end) + end


def some(dice: Random, names: list[str], most: int) -> list[str]:
    """Return up to `most` of `names`, in any order."""
    return dice.sample(names, dice.randint(0, min(most, len(names))))


def items(dice: Random, depth: int, who: str = "") -> tuple[Piece, ...]:
    """Return items with items below them, of so many levels."""
    names = some(dice, _ITEMS, 3) if depth else []
    return tuple(Piece(name + who, 0, items(dice, depth - 1, who)) for name in names)


def document(dice: Random) -> Piece:
    """Return a document of versions, some of them in parts."""
    versions = []
    for version in some(dice, _VERSIONS, 3):
        parts = [Piece(part, 3, items(dice, 2)) for part in some(dice, _PARTS, 2)]
        versions.append(Piece(version, 2, (*items(dice, 2), *parts)))
    return Piece("Changes", 1, tuple(versions))


def grown(dice: Random, piece: Piece, who: str = "") -> Piece:
    """Return a document with pieces added, anywhere; the items say `who` added them."""
    kids = [grown(dice, kid, who) for kid in piece.kids]
    taken = {kid.name for kid in kids}
    if piece.level != 1 and dice.random() < _OFTEN:
        for name in sorted({item + who for item in some(dice, _ITEMS, 2)} - taken):
            last = sum(kid.level == 0 for kid in kids)
            new = Piece(name, 0, items(dice, dice.randint(0, 1), who))
            kids.insert(dice.randint(0, last), new)
    names = {1: _VERSIONS, 2: _PARTS}.get(piece.level, [])
    if dice.random() < _OFTEN:
        for name in set(some(dice, names, 1)) - taken:
            first = sum(kid.level == 0 for kid in kids)
            new = Piece(name, piece.level + 1, items(dice, 1, who))
            kids.insert(dice.randint(first, len(kids)), new)
    return piece._replace(kids=tuple(kids))


def edited(dice: Random, piece: Piece) -> Piece:
    """Return a document that grew, and of which pieces were removed, renamed or put elsewhere."""
    return rewritten(dice, grown(dice, piece))


def rewritten(dice: Random, piece: Piece) -> Piece:
    """Return a document of which pieces were removed, renamed or put elsewhere."""
    kids = list(piece.kids)
    if kids and dice.random() < _SELDOM:
        gone = kids.pop(dice.randrange(len(kids)))
        if dice.random() < _OFTEN:
            kids.append(gone._replace(name=f"other {gone.name}"))
    kids = [rewritten(dice, kid) for kid in kids]
    return piece._replace(kids=tuple(sorted(kids, key=lambda kid: kid.level > 0)))


class Documents(NamedTuple):
    """A base and sides of it, as bytes."""

    base: bytes
    sides: list[bytes]


@st.composite
def documents(draw: st.DrawFn, kind: str, sides: int = 2) -> Documents:
    """Return a base and `sides` of it, "grown", "edited", or grown "apart": by other items each.

    They come of one seed: drawn piece by piece, a document takes a second.
    """
    dice = Random(draw(st.integers(0, 2**32)))  # noqa: S311 - no secret
    heading = dice.choice(list(HEADINGS.values()))
    base = document(dice)
    if kind == "edited":
        made = [edited(dice, base) for _ in range(sides)]
    else:
        who = [f" of {side}" if kind == "apart" else "" for side in range(sides)]
        made = [grown(dice, base, name) for name in who]
    return Documents(spelled(base, heading), [spelled(side, heading) for side in made])


def contents(text: bytes) -> Contents:
    """Return how often each line stands in which piece, named from the top; no blank lines."""
    parser = Parser(None)
    parts = text.replace(b"\r\n", b"\n").split(b"\n")
    parser.feed(parts, 0, len(parts))
    found: Contents = Counter()
    pending: list[tuple[Node, tuple[bytes, ...]]] = [(parser.stack[0], ())]
    while pending:
        node, above = pending.pop()
        path = (*above, node.name)
        found.update((path, line.rstrip()) for line in (*node.head, *node.glue))
        pending += [(kid, path) for kid in node.kids]
    return found


def written(text: bytes) -> list[bytes]:
    """Return the lines of a text that are not blank."""
    return [line.rstrip() for line in text.split(b"\n") if line.strip()]
