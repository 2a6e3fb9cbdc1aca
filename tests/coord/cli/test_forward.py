"""Signals reach the command of ``run`` and ``session`` whenever they come."""

from __future__ import annotations

import signal
import sys
import uuid
from typing import TYPE_CHECKING

import pytest

from harness.board import MARK, answer, eventually, marked, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness.repo import Repo

# The program, with a signal at the very moment before or after its command is started.
AT = """
import os, subprocess, sys
real = subprocess.Popen.__init__
def started(self, args, **more):
    if {when} == "before" and args[0] == "sleep":
        os.kill(os.getpid(), {number})
    real(self, args, **more)
    if {when} == "after" and args[0] == "sleep":
        os.kill(os.getpid(), {number})
subprocess.Popen.__init__ = started
from coord.cli.main import run
run()
"""
VERBS = [("session", "--"), ("run", "y", "--")]


@pytest.fixture
def one(repo: Repo, tmp_path: Path) -> Repo:
    """A worker."""
    return worker(repo, tmp_path / "one", "feat-one", "one-0001")


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("verb", VERBS, ids=["session", "run"])
def test_a_signal_beside_the_start_reaches_the_command(
    one: Repo, verb: tuple[str, ...], when: str
) -> None:
    """The parent died of it, or gave the scope up, and the command lived on."""
    mark = uuid.uuid4().hex
    program = AT.format(when=repr(when), number=int(signal.SIGTERM))

    done = one.with_env(**{MARK: mark}).run(sys.executable, "-c", program, *verb, "sleep", "60")

    assert done.code == 128 + signal.SIGTERM
    assert eventually(lambda: not marked(mark))
    assert not [row for row in answer(one, "board")["claims"] if row["state"] != "free"]


@pytest.mark.parametrize("verb", VERBS, ids=["session", "run"])
def test_what_is_ignored_stays_so(one: Repo, verb: tuple[str, ...]) -> None:
    """Of ``nohup``: the terminal is closed, and the command goes on to its end."""
    text = "echo up; kill -HUP $PPID; sleep 0.3; kill -HUP $$; echo done"
    with one.begun("nohup", "git-coord", *verb, "sh", "-c", text) as going:
        said = going.communicate(timeout=30)[0]

    assert (going.returncode, said) == (0, b"up\ndone\n")
