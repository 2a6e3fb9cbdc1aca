"""Records: how the bytes of a log fall into them, and how bytes are made of them again.

A record is a line without its end; or, with a `start`, the lines from one that begins with it to
the next (text before the first is a record too: the header); or, with the empty `start`, a
paragraph. One CR at the end of a line and the blank lines after a block are no part of a record's
identity: the one belongs to the checkout that wrote it, the others to its neighbours.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from typing import TypeVar

    T = TypeVar("T", bound=Hashable)


class Records:
    """`keys` in order; `lines`: where each begins, from 0; `gaps`: key → most blank lines after it.

    Lines have no gaps; every block has one, of 0 or more.
    """

    __slots__ = ("gaps", "keys", "lines")

    def __init__(self, keys: list[bytes], lines: Sequence[int], gaps: dict[bytes, int]) -> None:
        self.keys = keys
        self.lines = lines
        self.gaps = gaps


def count(keys: Iterable[T]) -> dict[T, int]:
    """Return how often each record occurs (`collections` costs 2 ms of a driver's start)."""
    counts: dict[T, int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    return counts


def split(text: bytes, start: bytes | None) -> Records:
    """Return the records of `text`."""
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    if b"\r" in text:
        lines = [line[:-1] if line.endswith(b"\r") else line for line in lines]
    if start is None:
        return Records(lines, range(len(lines)), {})
    return _blocks(lines, start)


def _blocks(lines: list[bytes], start: bytes) -> Records:
    records = Records([], places := [], {})
    begin = 0
    for number in range(1, len(lines) + 1):
        if number < len(lines) and not _begins(lines, number, start):
            continue
        end = number
        while end > begin and not lines[end - 1]:
            end -= 1
        if end > begin:  # blank lines alone are no record
            key = b"\n".join(lines[begin:end])
            records.keys.append(key)
            places.append(begin)
            records.gaps[key] = max(records.gaps.get(key, 0), number - end)
        begin = number
    return records


def _begins(lines: list[bytes], number: int, start: bytes) -> bool:
    """Tell whether a block begins at a line that is not the first."""
    if start:
        return lines[number].startswith(start)
    return bool(lines[number]) and not lines[number - 1]


def render(keys: list[bytes], gaps: dict[bytes, int], end: bytes) -> bytes:
    """Return the bytes of records, each with the line end `end`: never a last line without one."""
    if not keys:
        return b""
    if gaps:
        keys = [key.replace(b"\n", end) + gaps[key] * end for key in keys]
    return end.join(keys) + end


def terminated(text: bytes, end: bytes) -> bytes:
    """Return `text` with a line end at its end: what is appended next must not be glued to it."""
    return text if text.endswith(b"\n") or not text else text + end


def gaps_of_join(
    keys: list[bytes], ours: Records, theirs: Records, start: bytes
) -> dict[bytes, int]:
    """Return the blank lines after each block of the join `keys`: the most that either side has.

    The last block of a file often has none. Where blocks are set apart at all and another follows
    it now, it gets one; without it two paragraphs would become one.
    """
    apart = 1 if not start or any(ours.gaps.values()) or any(theirs.gaps.values()) else 0
    gaps = dict(ours.gaps)
    for key, gap in theirs.gaps.items():
        gaps[key] = max(gaps.get(key, 0), gap)
    for side in (ours, theirs):
        if side.keys and side.keys[-1] != keys[-1]:
            gaps[side.keys[-1]] = max(gaps[side.keys[-1]], apart)
    return gaps


def line_ends(text: bytes) -> tuple[int, int]:
    """Return how many line ends of a text are CRLF, and how many it has."""
    return text.count(b"\r\n"), text.count(b"\n")


def common_end(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Return the line end of the join of three texts."""
    texts = (base, ours, theirs)
    if not any(b"\r" in text for text in texts):
        return b"\n"
    return line_end(*map(line_ends, texts))


def line_end(base: tuple[int, int], ours: tuple[int, int], theirs: tuple[int, int]) -> bytes:
    """Return the line end of a join, from the `line_ends` of the three texts.

    The base's more frequent one. Without a base LF, unless both sides are CRLF throughout.
    """
    if base[1]:
        return b"\r\n" if 2 * base[0] > base[1] else b"\n"
    return b"\r\n" if all(0 < crlf == lines for crlf, lines in (ours, theirs)) else b"\n"
