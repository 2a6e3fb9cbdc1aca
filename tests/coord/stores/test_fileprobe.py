"""The race that proves the board's file system."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from coord.stores import fileprobe, recordfile
from harness.clinic import findings, healthy
from harness.snapshot import snapshot

if TYPE_CHECKING:
    import pytest

    from harness import Repo


def test_a_file_system_that_lets_one_win_is_right(installed: Repo) -> None:
    """Every round has one winner, and nothing is left."""
    before = snapshot(installed.common())

    found = fileprobe.run(str(installed.common("coord")))

    assert found.rounds >= 1
    assert found.odd == 0
    assert healthy(installed)
    assert snapshot(installed.common()) == before


def _both_win(temp: str, path: str) -> bool:
    """Look first, then put: what a mount without an atomic link comes to."""
    free = not os.path.exists(path)
    time.sleep(0.002)
    if free:
        os.replace(temp, path)
        with open(temp, "w", encoding="ascii") as file:
            file.write(temp)
    return free


def test_a_file_system_on_which_two_win_is_named(
    installed: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No such file system can be had in every CI."""
    monkeypatch.setattr(recordfile, "place", _both_win)

    (found,) = findings(installed, "store-not-atomic")

    assert found.worktree == str(installed.common("coord"))
    assert installed.paste(found.run).code == 0
    assert not list(installed.common("coord").glob("board.race*"))


def test_where_nothing_can_be_written_there_is_no_race(installed: Repo) -> None:
    """A missing folder, or a read-only one, is for others to find."""
    assert fileprobe.run(str(installed.path / "nowhere")) == fileprobe.Race()
