"""Generated logs: bases, sides that grew or were rewritten, and their bytes in every spelling."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import strategies as st

from coord.drivers.records import split

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINES = [b"a", b"b", b"", b"x  1", b"x 1", b"caf\xc3\xa9", b"\xff\xfe\x01", b"#", b"<<<<<<< a"]
_STAMPS = [
    b"2026-01-01T00:00:00Z",
    b"2026-01-01T01:00:00+01:00",
    b"2026-01-01T00:00:00.5Z",
    b"2026-01-01 00:01",
    b"1999-12-31T23:59:60,25-0130",
]
_BODIES = [b"", b"\nbody", b"\n\nbody", b"\nb\xff\n\n\nc"]


class Mode(NamedTuple):
    """A way of reading a log: its `start`, records to draw from, whether all are stamped."""

    start: bytes | None
    records: list[bytes]
    stamped: bool


MODES = {
    "chunk": Mode(None, _LINES, stamped=False),
    "time": Mode(None, [stamp + b" " + text for stamp in _STAMPS for text in _LINES], stamped=True),
    "blocks": Mode(
        b"## ", [b"## " + word + body for word in _LINES for body in _BODIES], stamped=False
    ),
    "stamped blocks": Mode(
        b"## ", [b"## " + stamp + body for stamp in _STAMPS for body in _BODIES], stamped=True
    ),
    "paragraphs": Mode(b"", [b"a", b"b\nc", b"\xff", b"d\ne\nf", b"x  1", b"x 1"], stamped=False),
}


class Logs(NamedTuple):
    """A base and sides of it, as bytes."""

    base: bytes
    sides: list[bytes]


@st.composite
def texts(draw: st.DrawFn, keys: Sequence[bytes], mode: Mode, apart: int | None) -> bytes:
    """Spell records as bytes, with or without a last line end.

    `apart` is the number of blank lines after a block; None draws it anew for each block, and the
    line end anew for each line.
    """
    ends = st.sampled_from([b"\n", b"\r\n"])
    end = draw(ends)
    lines = []
    for key in keys:
        gap = draw(st.integers(0, 2)) if apart is None else apart
        gap = max(gap, 1) if mode.start == b"" else gap
        lines += [*key.split(b"\n"), *[b""] * (0 if mode.start is None else gap)]
    if keys and not lines[-1] and mode.start is not None and draw(st.booleans()):
        lines.pop()
    text = b"".join(line + (end if apart is not None else draw(ends)) for line in lines)
    if lines and lines[-1] and draw(st.booleans()):
        return text.removesuffix(b"\n").removesuffix(b"\r")
    return text


@st.composite
def grown(draw: st.DrawFn, base: list[bytes], mode: Mode, *, ends_only: bool) -> list[bytes]:
    """Return `base` with records added: at the end, or anywhere."""
    side = list(base)
    for key in draw(st.lists(st.sampled_from(mode.records), max_size=4)):
        side.insert(len(side) if ends_only else draw(st.integers(0, len(side))), key)
    return side


@st.composite
def rewritten(draw: st.DrawFn, base: list[bytes], mode: Mode) -> list[bytes]:
    """Return `base` with records added and, perhaps, removed."""
    side = draw(grown(base, mode, ends_only=False))
    for place in draw(st.lists(st.integers(0, 5), max_size=2)):
        del side[place : place + 1]
    return side


@st.composite
def logs(draw: st.DrawFn, mode: Mode, kind: str, sides: int = 2) -> Logs:
    """Return a base and `sides` of it: "appended" (and set apart alike), "grown" or "rewritten"."""
    base = draw(st.lists(st.sampled_from(mode.records), max_size=4))
    made = [
        draw(
            rewritten(base, mode)
            if kind == "rewritten"
            else grown(base, mode, ends_only=kind == "appended")
        )
        for _ in range(sides)
    ]
    apart = draw(st.integers(0, 1)) if kind == "appended" else None
    return Logs(draw(texts(base, mode, apart)), [draw(texts(side, mode, apart)) for side in made])


def records_of(text: bytes, mode: Mode) -> Counter[bytes]:
    """Return how often each record occurs in a text."""
    return Counter(split(text, mode.start).keys)
