"""Fixtures: repositories with the hooks in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.begun import begun_by
from harness.hooked import add_hooks

if TYPE_CHECKING:
    from harness import Repo


@pytest.fixture
def hooked(repo: Repo) -> Repo:
    """The repository of one commit, with hooks, drivers and attributes."""
    return begun_by(repo, add_hooks)
