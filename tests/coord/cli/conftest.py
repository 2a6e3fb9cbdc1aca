"""Workers in linked worktrees of one repository; a file whose workers hold more overrides them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.board import worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


@pytest.fixture
def one(tmp_path: Path, repo: Repo) -> Repo:
    """A pinned worker in a linked worktree."""
    return worker(repo, tmp_path / "one", "feat-one", "one-0001")


@pytest.fixture
def two(tmp_path: Path, repo: Repo) -> Repo:
    """Another one."""
    return worker(repo, tmp_path / "two", "feat-two", "two-0002")


@pytest.fixture
def three(tmp_path: Path, repo: Repo) -> Repo:
    """A third."""
    return worker(repo, tmp_path / "three", "feat-three", "three-0003")
