"""What a rehearsal prints: the screen on stdout, the rest on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.cli import rehearsal, show
from coord.repo import worktree

if TYPE_CHECKING:
    import pytest

    from harness import Repo


def test_foreign_names_are_escaped_and_do_not_shift_the_screen(
    repo: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    """A name may be what a terminal would obey; without a terminal nothing is on stderr."""
    repo.git("branch", "o\u202ene")
    place = worktree.discover(str(repo.path))

    show.lines(rehearsal.rehearsed(place, "main", ["o\u202ene", "gone"]).lines())

    captured = capfd.readouterr()
    assert captured.out.splitlines()[1:3] == [
        "  1  o\\u202ene  clean",
        "  2  gone       left-out  no such branch here",
    ]
    assert captured.err == ""


def test_each_test_of_exec_has_a_heading(repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    """Whose words these are."""
    for name in ("one", "two"):
        repo.git("branch", name)

    rehearsal.rehearsed(worktree.discover(str(repo.path)), "main", ["one", "two"], "echo tried")

    assert capfd.readouterr().err == (
        "coord: testing 1 of 2: one\ntried\ncoord: testing 2 of 2: two\ntried\n"
    )
