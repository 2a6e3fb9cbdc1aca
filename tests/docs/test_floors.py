"""The picture of the floors is that of the code."""

from __future__ import annotations

import floors


def test_the_picture_of_the_floors_is_what_the_code_gives() -> None:
    """docs/floors.svg is drawn anew with every room, module and import: python docs/floors.py."""
    drawn = (floors.ROOT / "docs" / "floors.svg").read_text(encoding="utf-8")

    assert drawn == floors.picture()
