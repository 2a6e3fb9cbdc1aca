"""A remote on this machine may be a clone in which others claim: on another board."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.repo import localremotes, worktree
from harness.clinic import healthy, notes

if TYPE_CHECKING:
    from pathlib import Path

    from harness.repo import Repo

ANOTHER = "is a clone with a board of its own"


def told(repo: Repo) -> list[str]:
    """Return the remotes that are said to have a board, as lines."""
    return localremotes.notes(worktree.discover(str(repo.path), repo.env))


@pytest.fixture
def cloned(repo: Repo, tmp_path: Path) -> Repo:
    """A clone of a repository that has a board."""
    repo.common("coord/board").mkdir(parents=True)
    repo.git("clone", "-q", str(repo.path), str(tmp_path / "cloned"))
    return repo.at(tmp_path / "cloned")


@pytest.mark.parametrize("url", ["{0}", "{0}/", "{0}/.git", "file://{0}", "../repo", "short:repo"])
def test_each_way_to_name_a_folder_is_understood(repo: Repo, cloned: Repo, url: str) -> None:
    """As git takes it, ``url.*.insteadOf`` too."""
    cloned.git("config", f"url.{repo.path.parent}/.insteadOf", "short:")
    cloned.git("remote", "set-url", "origin", url.format(repo.path))

    (line,) = told(cloned)

    assert line.startswith(f"the remote origin {ANOTHER}, {repo.common()}")


@pytest.mark.parametrize(
    "url", ["host:repo", "ssh://host/{0}", "https://host{0}", "/nowhere", "{0}/sub", ".", "file://"]
)
def test_what_is_no_such_folder_is_passed_over(repo: Repo, cloned: Repo, url: str) -> None:
    """Elsewhere, nowhere, below one, or this very clone."""
    (repo.path / "sub").mkdir()
    cloned.git("remote", "set-url", "origin", url.format(repo.path))
    assert told(cloned) == []


def test_a_remote_in_which_nobody_claims_is_passed_over(repo: Repo, cloned: Repo) -> None:
    """A mirror, or the shared bare repository of a team."""
    repo.common("coord/board").rmdir()
    assert told(cloned) == []


def test_a_worktree_of_the_other_clone_names_its_board(
    repo: Repo, cloned: Repo, tmp_path: Path
) -> None:
    """And two remotes that lead to one clone are told once."""
    repo.worktree(tmp_path / "side", "side")
    cloned.git("remote", "add", "side", str(tmp_path / "side"))
    assert len(told(cloned)) == 1


def test_it_is_said_at_the_install_by_the_doctor_and_until_the_first_claim(
    installed: Repo, tmp_path: Path
) -> None:
    """Once: whoever has claimed here knows this board."""
    installed.coord("--as", "me", "claim", "db")
    installed.git("clone", "-q", str(installed.path), str(tmp_path / "cloned"))
    there = installed.at(tmp_path / "cloned")

    said = [there.install(), there.coord("board"), there.coord("--as", "me", "claim", "db")]
    later = [there.coord("board"), there.coord("--as", "me", "claim", "api")]

    assert [done.err.count(ANOTHER) for done in said] == [1, 1, 1]
    assert [done.err.count(ANOTHER) for done in later] == [0, 0]
    assert ANOTHER in notes(there)
    assert healthy(there)
