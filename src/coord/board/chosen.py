"""Which store a repository's board is kept in: the one place that opens it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.board.directory import Directory

if TYPE_CHECKING:
    from coord.board.store import Store


def folder(common_dir: str) -> str:
    """Return where the embedded store keeps a repository's board."""
    return os.path.join(common_dir, "coord", "board")


def board_of(common_dir: str) -> Store:
    """Return the board of the repository with this common git dir."""
    return Directory(folder(common_dir))
