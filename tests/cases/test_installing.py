"""Public reports about installs that broke a repository or did nothing, each as reported."""

from __future__ import annotations

import json
import os
import shutil
import sysconfig
from typing import TYPE_CHECKING

import pytest

import coord
from harness import QUIET
from harness.clinic import findings, healthy
from harness.hooked import ran
from harness.snapshot import snapshot

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def problems(repo: Repo) -> list[dict[str, str]]:
    """Return what ``coord-install --check`` finds."""
    found: list[dict[str, str]] = json.loads(
        repo.started("coord-install", "--check", "--json").out
    )["problems"]
    return found


def test_a_submodule_whose_git_is_a_file_is_installed_into(repo: Repo, tmp_path: Path) -> None:
    """ENOTDIR: ``.git`` is a file in worktrees and submodules.

    oalders/dot-files#928, paiml#1419, pre-commit/pre-commit#213, evilmartians/lefthook#38.
    """
    other = repo.init(tmp_path / "other", repo.env)
    other.commit("start")
    repo.git("submodule", "--quiet", "add", str(other.path), "s")
    inside = repo.at(repo.path / "s")
    untouched = snapshot(repo.path / ".git" / "hooks")

    inside.install()

    assert ran(inside)
    assert snapshot(repo.path / ".git" / "hooks") == untouched


def test_a_package_in_a_worktree_is_warned_of_and_stops_a_guessed_sign_off_if_gone(
    repo: Repo, tmp_path: Path
) -> None:
    """The hook had one worktree's virtualenv baked in (tenstorrent/tt-metal#14017)."""
    side = repo.worktree(tmp_path / "side", "side")
    shutil.copytree(sysconfig.get_path("purelib"), side.path / "lib", symlinks=True)
    (side.path / "lib/coord").mkdir(exist_ok=True)
    package = os.path.dirname(coord.__file__)
    for name in os.listdir(package):
        target = side.path / "lib/coord" / name
        if not target.exists():
            target.symlink_to(os.path.realpath(os.path.join(package, name)))
    own = side.with_env(PYTHONPATH=str(side.path / "lib"))
    told = own.started("coord-install")
    assert told.code == 0, told.err
    if "is installed inside" not in told.err:
        pytest.skip("the package under test is found before the copy")

    repo.git("worktree", "remove", "--force", "--force", str(side.path))
    repo.worktree(tmp_path / "other", "other")
    done = repo.tried("commit", "-q", "--allow-empty", "-s", "-m", "x")

    assert (done.code, done.refusal.rule) == (1, "guard-fault")
    assert repo.tried("commit", "-q", "--allow-empty", "-m", "x").code == 0


@pytest.mark.parametrize("scope", ["--global", "--system"])
def test_a_hooks_path_of_many_repositories_is_refused_with_ways_out(
    repo: Repo, tmp_path: Path, scope: str
) -> None:
    """Hooks were silently dead, or the hint would have broken other repositories.

    pre-commit/pre-commit#663, #718, #1198, #1298, #3627, #3630, prek#2426, #1692,
    gastownhall/beads#2729.
    """
    system = tmp_path / "system"
    poisoned = repo.with_env(GIT_CONFIG_SYSTEM=str(system), GIT_CONFIG_NOSYSTEM="0")
    (tmp_path / "h").mkdir()
    poisoned.git("config", scope, "core.hooksPath", str(tmp_path / "h"))
    before = snapshot(repo.common())

    done = poisoned.started("coord-install")

    assert done.code == 1
    assert done.refusal.rule == "hooks-path"
    assert scope.removeprefix("--") in done.refusal.headline
    assert str(tmp_path / "h") in done.refusal.headline
    assert "--unset" not in done.refusal.run
    assert snapshot(repo.common()) == before
    assert os.listdir(tmp_path / "h") == []
    assert poisoned.paste(done.refusal.run).code == 0


def test_an_absolute_hooks_path_of_a_repository_that_moved_is_loud(
    repo: Repo, tmp_path: Path
) -> None:
    """Git runs no hooks for weeks and says nothing (gastownhall/beads#5853)."""
    (repo.path / "h").mkdir()
    repo.git("config", "core.hooksPath", str(repo.path / "h"))
    repo.install()
    assert ran(repo)

    repo.path.rename(tmp_path / "moved")
    moved = repo.at(tmp_path / "moved")

    assert not ran(moved)
    (found,) = problems(moved)
    assert found["rule"] == "hooks-path"
    assert "names no folder" in found["message"]
    assert moved.paste(found["run"]).code == 0
    assert ran(moved)


