"""A folder that is pushed to runs its hooks as whoever pushes: none that came with a branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.remote import place

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


@pytest.fixture
def bare(tmp_path: Path, repo: Repo) -> Path:
    """A bare repository of its own."""
    path = tmp_path / "board.git"
    repo.git("init", "-q", "--bare", str(path))
    return path


def test_a_bare_repository_in_no_worktree_may_be_pushed_to(bare: Path, tmp_path: Path) -> None:
    """Also one that is to be made, and by any way that leads there."""
    (tmp_path / "way").symlink_to(bare)

    assert not place.unfit(str(bare))
    assert not place.unfit(str(bare) + "/")
    assert not place.unfit(str(tmp_path / "way"))
    assert not place.unfit(str(tmp_path / "not" / "there.git"))


def test_a_bare_repository_in_a_worktree_may_not(repo: Repo, tmp_path: Path) -> None:
    """Its pre-receive came with a branch, and ran as the user (tried)."""
    inner = repo.path / "deep" / "board.git"
    repo.git("init", "-q", "--bare", str(inner))
    linked = repo.worktree(tmp_path / "linked", "side")
    (tmp_path / "way").symlink_to(repo.path / "deep")

    for path in (
        inner, tmp_path / "way" / "board.git", repo.path, repo.path / ".git", repo.path / "none",
        repo.path / ".git" / "modules" / "x", linked.path / "none",
    ):  # fmt: skip
        assert "worktree" in place.unfit(str(path)), path


def test_what_git_finds_beside_a_path_is_judged_too(repo: Repo, tmp_path: Path) -> None:
    """Git takes ``board.git`` where it is asked for ``board``."""
    repo.git("init", "-q", "--bare", str(repo.path / "evil.git"))
    (tmp_path / "board.git").symlink_to(repo.path / "evil.git")

    assert "worktree" in place.unfit(str(tmp_path / "board"))


def test_a_git_dir_whose_worktree_is_elsewhere_may_not(bare: Path, repo: Repo) -> None:
    """As those of submodules are, and of dotfiles: who checks out there brings hooks along."""
    repo.git("--git-dir", str(bare), "config", "core.worktree", str(repo.path))
    repo.git("--git-dir", str(bare), "config", "core.bare", "false")

    assert "core.worktree" in place.unfit(str(bare))
    assert "git dir" in place.unfit(str(bare / "modules" / "x.git"))


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_is_no_repository_is_not_taken_for_one(tmp_path: Path, kind: str) -> None:
    """A ``.git`` file leads elsewhere; an empty folder is somebody's."""
    path = tmp_path / "thing"
    if kind == "file":
        path.write_text("gitdir: /elsewhere\n")
    else:
        path.mkdir()

    assert "something else" in place.unfit(str(path))
