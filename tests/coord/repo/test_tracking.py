"""Branches of remotes, as they were last fetched: whose they are, and their names there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.repo.tracking import Tracked, tracked

if TYPE_CHECKING:
    from harness import Repo


def test_a_branch_is_the_longest_remotes_whose_name_it_begins_with(repo: Repo) -> None:
    """Remotes and branches have slashes both; a remote's HEAD is none of its branches."""
    commit = repo.git("rev-parse", "HEAD")
    for remote in ("team", "team/x", "origin"):
        repo.git("config", f"remote.{remote}.url", "nowhere")
    for ref in ("team/x/b", "team/a/b", "origin/b", "gone/b"):
        repo.git("update-ref", f"refs/remotes/{ref}", commit)
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/b")

    assert list(tracked(str(repo.path))) == [
        Tracked("origin", "b", commit),
        Tracked("team", "a/b", commit),
        Tracked("team/x", "b", commit),
    ]


def test_where_nothing_was_fetched_there_is_nothing(repo: Repo) -> None:
    """Nor where no remote is known."""
    assert list(tracked(str(repo.path))) == []
