"""Lines added to the end of somebody else's file, and taken out again without a trace.

A file without a final newline stays one: what is added then lacks it too, and that is what tells
:func:`without` to take back the newline between. The same goes for an empty file; one that was not
there at all gets whole lines, and :func:`without` answers None when nothing else is left of it. So
``without(added(old))`` is `old`, with nothing to remember.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet


def split(text: bytes) -> list[bytes]:
    """Return the lines of `text` with their newlines; only LF ends a line."""
    *whole, rest = text.split(b"\n")
    return [line + b"\n" for line in whole] + ([rest] if rest else [])


def added(old: bytes | None, lines: bytes) -> bytes:
    """Return `old` (None: no such file) with newline-terminated `lines` at its end."""
    if old is None or old.endswith(b"\n"):
        return (old or b"") + lines
    return old + (b"\n" if old else b"") + lines[:-1]


def without(text: bytes, numbers: AbstractSet[int]) -> bytes | None:
    """Return `text` without the lines of these indexes; None when the file should go too."""
    if not numbers:
        return text
    lines = split(text)
    kept = b"".join(line for number, line in enumerate(lines) if number not in numbers)
    if not lines or len(lines) - 1 not in numbers:
        return kept
    if not lines[-1].endswith(b"\n"):
        return kept.removesuffix(b"\n")
    return kept or None
