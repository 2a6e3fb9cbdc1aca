"""What the page of a board on a git remote says of its speed is what the code's rule gives."""

from __future__ import annotations

import os
import runpy
from pathlib import Path
from typing import TYPE_CHECKING

from coord.remote import tips

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parent.parent.parent
ROWS = ((2, 20, 5, 6.0), (2, 20, 20, 6.0), (5, 8, 10, 6.0), (40, 1, 20, 6.0), (5, 8, 5, 0.0))
HEADS = ("pushes a minute", "hosts × workers", "a verb each", "verb", "wake", "pushes, the most")
EVERY = bool(os.environ.get("COORD_PACE_ROWS"))


def _row(line: str) -> str:
    """Return a line of the bench with what a reader of the page asks for."""
    rate, fleet, gap, verb, wake, mean, most, _ = (cell.strip() for cell in line.split("|")[1:-1])
    return f"| {' | '.join((rate, fleet, f'{gap} min', verb, wake, f'{mean}, {most}'))} |"


def test_the_table_is_what_eight_simulated_hours_give(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeded, and by a clock that is told; all rows of it with COORD_PACE_ROWS, else two."""
    monkeypatch.setattr(tips, "clock", tips.clock)  # to have it back
    pace = runpy.run_path(str(ROOT / "bench" / "gitpace.py"))
    page = (ROOT / "docs" / "git-board.md").read_text(encoding="utf-8")
    assert f"| {' | '.join(HEADS)} |" in page

    for row in ROWS if EVERY else ROWS[1::2]:
        assert _row(pace["line"](pace["Shape"](*row), pace["HOURS"])) in page
