"""What a rehearsal prints: the screen on stdout, the rest on stderr, the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord import worktree
from coord.cli import rehearsal

if TYPE_CHECKING:
    import pytest

    from harness import Repo


def test_the_screen_is_stdout_and_exit_1_says_that_somebody_is_needed(
    repo: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    """Names of others are escaped on the way."""
    repo.git("branch", "o\u202ene")
    place = worktree.discover(str(repo.path))

    found = rehearsal.rehearsed(place, "main", ["o\u202ene", "gone"])
    rehearsal.show_screen(found)

    captured = capfd.readouterr()
    assert captured.out.splitlines()[1:3] == [
        "  1  o\\u202ene  clean",
        "  2  gone       left-out  no such branch here",
    ]
    assert captured.err == ""
    assert rehearsal.status(found) == 1
    assert rehearsal.status(rehearsal.rehearsed(place, "main", ["o\u202ene"])) == 0


def test_each_test_of_exec_has_a_heading(repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    """Whose words these are."""
    for name in ("one", "two"):
        repo.git("branch", name)

    rehearsal.rehearsed(worktree.discover(str(repo.path)), "main", ["one", "two"], "echo tried")

    assert capfd.readouterr().err == "coord: 1 of 2: one\ntried\ncoord: 2 of 2: two\ntried\n"