def test_a_harness_that_rewrites_the_hooks_path_to_the_default_is_survived(
    installed: Repo, tmp_path: Path
) -> None:
    """It writes the shared config when it adds a worktree.

    anthropics/claude-code#66993, #27474, #72714, #85039.
    """
    side = installed.worktree(tmp_path / "side", "side")
    side.git("config", "core.hooksPath", str(installed.common("hooks")))

    assert ran(installed)
    assert ran(side)
    assert problems(installed) == []
    side.install()
    assert healthy(installed)


def test_the_check_walks_every_worktree(installed: Repo, tmp_path: Path) -> None:
    """22 of 45 worktrees ran nothing: config.worktree named a folder that is not there.

    anthropics/claude-code#88747, #60620.
    """
    trees = [installed.worktree(tmp_path / f"w{n}", f"w{n}") for n in range(3)]
    installed.git("config", "extensions.worktreeConfig", "true")
    for tree in trees[:2]:
        tree.git("config", "--worktree", "core.hooksPath", "/nope")

    found = problems(installed)

    assert {one["worktree"] for one in found} == {str(tree.path) for tree in trees[:2]}
    for one in found:
        assert installed.paste(one["run"]).code == 0
    assert problems(installed) == []


def test_installs_beside_writers_of_the_config_lose_nothing(repo: Repo) -> None:
    """20 parallel ``git config`` lost six (raine/workmux#116, Intrect-io/OpenSwarm#685)."""
    loop = "for n in 1 2 3 4 5 6 7 8 9; do git config k$n.a b || exit; sleep 0.02; done"
    writer = repo.begun("sh", "-c", loop, **QUIET)
    installs = [repo.begun("coord-install", **QUIET) for _ in range(4)]

    assert [process.wait(60) for process in installs] == [0] * 4
    wrote = writer.wait(60)

    lost = [n for n in range(1, 10) if repo.tried("config", f"k{n}.a").code]
    assert lost == [] or wrote  # what git itself could not lock, it says
    assert problems(repo) == []


def test_reinstalling_two_hook_tools_keeps_both(installed: Repo) -> None:
    """`git lfs install` again and again (git-lfs/git-lfs#2445, #2865, #3706, husky#1431)."""
    if shutil.which("git-lfs", path=installed.env["PATH"]) is None:
        pytest.skip("git-lfs is not installed")
    for _ in range(3):
        installed.git("lfs", "install", "--local", "--force")
        assert problems(installed)[0]["rule"] == "hooks-path"
        told = installed.install()
        assert "git lfs" not in told.err or "--force" in told.err
        assert problems(installed) == []
    hooks = sorted(path.name for path in installed.common("hooks").glob("pre-push*"))

    assert [name for name in hooks if "sample" not in name] == ["pre-push", "pre-push.coord-prior"]
    refused = installed.tried("lfs", "update")
    assert refused.code != 0  # its own word: it will not touch a hook that is not its own
    assert problems(installed) == []


def test_any_path_of_repository_and_file_works(odd_path: Repo, tmp_path: Path) -> None:
    """Spaces, quotes and letters (nbstripout#47, #48, git-lfs/git-lfs#235, iterative/dvc)."""
    odd_path.install()
    side = odd_path.worktree(tmp_path / "s 'q\" é", "side")
    name = "s p/q'u é.txt"
    assert side.coord("track", "derived", name, "--regenerate", "cat >{path} <in").code == 0
    side.commit("declare", {name: "0\n", "in": "regenerated\n"})
    side.git("add", "-A")
    side.commit("declared")
    side.git("switch", "-q", "-c", "other")
    side.commit("other", {name: "other\n"})
    side.git("switch", "-q", "side")
    side.commit("one", {name: "one\n"})

    merged = side.tried("merge", "-q", "--no-edit", "other")

    assert merged.code == 1
    assert merged.refusal.rule == "derived-two-sided"
    assert side.paste(merged.refusal.run).code == 0
    assert side.read(name) == "regenerated\n"
    assert side.tried("commit", "-q", "--no-edit").code == 0
    assert healthy(odd_path)


