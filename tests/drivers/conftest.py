"""Fixtures of the driver tests: the drivers in a real repository, and generated logs."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from harness.begun import begun_by
from harness.drivers import add_drivers

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

settings.register_profile(
    "drivers",
    max_examples=int(os.environ.get("COORD_HYPOTHESIS_EXAMPLES", "40")),
    deadline=None,
)
settings.load_profile("drivers")


@pytest.fixture
def guarded(repo: Repo) -> Repo:
    """A repository of logs (``*.log``), derived (``*.lock``) and write-once files (``*.once``)."""
    return begun_by(repo, add_drivers)


@pytest.fixture
def spy(tmp_path: Path, repo: Repo) -> Repo:
    """The same with a ``git-coord`` on PATH that only notes, one a line, what it is called with."""
    add_drivers(repo)
    folder = tmp_path / "spy"
    folder.mkdir()
    script = folder / "git-coord"
    script.write_text('#!/bin/sh\nprintf "%s\\000" "$@" >"${0%/*}/called"\n')
    script.chmod(0o755)
    assert shutil.which("git") is not None
    return repo.with_env(PATH=f"{folder}:{repo.env['PATH']}", SPY=str(folder / "called"))
