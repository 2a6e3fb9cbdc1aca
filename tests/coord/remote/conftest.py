"""A repository for a board, and a clone's cache of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.remotes import Bare, Cache

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def served(tmp_path: Path) -> Path:
    """The folder that servers give."""
    folder = tmp_path / "served"
    folder.mkdir()
    return folder


@pytest.fixture
def bare(served: Path, env: dict[str, str]) -> Bare:
    """A repository without a board, which takes pushes."""
    assert env
    made = Bare(served / "board")
    made.set("http.receivepack", "true")
    return made


@pytest.fixture
def cache(tmp_path: Path, bare: Bare) -> Cache:
    """A clone's cache of it, after its first fetch."""
    made = Cache(tmp_path, str(bare.path))
    assert made.fetch() == ""
    return made
