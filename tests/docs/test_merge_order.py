"""docs/merge-order.md shows what the command prints."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).parent.parent.parent / "docs"


def test_the_screen_is_the_commands_own() -> None:
    """Made by the script that wrote it; its names hold nothing random."""
    module = runpy.run_path(str(DOCS / "merge_order.py"))
    page = (DOCS / "merge-order.md").read_text(encoding="utf-8")

    assert module["of_page"](page) == module["screen"]()
