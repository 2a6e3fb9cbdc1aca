"""docs/who-is-here.md shows the table of tests/cases/test_liveness.py in short."""

from __future__ import annotations

import re
from pathlib import Path

from harness.lives import AGAIN, LOOKERS, WAYS, expected

PAGE = Path(__file__).parents[2] / "docs" / "who-is-here.md"
_SSH = {"ssh"} if WAYS["ssh"].played else set()  # played, it is another way


def test_the_page_says_of_each_way_what_the_table_does() -> None:
    """A row that is added there is missed here."""
    section = PAGE.read_text(encoding="utf-8").partition("## What is tried")[2]
    rows = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("|")]
    told = {way: seen.strip() for ways, seen, _ in rows for way in re.findall(r"[\w-]+", ways)}

    ways = {*WAYS, AGAIN} - _SSH
    assert {way: told.get(way) for way in ways} == {way: expected(way) for way in ways}
    assert len(LOOKERS) == 10
