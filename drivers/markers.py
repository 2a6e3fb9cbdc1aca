"""Conflict markers that were committed into a log: no records, but the two texts they stand for.

Whoever takes them out again removes nothing, and whoever puts records back does not want them.
Only a whole conflict counts, as git writes it; a log may well hold a line of seven equal signs. And
a record may quote a conflict: what stands in another version as well is quoted there.
"""

from __future__ import annotations

from coord.drivers.join import both

_OURS, _BASE, _MIDDLE, _THEIRS = b"<<<<<<< ", b"|||||||", b"=======", b">>>>>>> "

_NONE: frozenset[bytes] = frozenset()
_DEPTH = 16  # how deep conflicts stand in each other where git wrote them, and more


def conflicts(text: bytes) -> frozenset[bytes]:
    """Return the whole conflicts in a text, each from its first marker to its last."""
    if _OURS not in text:
        return _NONE
    lines = _lines(text)
    found = ((at, _conflict(lines, at)) for at in range(len(lines)))
    return frozenset(b"\n".join(lines[at : ends[2] + 1]) for at, ends in found if ends)


def line(text: bytes, quoted: frozenset[bytes] = _NONE) -> int:
    """Return the line on which the first whole conflict begins, from 1; 0 where there is none.

    Not counted are those that are `quoted`.
    """
    if _OURS not in text:
        return 0
    lines = _lines(text)
    return next((at + 1 for at in range(len(lines)) if _end(lines, at, quoted)), 0)


def settled(text: bytes, start: bytes | None, quoted: frozenset[bytes] = _NONE) -> bytes:
    """Return a log with each record of both sides instead of its conflicts, or the log itself.

    Those that are `quoted` are records. So are those that stand deeper in each other than git puts
    them: each depth is a reading of the whole, and a peer may write thousands.
    """
    after = text
    for _ in range(_DEPTH):  # more than once where a conflict stands in another
        if not line(after, quoted):
            return after
        after = both(b"", *_sides(after.split(b"\n"), quoted), start)
    return text if line(after, quoted) else after


def sides(text: bytes) -> tuple[bytes, bytes]:
    """Return the two texts that a conflicted one stands for, where no conflict is in another."""
    return _sides(text.split(b"\n"), _NONE)


def _lines(text: bytes) -> list[bytes]:
    return text.replace(b"\r\n", b"\n").split(b"\n")


def _end(lines: list[bytes], at: int, quoted: frozenset[bytes]) -> tuple[int, int, int] | None:
    """Return what `_conflict` does, None where the conflict is quoted."""
    found = _conflict(lines, at)
    if found is None or not quoted:
        return found
    whole = b"\n".join(line.removesuffix(b"\r") for line in lines[at : found[2] + 1])
    return None if whole in quoted else found


def _sides(lines: list[bytes], quoted: frozenset[bytes]) -> tuple[bytes, bytes]:
    """Return the two texts that a conflicted one stands for; what a third side had is neither's."""
    ours: list[bytes] = []
    theirs: list[bytes] = []
    at = 0
    while at < len(lines):
        conflict = _end(lines, at, quoted)
        if conflict is None:
            ours.append(lines[at])
            theirs.append(lines[at])
            at += 1
            continue
        base, middle, end = conflict
        ours += lines[at + 1 : base]
        theirs += lines[middle + 1 : end]
        at = end + 1
    return b"\n".join(ours), b"\n".join(theirs)


def _conflict(lines: list[bytes], at: int) -> tuple[int, int, int] | None:
    """Return where one side of the conflict that begins at a line ends, the other begins, and ends.

    None where none begins.
    """
    if not lines[at].startswith(_OURS):
        return None
    base = middle = 0
    for number in range(at + 1, len(lines)):
        text = lines[number]
        if text.startswith(_OURS):
            return None
        if middle:
            if text.startswith(_THEIRS):
                return base or middle, middle, number
        elif text.startswith(_BASE) and not base:
            base = number
        elif text.rstrip(b"\r") == _MIDDLE:
            middle = number
    return None
