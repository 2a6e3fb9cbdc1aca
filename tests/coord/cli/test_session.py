"""``git coord session``: stays as the parent, passes all on, and says when all of it is over."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from harness.board import actor, eventually, silence, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness.repo import Repo

CLAIM = "git coord claim x >/dev/null; "


@pytest.fixture
def two(repo: Repo, tmp_path: Path) -> Repo:
    """A worker whose end others look at."""
    return worker(repo, tmp_path / "two", "feat-two", "two-0002")


@pytest.mark.parametrize(("command", "code"), [("exit 7", 7), ("kill -9 $$", 137)])
def test_a_session_passes_the_status_on_and_is_over_at_once(
    repo: Repo, two: Repo, command: str, code: int
) -> None:
    """However its command ended."""
    assert two.coord("session", "--", "sh", "-c", CLAIM + command).code == code

    found = actor(repo, "two-0002")
    assert (found["liveness"], found["why"], found["dead"]) == (
        "ended",
        "its session is over",
        True,
    )


def test_what_a_command_leaves_behind_keeps_a_session_from_being_over(
    repo: Repo, two: Repo
) -> None:
    """A daemon closes what it was handed, has a session of its own, and works on."""
    behind = "setsid sh -c 'exec >/dev/null 2>&1 3>&-; echo $$ >pid; exec sleep 60' & "
    behind += "until [ -s pid ]; do sleep 0.02; done"
    assert two.coord("session", "--", "sh", "-c", CLAIM + behind).code == 0
    try:
        silence(two, 3600)
        assert actor(repo, "two-0002")["liveness"] == "left"
    finally:
        os.kill(int((two.path / "pid").read_text()), signal.SIGKILL)


def test_a_session_whose_keeper_was_killed_is_over_when_its_command_is(
    repo: Repo, two: Repo
) -> None:
    """The lock is free, and the process it was begun for has ended: each alone proves nothing."""
    with subprocess.Popen(
        ["git-coord", "session", "--", "sh", "-c", CLAIM + "echo $$ >pid; read -r line; :"],
        cwd=two.path,
        env=two.env,
        stdin=subprocess.PIPE,
    ) as keeper:
        assert eventually(lambda: (two.path / "pid").is_file() and (two.path / "pid").read_text())
        keeper.kill()
        keeper.wait()
        silence(two, 3600)
        assert actor(repo, "two-0002")["liveness"] == "silent"
        os.kill(int((two.path / "pid").read_text()), signal.SIGKILL)
        assert eventually(lambda: actor(repo, "two-0002")["liveness"] == "ended")
