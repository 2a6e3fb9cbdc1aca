"""Here every command is started as a user starts it."""

from __future__ import annotations

import pytest

from harness import Repo


@pytest.fixture(autouse=True)
def _from_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start Python, and git and the alias before it, for each."""
    monkeypatch.setattr(Repo, "started", Repo.run)
