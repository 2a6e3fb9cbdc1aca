"""What the doctor's tests start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


@pytest.fixture
def side(installed: Repo, tmp_path: Path) -> Repo:
    """A linked worktree of an installed repository, pinned by its hook."""
    return installed.worktree(tmp_path / "side", "side")
