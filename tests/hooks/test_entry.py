"""The entry: one handler; a fault of ours never stops git and never looks like a refusal."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from coord.hooks import entry
from harness.drivers import library

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

PROGRAM = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from coord.hooks.entry import main
main()
"""


def started(
    repo: Repo, event: str, needs: str, *args: str, git_dir: str = ".git", **env: str
) -> subprocess.CompletedProcess[str]:
    """Start the entry as the launcher does."""
    dirs = [git_dir, git_dir]
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROGRAM, library(), "hooks", event, needs, *dirs, *args],
        cwd=repo.path,
        env={**repo.env, **env},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_refusal_has_a_status_of_its_own() -> None:
    """1 is what any crash of Python gives, and a crash must not block a commit."""
    assert entry.REFUSED not in {0, 1, 2, 126, 127}


def test_a_fault_of_ours_is_one_line_and_git_goes_on(repo: Repo) -> None:
    """A message file that is not there is nothing git would do."""
    done = started(repo, "commit-msg", "pin", "missing")

    assert done.returncode == 0
    assert done.stderr.startswith("coord: a fault in the commit-msg hook, git goes on")
    assert done.stderr.count("\n") == 1


def test_debugging_shows_where_it_broke(repo: Repo) -> None:
    """With COORD_DEBUG=1 the traceback is shown; its status still is no refusal."""
    done = started(repo, "commit-msg", "signed", "missing", COORD_DEBUG="1")

    assert "Traceback" in done.stderr
    assert done.returncode not in {0, entry.REFUSED}


def test_an_environment_error_where_records_are_at_stake_refuses(repo: Repo) -> None:
    """A guard whose rules cannot be read refuses what it would have to judge."""
    repo.commit("log", {"l.tsv": "one\n", ".gitattributes": "*.tsv coord-log\n[attr]coord-log x\n"})
    repo.write(".coord.toml", "[nonsense\n")
    repo.write("l.tsv", "two\n")
    repo.git("add", "-A")
    repo.write("message", "x\n")
    done = started(repo, "prepare-commit-msg", "records", "message", "message")

    assert done.returncode == entry.REFUSED
    assert done.stderr.startswith("coord: config-invalid: ")


@pytest.mark.parametrize("need", ["conflicts", "records", "once"])
def test_a_fault_of_ours_where_something_is_at_stake_refuses(repo: Repo, need: str) -> None:
    """Silence would be the loss itself; the line names a command."""
    attributes = "*.tsv coord-log\n*.id coord-once\n*.out coord-derived\n"
    attributes += "".join(f"[attr]coord-{kind} x\n" for kind in ("log", "once", "derived"))
    files = {"l.tsv": "one\n", "a.id": "1\n", "m.out": "1\n"}
    repo.commit("log", {**files, ".gitattributes": attributes})
    repo.write("l.tsv", "two\n")
    repo.write("m.out", "2\n")
    repo.write("a.id", "2\n")
    repo.git("add", "-A")
    done = started(repo, "prepare-commit-msg", need, "missing", "message")

    assert done.returncode == entry.REFUSED
    assert done.stderr.startswith("coord: guard-fault: ")
    assert "\n  run: git coord doctor\n" in done.stderr


def test_bytes_that_are_no_utf8_reach_stderr(repo: Repo, tmp_path: Path) -> None:
    """Whatever a path holds, it is shown escaped, and nothing breaks."""
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    os.mkdir(odd)
    done = started(repo, "post-checkout", "pin", git_dir=odd)

    assert done.returncode == 0
    assert "\\xff" in done.stderr


@pytest.mark.parametrize("event", ["post-checkout", "post-rewrite", "pre-push", "commit-msg"])
def test_an_event_with_nothing_to_judge_is_quiet(repo: Repo, event: str) -> None:
    """Unknown needs of a newer sh are passed over."""
    repo.write("message", "x\n")
    done = started(repo, event, "later alike", "message")

    assert (done.returncode, done.stderr) == (0, "")
