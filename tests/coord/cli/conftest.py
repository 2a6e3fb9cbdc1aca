"""Workers in linked worktrees of one repository; a file whose workers hold more overrides them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import harness.etcd
from harness.board import worker
from harness.costs import clone_of

if TYPE_CHECKING:
    from collections.abc import Iterator
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


@pytest.fixture
def cut(repo: Repo, tmp_path: Path) -> Iterator[tuple[Repo, harness.etcd.Cluster]]:
    """A worker on a server of its own, which the test may stop."""
    for cluster in harness.etcd.served(tmp_path / "etcd"):
        place = f"etcd://{cluster.members[0].endpoint}/own"
        yield clone_of(repo, tmp_path / "one", "ann", place), cluster
