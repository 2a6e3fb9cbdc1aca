"""What declared sessions, runs and waits leave in a worktree that stays: no more than is needed."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from coord.liveness import process, sessionfile, signs, spent
from coord.liveness.presence import UNKNOWN, Judge

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ME = "i-1"


@pytest.fixture
def ended() -> process.Process:
    """A process that has ended."""
    with subprocess.Popen(["sleep", "60"]) as child:
        found = process.of(child.pid)
        child.kill()
    return found


def left(folder: Path) -> list[str]:
    """Return the sessions that have a file."""
    return [one.id for one in sessionfile.every(str(folder))]


def begun(
    folder: Path, act: Callable[[sessionfile.Session], None], kind: str = "session"
) -> sessionfile.Session:
    """Begin a session, let `act` do its part, and let go of it."""
    made = sessionfile.begin(str(folder), kind, ME)
    act(made)
    os.close(made.fd)
    return made


def test_sessions_that_are_over_leave_no_more_files_than_signs(tmp_path: Path) -> None:
    """A harness begins one an hour in the main worktree: each file was read by each command."""
    for number in range(30):
        spent.forget(str(tmp_path))
        made = sessionfile.begin(str(tmp_path), "session", ME)
        own = process.own()._replace(pid=os.getpid(), start=f"{number}")
        signs.leave(str(tmp_path), ME, signs.Chain((own, process.own()), True, made.id), 0)
        made.over(all_of_it=True)
        made.close()

    names = os.listdir(tmp_path / sessionfile.FOLDER / ME)
    assert len(left(tmp_path)) <= len(names) + 1 < 12
    assert set(names) - {signs.UNSEEN} <= set(left(tmp_path))


def test_a_killed_run_and_a_killed_wait_go_and_what_lives_stays(
    tmp_path: Path, ended: process.Process
) -> None:
    """Where the process and the lock prove it; one whose sign stands is asked for by that."""
    for kind in ("run", "wait", "session"):
        begun(tmp_path, lambda made: made.record(ended), kind)
    told = begun(tmp_path, lambda made: made.over(all_of_it=True))
    signs.leave(str(tmp_path), ME, signs.Chain((process.own(),), True), 0)
    sign = tmp_path / sessionfile.FOLDER / ME / told.id
    sign.touch()
    lives = begun(tmp_path, lambda made: made.record(process.own()), "run")
    behind = begun(tmp_path, lambda made: made.over(all_of_it=False))

    spent.forget(str(tmp_path))

    assert sorted(left(tmp_path)) == sorted([told.id, lives.id, behind.id])


def test_of_many_that_nobody_can_tell_of_the_word_stays_unknown(
    tmp_path: Path, ended: process.Process
) -> None:
    """Each container that was killed left one; that one of them may live is never forgotten."""
    (tmp_path / "HEAD").touch()
    away = ended._replace(boot=ended.boot.replace("[", "[9"))
    for at in range(20):
        made = begun(tmp_path, lambda made: made.record(away))
        os.utime(made.path, (at, at))

    spent.forget(str(tmp_path))

    assert len(left(tmp_path)) == 8
    for one in left(tmp_path):
        sessionfile.forget(str(tmp_path), one)
    begun(tmp_path, lambda made: made.over(all_of_it=True))
    assert Judge(str(tmp_path), time.time(), 1800.0).of(".", ME).liveness == UNKNOWN
