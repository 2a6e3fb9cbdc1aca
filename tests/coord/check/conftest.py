"""What the tests of the check begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.begun import begun_by
from harness.check import declare

if TYPE_CHECKING:
    from harness import Repo


@pytest.fixture
def guarded(repo: Repo) -> Repo:
    """A repository with one file of each kind, declared in its last commit; nothing installed."""
    return begun_by(repo, declare)