def test_no_config_names_a_path_of_this_machine(installed: Repo, tmp_path: Path) -> None:
    """Absolute paths in the config broke `git status` on the other machine, and in containers.

    nbstripout#41, Sendspin#235.
    """
    installed.worktree(tmp_path / "side", "side")

    for name in ("config", "hooks/coord/config", "coord/identities", "info/attributes"):
        text = installed.common(name).read_text()
        assert str(tmp_path) not in text, name
        assert sysconfig.get_path("purelib") not in text, name
    launch = installed.common("hooks/coord/launch")
    launch.write_text(launch.read_text().replace("='/", "='/elsewhere/"))
    assert installed.tried("status").err == ""
    assert installed.tried("commit", "-q", "--allow-empty", "-m", "x").code == 0


def test_a_repository_of_another_owner_is_told_in_gits_words(repo: Repo) -> None:
    """It was shown as "not a git repository" (camel-ai/camel#4144, pre-commit/pre-commit#2977)."""
    foreign = repo.with_env(GIT_TEST_ASSUME_DIFFERENT_OWNER="1")

    done = foreign.started("coord-install")

    assert done.code == 3
    assert "dubious ownership" in done.err
    assert "safe.directory" in done.refusal.run


def test_an_extension_that_libgit2_does_not_know_stops_nothing(
    installed: Repo, tmp_path: Path
) -> None:
    """Then the git binary answers (libgit2/libgit2#6044, #7210, #7099)."""
    side = installed.worktree(tmp_path / "side", "side")
    side.git("config", "core.repositoryFormatVersion", "1")
    side.git("config", "extensions.preciousObjects", "true")
    side.with_env(GIT_AUTHOR_EMAIL="leaked@x").commit("wrong")

    assert side.coord("whoami").code == 0
    assert side.coord("claim", "task:x").code == 0
    assert side.coord("reauthor", "HEAD").code == 0
    assert side.coord("check").code == 0
    assert healthy(installed)


@pytest.mark.parametrize("layout", ["link", "file"])
def test_a_main_worktree_away_from_its_git_dir_is_healthy(
    repo: Repo, tmp_path: Path, layout: str
) -> None:
    """As Android's ``repo`` lays it out, or ``git init --separate-git-dir``.

    arxanas/git-branchless#910.
    """
    (repo.path / ".git").rename(tmp_path / "real")
    if layout == "link":
        (repo.path / ".git").symlink_to("../real")
    else:
        (repo.path / ".git").write_text("gitdir: ../real\n")
    repo.install()
    side = repo.worktree(tmp_path / "side", "side")

    assert healthy(repo)
    assert healthy(side)
    assert repo.started("coord-install", "--check").code == 0
    assert side.started("coord-install", "--check").code == 0
    repo.git("config", "--local", "core.hooksPath", "nowhere")
    assert str(repo.path) in {one.worktree for one in findings(repo, "hooks-path")}


@pytest.mark.parametrize("relative", [True, False])
def test_a_linked_hooks_folder_is_replaced_without_a_trace_in_it(
    repo: Repo, tmp_path: Path, relative: bool
) -> None:
    """``.git/hooks`` is a link to a tracked folder, or to one outside (ptc_runner#1961).

    The hooks there run as before, with what lies beside them, also after a move.
    """
    folder = repo.path / "githooks" if relative else tmp_path / "shared hooks"
    folder.mkdir()
    (folder / "lib.sh").write_text("echo ran >>ran\n")
    (folder / "commit-msg").write_text('#!/bin/sh\n. "${0%/*}/lib.sh"\n')
    (folder / "commit-msg").chmod(0o755)
    if relative:
        repo.commit("hooks", {"githooks/x": ""})
        repo.git("add", "-A")
        repo.git("commit", "-q", "-m", "hooks")
    before = snapshot(folder)
    shutil.rmtree(repo.common("hooks"))
    repo.common("hooks").symlink_to("../githooks" if relative else folder)

    done = repo.paste(repo.started("coord-install").refusal.run)

    assert done.code == 0
    assert snapshot(folder) == before
    repo.path.rename(tmp_path / "moved")
    moved = repo.at(tmp_path / "moved")
    assert healthy(moved)
    moved.commit("x")
    assert moved.read("ran") == "ran\n"
