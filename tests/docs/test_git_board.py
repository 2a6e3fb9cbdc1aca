"""What the page of a board on a git remote says of its speed is what the code's turns give."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING

from coord.remote import tips

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parent.parent.parent


def test_the_table_is_what_eight_hours_of_turns_give(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeded, and by a clock that is told: ``python bench/turns.py`` prints it."""
    monkeypatch.setattr(tips, "clock", tips.clock)  # to have it back
    turns = runpy.run_path(str(ROOT / "bench" / "turns.py"))

    table = turns["table"]()

    assert table in (ROOT / "docs" / "git-board.md").read_text(encoding="utf-8")
    assert turns["simulated"](1, 20, 300, 3600.0).lost == 0


def test_a_minute_is_counted_wherever_it_begins() -> None:
    """Two pushes a minute apart are not of one."""
    most = runpy.run_path(str(ROOT / "bench" / "turns.py"))["most"]

    assert most([0.0, 59.0, 60.0, 61.0]) == 3
    assert most([0.0, 60.0]) == 1
