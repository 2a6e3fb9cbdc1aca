"""The README's pictures of a day without git-coord, and with it, are what the commands say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import without

if TYPE_CHECKING:
    from pathlib import Path


def test_the_pictures_show_what_was_said(tmp_path: Path, env: dict[str, str]) -> None:
    """By day and by night; drawn anew by ``python docs/without.py``."""
    for name, picture in without.pictures(tmp_path, env).items():
        assert (without.PICTURES / name).read_text(encoding="utf-8") == picture
