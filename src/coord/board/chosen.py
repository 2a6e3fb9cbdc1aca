"""Which store a repository's board is kept in: the one place that opens it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coord.board.store import Store


def folder(common_dir: str) -> str:
    """Return where the embedded store keeps a repository's board."""
    return os.path.join(common_dir, "coord", "board")


def board_of(common_dir: str) -> Store:
    """Return the board of the repository with this common git dir."""
    from coord.board.directory import Directory  # noqa: PLC0415  # 0.8 ms; most ask for news only

    return Directory(folder(common_dir))


def may_have(common_dir: str, prefix: str) -> bool:
    """Tell by one listing whether the board has anything below `prefix`, without opening it.

    Raises:
        OSError: the folder cannot be read.
    """
    try:
        return bool(os.listdir(os.path.join(folder(common_dir), prefix)))
    except FileNotFoundError:
        return False
