"""A worktree that was moved by hand is found again, with its pin, its index and its worker."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from harness.clinic import findings, healthy, mended

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def test_a_worktree_that_was_moved_beside_is_led_back_to(
    installed: Repo, side: Repo, tmp_path: Path
) -> None:
    """A report: the note said ``worktree remove``, which took what was staged from a worker."""
    moved = side.at(tmp_path / "moved")
    shutil.move(side.path, moved.path)
    moved.write("q", "1\n")
    moved.git("add", "q")
    moved.coord("claim", "e")

    found = mended(installed, "worktree-broken")

    assert found.run == f"git -C {moved.path} worktree repair"
    assert moved.git("diff", "--cached", "--name-only").strip() == "q"
    assert healthy(installed)


@pytest.mark.skipif(sys.platform != "linux", reason="the current folder of others is in /proc")
def test_a_worktree_is_found_where_its_worker_is(
    installed: Repo, side: Repo, tmp_path: Path
) -> None:
    """Far from all others, and copied besides."""
    moved = tmp_path / "far" / "away"
    moved.parent.mkdir()
    shutil.move(side.path, moved)
    shutil.copytree(moved, tmp_path / "copy", symlinks=True)
    script = "git coord whoami >/dev/null 2>&1; echo; read line"
    with subprocess.Popen(
        ["sh", "-c", script], cwd=moved, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as worker:
        assert worker.stdout is not None
        worker.stdout.readline()
        found = mended(installed, "worktree-broken")
        worker.communicate(b"\n")

    assert found.run == f"git -C {moved} worktree repair"


def test_of_two_folders_that_may_be_the_worktree_none_is_named(
    installed: Repo, side: Repo, tmp_path: Path
) -> None:
    """One is the worker's, the other a copy of it."""
    shutil.copytree(side.path, tmp_path / "copy", symlinks=True)
    shutil.move(side.path, tmp_path / "moved")

    (found,) = findings(installed, "worktree-broken")

    assert found.run == "git worktree repair"


def test_a_worktree_in_the_old_place_of_another_keeps_its_link(
    installed: Repo, side: Repo, tmp_path: Path
) -> None:
    """``git worktree repair`` would make it the other's, as a link written there would."""
    other = installed.worktree(tmp_path / "other", "other")
    shutil.move(side.path, tmp_path / "moved")
    shutil.move(other.path, side.path)

    for found in findings(installed, "worktree-broken"):
        assert installed.paste(found.run).code == 0

    assert side.git("rev-parse", "--abbrev-ref", "HEAD").strip() == "other"
    assert side.at(tmp_path / "moved").git("rev-parse", "--abbrev-ref", "HEAD").strip() == "side"
    assert healthy(installed)
