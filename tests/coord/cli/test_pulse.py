"""The pulse: every command is a sign of life and brings the news; none fails for it."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from coord.repo import worktree
from harness.board import answer, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def test_any_command_renews_presence(repo: Repo, tmp_path: Path) -> None:
    """Also one that has nothing to do with the board."""
    one = worker(repo, tmp_path / "one", "feat", "one-0001")
    one.coord("whoami")
    seen = one.private("coord-seen")
    os.utime(seen, (1, 1))

    one.coord("whoami")

    assert time.time() - seen.stat().st_mtime < 60
    (sign,) = (path for path in one.private("coord-sessions").rglob("*") if path.is_file())
    assert f"count {2:020}" in sign.read_text()


def test_the_git_dir_is_found_as_git_finds_it(
    repo: Repo, tmp_path: Path, bare_with_worktree: Repo
) -> None:
    """Main, linked, of a bare repository, below, and outside of any."""
    side = repo.worktree(tmp_path / "side-1", "side-1")
    side.write("a/b/c", "x")
    for place in (repo, side, bare_with_worktree, side.at(side.path / "a" / "b")):
        found = worktree.of_files(str(place.path))
        assert found is not None
        assert os.path.samefile(found.git_dir, place.private())
    assert worktree.of_files("/") is None


@pytest.mark.parametrize("how", ["unreadable", "torn", "folder"])
def test_no_command_fails_for_its_pulse(repo: Repo, tmp_path: Path, how: str) -> None:
    """Broken files where the signs and the news are kept."""
    one = worker(repo, tmp_path / "one", "feat", "one-0001")
    instance, before = answer(one, "whoami")["instance"], one.coord("whoami")
    notices = one.common(f"coord/board/notices/a-{instance}")
    notices.mkdir(parents=True)
    if how == "unreadable":
        one.private("coord-seen").unlink()
        one.private("coord-seen").symlink_to("nowhere")
    elif how == "torn":
        (notices / "0123").write_text("{")
    else:
        (notices / "0123").mkdir()

    done = one.coord("whoami")

    assert done == before


def test_outside_a_repository_there_is_no_pulse(tmp_path: Path, repo: Repo) -> None:
    """The verb itself says what is wrong."""
    assert repo.at(tmp_path).run("git-coord", "whoami").refusal.rule == "not-a-repository"
