"""What three long documents have in common and no join looks into: sections that all begin with.

A journal of blocks grows at its end, and reading half a million blocks into a tree to put two
behind them takes fifteen seconds and a gigabyte. So a run of whole sections that stands in all
three texts is left out of them before they are read, and put back into the join. The first section
stays, and the last two, and each that has the name of one behind the run: a name that stands twice
names nothing. Where anything in the run could be read otherwise than line by line, as in a code
fence, nothing is left out.
"""

from __future__ import annotations

import re  # the tree needs it anyway
from operator import gt, lt

from coord.drivers.line import seam_depth
from coord.drivers.prefix import CHUNK, agreement

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T", bytes, Any)

LEAST = 1 << 16  # bytes in common from which looking for a run pays
DEPTH = 2  # of the sections that most documents are made of
_MARK = b"#" * DEPTH + b" "
_BEGIN = b"\n" + _MARK
_FENCES = (b"```", b"~~~", b"<!--", b"\r")
_RULES = (*(b"\n" + 3 * bytes([byte]) for byte in b"-=^\"'*+."), b"\n# ", b"urgency=")
_HASHES = re.compile(rb"\n###+[ \t]*\n")
_NAMES = re.compile(rb"\n(## [^\n]*)")
_STAMPS = re.compile(
    rb"\n## (\d{4}-(?:0[1-9]|1[012])-(?:0[1-9]|[12]\d|3[01])"
    rb"T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ)[^\n\w.,:]"
)


class Passage:
    """A run of sections. `names`: of all of them, in order; `line`: where the run begins.

    `kept` are the bytes that stay; `above` is how many bytes stand before it, `lines` how many
    lines are left out.
    """

    def __init__(self, text: bytes, above: int, names: list[bytes], kept: bytes, run: int) -> None:
        self._whole = text[above - 1 : above + run]  # with the line end before it
        self.above = above
        self.kept = kept
        self.line = text.count(b"\n", 0, above)
        self.lines = self._whole.count(b"\n") - 1 - kept.count(b"\n")
        self.names = names

    def without(self, text: bytes) -> bytes:
        """Return a text without what is left out."""
        return text[: self.above] + self.kept + text[self.above + len(self._whole) - 1 :]

    def back_in(self, text: bytes, like: bytes) -> bytes | None:
        """Return a join with what was left out; None where it is not as `like` up to there."""
        end = self.above + len(self.kept)
        if text[:end] != like[: self.above] + self.kept:
            return None
        return like[: self.above] + self._whole[1:] + text[end:]

    def steps(self, size: Callable[[bytes], Any]) -> tuple[int, int]:
        """Return how many sections stand above a smaller one, and above a larger one.

        `size` tells for a name by what sections are ordered. Stamps of one form, which most
        journals have, are compared as they are.
        """
        stamps = _STAMPS.findall(self._whole)
        if len(stamps) != len(self.names):
            return steps([size(name) for name in self.names])
        later = stamps[1:]
        down, up = sum(map(gt, stamps, later)), sum(map(lt, stamps, later))
        if down + up < len(later):
            for at in [at for at, stamp in enumerate(later) if stamp == stamps[at]]:
                one, two = size(self.names[at]), size(self.names[at + 1])
                down, up = down + (one > two), up + (one < two)
        return down, up


def steps(order: list[T]) -> tuple[int, int]:
    """Return how many stand right above a smaller one, and right above a larger one."""
    pairs = [(order[at], order[at + 1]) for at in range(len(order) - 1)]
    return sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)


def find(texts: list[bytes], start: bytes | None) -> Passage | None:
    """Return what can be left out of three texts, if anything."""
    shortest = min(map(len, texts))
    if shortest < LEAST or start not in (None, _MARK):
        return None
    common = agreement(texts, shortest)
    if common < LEAST:
        return None
    text = texts[0]
    first = text.find(_BEGIN, 0, common)
    begin = text.find(_BEGIN, first + 1, common) + 1 if first >= 0 else 0
    end = text.rfind(_BEGIN, 0, text.rfind(_BEGIN, 0, common) + 1) + 1
    end = text.rfind(_BEGIN, 0, end) + 1
    if not 0 < begin < end - LEAST // 2 or not _is_plain(text, first, end):
        return None
    if not _is_seam(text, begin, start) or not _is_seam(text, end, start):
        return None
    names = _names(text[begin - 1 : end])
    behind = {name for one in texts for name in _names(b"\n" + one[end:])}
    behind.update(_names(b"\n" + text[:begin]))
    kept = _sections(text[begin:end], behind.intersection(names))
    return Passage(text, begin, names, kept, end - begin)


def _is_plain(text: bytes, first: int, end: int) -> bool:
    """Tell whether from `first` to `end` each line with the mark begins a section, and no other."""
    if any(text.find(fence, 0, end) >= 0 for fence in _FENCES):
        return False
    if any(text.find(rule, first, end) >= 0 for rule in _RULES):
        return False
    return text.find(b"\n###", first, end) < 0 or not _HASHES.search(text, first, end)


def _is_seam(text: bytes, place: int, start: bytes | None) -> bool:
    """Tell whether a section begins at a place, whatever stands above."""
    above = text[max(0, place - CHUNK) : place].rsplit(b"\n", 3)[-3:-1]
    below = text[place : place + CHUNK].split(b"\n", 3)[:3]
    return len(above) == 2 and seam_depth([*above, *below], 2, start) == DEPTH  # noqa: PLR2004


def _names(text: bytes) -> list[bytes]:
    names = _NAMES.findall(text)
    return [name.rstrip() for name in names] if b" \n" in text or b"\t\n" in text else names


def _sections(run: bytes, names: set[bytes]) -> bytes:
    """Return the sections of a run that have one of these names."""
    if not names:
        return b""
    sections = (b"\n" + run.removesuffix(b"\n")).split(_BEGIN)[1:]
    heads = [(_MARK + section.partition(b"\n")[0]).rstrip() for section in sections]
    pairs = zip(heads, sections, strict=True)
    return b"".join(_MARK + section + b"\n" for head, section in pairs if head in names)
