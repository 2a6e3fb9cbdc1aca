"""What many tests begin with: made once in a process, then copied."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness.repo import Repo

_MADE: dict[Callable[[Repo], object], Path] = {}


def begun_by(repo: Repo, make: Callable[[Repo], object]) -> Repo:
    """Return `repo`, as a fixture has just made it, as `make` leaves it.

    `make` changes nothing outside the folder of the repository, and no path stands in what it
    writes: so there are no linked worktrees, and no board, whose clone knows its own folder.
    """
    if make in _MADE:
        shutil.rmtree(repo.path)
        shutil.copytree(_MADE[make], repo.path, symlinks=True)
        repo.tried("update-index", "-q", "--refresh")  # it knows its files by their inodes
    else:
        make(repo)
        folder = repo.path.parent.parent / f"begun-{len(_MADE)}"
        shutil.copytree(repo.path, folder, symlinks=True)
        _MADE[make] = folder
    return repo
