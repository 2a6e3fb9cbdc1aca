"""What sections and stamped pieces are ordered by: the instant, then the numbers of a title."""

from __future__ import annotations

import re  # the tree needs it anyway

from coord.drivers.instant import instant
from coord.drivers.kinds import SECTION
from coord.drivers.line import is_release

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    Size = tuple[tuple[tuple[int, bytes], ...], tuple[tuple[int, bytes], ...]]

_PARTS = re.compile(rb"(~|(?<![a-z])(?:alpha|beta|dev|pre|rc|a|b|c)(?![a-z]))|(\d+)", re.IGNORECASE)
_EARLY, _END = -2, -1
_NO_NUMBER = ((1 << 60, b""),)


def size(name: bytes, kind: int) -> Size:
    """Return what pieces are ordered by: the instant, then, for sections, the numbers."""
    stamp = instant(name.lstrip(b"#"))
    return (() if stamp is None else (stamp,)), _numbers(name) if kind == SECTION else ()


def _numbers(title: bytes) -> tuple[tuple[int, bytes], ...]:
    """Return the numbers of a title, comparable without reading a thousand digits as an int.

    Before the end of a version goes what comes before its release: `-rc.1`, `~`, `.dev`.
    """
    if is_release(title):
        version = title[title.index(b"(") + 1 : title.index(b")")]
        title = version if b":" in version else b"0:" + version  # an epoch
    out: list[tuple[int, bytes]] = []
    for word in title.split():
        before = len(out)
        for early, number in _PARTS.findall(word):
            if number:
                bare = number.lstrip(b"0")
                out.append((len(bare), bare))
            elif len(out) > before:
                out.append((_EARLY, b"" if early == b"dev" else early.lower()))
        if len(out) > before:
            out.append((_END, b""))
    return tuple(out) or _NO_NUMBER


def steps(order: list[tuple[Size, bytes]]) -> tuple[int, int]:
    """Return how many stand right above a smaller one, and right above a larger one."""
    pairs = [(order[at], order[at + 1]) for at in range(len(order) - 1)]
    return sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
