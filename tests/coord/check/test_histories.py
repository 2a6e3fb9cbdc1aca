"""Random histories that only ever met the log driver have nothing to answer for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from end_to_end.test_histories import BRANCHES, History

from harness import Repo
from harness.check import problems
from harness.drivers import add_drivers

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 11])
def test_what_the_driver_joined_passes_whatever_the_history(
    tmp_path: Path, env: dict[str, str], seed: int
) -> None:
    """Merges, squashes, rebases and picks between three branches; then one record is taken away."""
    repo = Repo.init(tmp_path / "repo", env)
    add_drivers(repo)
    repo.commit("declare", {".gitattributes": "[attr]coord-log -merge\n*.log coord-log\n"})
    history = History(repo, seed, stamped=True)
    history.play()
    assert not [problem for branch in BRANCHES for problem in problems(repo, branch)]

    lines = repo.read("events.log").splitlines(keepends=True)
    bad = repo.commit("drop", {"events.log": "".join(lines[:3] + lines[4:])})

    assert [problem.commit for problem in problems(repo, "HEAD")] == [bad]
