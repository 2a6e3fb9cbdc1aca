"""Worktrees of odd kinds: away, inside the git dir, submodules."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def test_install_passes_over_a_locked_missing_worktree(repo: Repo, tmp_path: Path) -> None:
    """Git does not call it prunable, and there is nothing to look into."""
    side = repo.worktree(tmp_path / "side", "side")
    repo.git("worktree", "lock", str(side.path))
    shutil.rmtree(side.path)

    repo.install("--pin-existing")

    assert repo.started("coord-install", "--check").code == 0
    repo.install("--uninstall")


def test_inside_the_git_dir_the_declaration_is_that_of_its_worktree(repo: Repo) -> None:
    """`cd .git && coord-install` means the same as one folder up."""
    repo.write(".coord.toml", '[identity]\nauthor = "keep"\n')
    repo.write(".gitattributes", "[attr]coord-log -merge\n*.tsv coord-log\n")

    repo.at(repo.common()).install()

    assert repo.git("config", "coord.author") == "keep"
    assert "*.tsv coord-log" in repo.common("info/attributes").read_text()
    assert repo.install().out.startswith("nothing to do")


def test_a_submodule_declares_for_itself(repo: Repo, tmp_path: Path) -> None:
    """Git lists its git dir as the main worktree; the declaration lies in the real one."""
    other = repo.at(tmp_path / "other")
    other.path.mkdir()
    other.git("init", "-q")
    other.commit("start", {".gitattributes": "[attr]coord-log -merge\n*.tsv coord-log\n"})
    repo.git("submodule", "--quiet", "add", str(other.path), "sub")
    sub = repo.at(repo.path / "sub")

    sub.install()

    assert sub.git("check-attr", "merge", "x.tsv").endswith(": coord-log")
    assert sub.started("coord-install", "--check").code == 0


def test_git_dir_names_the_repository_where_the_folder_is_in_none(
    repo: Repo, tmp_path: Path
) -> None:
    """`GIT_DIR=… coord-install`, as dotfile repositories are used; its own tree declares."""
    repo.write(".gitattributes", "[attr]coord-log -merge\n*.tsv coord-log\n")
    elsewhere = repo.at(tmp_path).with_env(GIT_DIR=str(repo.common()))

    assert elsewhere.started("coord-install").code == 0

    assert repo.git("check-attr", "merge", "x.tsv").endswith(": coord-log")
    assert elsewhere.started("coord-install", "--check").code == 0
