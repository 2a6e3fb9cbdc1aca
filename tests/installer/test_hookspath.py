"""core.hooksPath: where hooks go, or why none can; it is never changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.installer import hookspath
from coord.repo import worktree

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def value(repo: Repo) -> str:
    """Return core.hooksPath with every scope that sets it."""
    return repo.tried("config", "--show-scope", "--get-all", "core.hooksPath").out


@pytest.mark.parametrize("scope", ["--local", "--worktree"])
def test_a_folder_of_the_repositorys_own_gets_the_hooks(
    repo: Repo, tmp_path: Path, scope: str
) -> None:
    """Set in the repository to a real folder: git runs that one, so it is filled."""
    own = tmp_path / "own hooks"
    own.mkdir()
    (own / "commit-msg").write_text("#!/bin/sh\n")
    repo.git("config", "extensions.worktreeConfig", "true")
    repo.git("config", scope, "core.hooksPath", str(own))
    before = value(repo)

    repo.install()

    assert (own / "pre-push").exists()
    assert (own / "commit-msg.coord-prior").exists()
    assert repo.started("coord-install", "--check").code == 0
    assert value(repo) == before
    repo.commit("x")
    assert repo.private("coord-seen").exists()
    repo.install("--uninstall")
    assert [path.name for path in own.iterdir()] == ["commit-msg"]


def test_the_default_folder_written_out_is_the_default(repo: Repo, tmp_path: Path) -> None:
    """Agent harnesses set it to an absolute path of the main worktree's hooks."""
    side = repo.worktree(tmp_path / "side", "side")
    side.git("config", "core.hooksPath", str(repo.common("hooks")))

    side.install()

    assert (repo.common("hooks") / "commit-msg").exists()
    assert side.started("coord-install", "--check").code == 0


def test_a_relative_folder_is_filled_with_a_warning(repo: Repo, tmp_path: Path) -> None:
    """Each worktree runs its own copy; the check says where there is none."""
    repo.write(".githooks/keep", "")
    repo.git("config", "core.hooksPath", ".githooks")
    side = repo.worktree(tmp_path / "side", "side")

    done = repo.install()
    told = repo.started("coord-install", "--check")

    assert (repo.path / ".githooks" / "commit-msg").exists()
    assert "relative" in done.err
    assert told.code == 1
    assert str(side.path) in told.out


def test_a_relative_folder_that_is_tracked_works_everywhere(repo: Repo, tmp_path: Path) -> None:
    """Committed, as the warning says, every worktree has it."""
    repo.write(".githooks/keep", "")
    repo.git("config", "core.hooksPath", ".githooks")
    repo.install()
    repo.git("add", ".githooks")
    repo.git("commit", "-q", "-m", "hooks")

    repo.worktree(tmp_path / "side", "side")

    assert repo.started("coord-install", "--check").code == 0


def checked(repo: Repo) -> str:
    """Return what ``coord-install --check`` says."""
    return repo.started("coord-install", "--check").out


@pytest.mark.parametrize("scope", ["--global", "--system"])
def test_a_folder_of_many_repositories_is_refused(repo: Repo, tmp_path: Path, scope: str) -> None:
    """Scope, file and value are named; nothing is written there; --no-hooks is the way."""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    system = tmp_path / "system"
    repo = repo.with_env(GIT_CONFIG_NOSYSTEM="0", GIT_CONFIG_SYSTEM=str(system))
    repo.git("config", scope, "core.hooksPath", str(theirs))
    before = value(repo)

    done = repo.started("coord-install")

    assert (done.code, done.refusal.rule) == (1, "hooks-path")
    file = system if scope == "--system" else tmp_path / "home" / ".gitconfig"
    assert f"{scope[2:]} {file}: {theirs}" in done.refusal.headline
    assert not repo.common("hooks/coord").exists()
    assert done.refusal.run == "coord-install --no-hooks"
    assert repo.paste(done.refusal.run).code == 0
    assert f"hooks-path: git runs no hook of ours here: {scope[2:]}" in checked(repo)
    assert list(theirs.iterdir()) == []
    assert value(repo) == before


def test_a_value_from_the_environment_is_refused(repo: Repo, tmp_path: Path) -> None:
    """`GIT_CONFIG_COUNT`, as `git -c` hands it on."""
    repo = repo.with_env(
        GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0="core.hooksPath",
        GIT_CONFIG_VALUE_0=str(tmp_path),
    )

    done = repo.started("coord-install")

    assert (done.code, done.refusal.rule) == (1, "hooks-path")
    assert done.refusal.headline.split(": ")[1].startswith("command command line")
    assert repo.paste(done.refusal.run).code == 0


@pytest.mark.parametrize("bad", ["", "/nowhere/at/all", "/dev/null"])
def test_a_value_under_which_git_runs_nothing_is_refused(repo: Repo, bad: str) -> None:
    """Empty, missing, no folder: the printed command drops the setting and installs."""
    repo.git("config", "core.hooksPath", bad)

    done = repo.started("coord-install")

    assert (done.code, done.refusal.rule) == (1, "hooks-path")
    assert value(repo) == f"local\t{bad}\n"
    assert repo.paste(done.refusal.run).code == 0
    assert repo.started("coord-install", "--check").code == 0


def test_a_dead_value_of_one_worktree_is_dropped_from_its_own_file(
    repo: Repo, tmp_path: Path
) -> None:
    """Harnesses leave one in config.worktree; from the others it is only checked."""
    repo.git("config", "extensions.worktreeConfig", "true")
    side = repo.worktree(tmp_path / "side", "side")
    side.git("config", "--worktree", "core.hooksPath", "/nowhere")
    repo.install()

    told = repo.started("coord-install", "--check")
    done = side.started("coord-install")

    assert told.code == 1
    assert f"{side.path}" in told.out
    assert (done.code, done.refusal.rule) == (1, "hooks-path")
    assert side.paste(done.refusal.run).code == 0
    assert repo.started("coord-install", "--check").code == 0


@pytest.mark.parametrize("folder", [".husky/_", "generated"])
def test_a_generated_folder_is_refused(repo: Repo, folder: str) -> None:
    """Husky's, or any that ignores all it holds: the tool writes it anew."""
    repo.write(f"{folder}/.gitignore", "*\n" if folder == "generated" else "")
    repo.git("config", "core.hooksPath", folder)

    done = repo.started("coord-install")

    assert (done.code, done.refusal.rule) == (1, "hooks-path")
    assert "is generated" in done.refusal.headline
    assert repo.paste(done.refusal.run).code == 0
    assert (repo.path / folder / "commit-msg").exists() is False


def test_a_committed_link_leads_no_hook_out(repo: Repo, tmp_path: Path) -> None:
    """A relative folder that is a link to somewhere else: nothing is written there."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (repo.path / ".githooks").symlink_to(outside)
    repo.git("config", "core.hooksPath", ".githooks")

    done = repo.started("coord-install")

    assert (done.code, done.refusal.rule) == (1, "hooks-path")
    assert repo.paste(done.refusal.run).code == 0
    assert list(outside.iterdir()) == []


def test_our_own_git_children_look_past_their_own_setting(repo: Repo) -> None:
    """Every other child runs with core.hooksPath=/dev/null."""
    setting = hookspath.ask(worktree.discover(str(repo.path), repo.env), repo.env)

    assert setting == hookspath.Setting(str(repo.common("hooks")))
