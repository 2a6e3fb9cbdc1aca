"""Journals of dated entries, and what a join of them comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.drivers import document
from coord.drivers.clash import Clash

if TYPE_CHECKING:
    from collections.abc import Sequence

TIMES = 300


def block(day: int, text: str = "- did") -> str:
    """Return one entry of a journal."""
    return f"## 2026-{1 + day // 28:02}-{1 + day % 28:02}T03:04:05Z ada\n\n{text} {day}\n\n"


def outcome(sides: Sequence[bytes], start: bytes | None, *, edits: bool) -> object:
    """Return the join, or why there is none."""
    try:
        return document.join(sides[0], sides[1], sides[2], start, edits=edits)
    except Clash as error:
        return error.reason, error.name, error.below, error.of, error.line, error.side
