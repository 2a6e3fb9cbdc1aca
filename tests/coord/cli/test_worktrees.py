"""``git coord worktree add``."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from coord.base import publish
from harness.board import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def test_a_worktree_is_added_and_pinned_as_asked(installed: Repo, tmp_path: Path) -> None:
    """The answer is that of ``whoami`` in the new worktree."""
    done = installed.coord("worktree", "add", "../w", "-b", "side", "--actor", "hopper", "--json")

    answer = json.loads(done.out)
    assert answer["actor"] == "hopper"
    assert answer["source"] == "pinned"
    assert answer["branch"] == "side"
    assert answer["worktree"] == str(tmp_path / "w")


def test_whoever_is_pinned_is_said_to_scripts_too(installed: Repo, tmp_path: Path) -> None:
    """The hook is silent where nobody looks on; the verb answers."""
    done = installed.coord("worktree", "add", "../w", "-b", "side", "--actor", "hopper")

    assert done.out.startswith("hopper (pinned)\n")
    assert f"worktree  {tmp_path / 'w'}, on side\n" in done.out
    assert "coord:" not in done.err


@pytest.mark.parametrize("option", ["--detach", "--no-checkout"])
def test_git_options_that_run_no_hook_still_end_pinned(installed: Repo, option: str) -> None:
    """The verb pins what the hook could not."""
    done = installed.coord("worktree", "add", "../w", option, "--json")

    assert json.loads(done.out)["source"] == "pinned"


def test_a_branch_cut_from_a_remote_one_tracks_nothing(installed: Repo, tmp_path: Path) -> None:
    """A worker's plain ``git push`` must not aim at the branch it was cut from."""
    installed.git("clone", "-q", "--bare", ".", str(tmp_path / "up.git"))
    installed.git("remote", "add", "origin", str(tmp_path / "up.git"))
    installed.git("fetch", "-q", "origin")

    done = installed.coord("worktree", "add", "../w", "origin/main", "-b", "side")

    assert done.code == 0, done.err
    assert installed.tried("config", "branch.side.merge").code == 1


def test_gits_own_refusal_is_shown(installed: Repo) -> None:
    """Exit 3; git's words stand above."""
    done = installed.coord("worktree", "add", "../w", "main")

    assert done.code == 3
    assert done.refusal.rule == "git-failed"
    assert "main" in done.err.split("coord:")[0]


def test_from_a_subfolder_the_path_means_what_was_typed(installed: Repo, tmp_path: Path) -> None:
    """A shell alias runs at the top level; the user's folder still counts."""
    installed.write("sub/file", "x")

    done = installed.at(installed.path / "sub").coord("worktree", "add", "../../w", "-b", "s")

    assert done.code == 0, done.err
    assert (tmp_path / "w" / "README").exists()


def test_twenty_at_once_all_end_pinned(installed: Repo, tmp_path: Path) -> None:
    """One lock orders them; git itself races in ``worktree add``."""
    racers = [
        installed.begun(
            "git", "coord", "worktree", "add", str(tmp_path / f"w{n}"), "-b", f"b{n}", "--json"
        )
        for n in range(20)
    ]

    answers = [json.loads(racer.communicate()[0]) for racer in racers]

    assert len({answer["instance"] for answer in answers}) == 20
    assert {answer["source"] for answer in answers} == {"pinned"}


@pytest.mark.slow
def test_a_long_checkout_of_a_peer_is_waited_for(installed: Repo, tmp_path: Path) -> None:
    """Git writes a big tree for minutes; other locks are held for the time of a file or two."""
    lock = installed.common("coord") / "worktree-add.lock"
    lock.touch()
    peer = subprocess.Popen(["flock", str(lock), "sleep", str(publish.PATIENCE + 1)])
    assert eventually(
        lambda: subprocess.run(["flock", "-n", str(lock), "true"], check=False).returncode
    )

    done = installed.coord("worktree", "add", str(tmp_path / "w"), "-b", "side")

    assert peer.poll() == 0
    assert done.code == 0, done.err


def test_a_bad_name_makes_nothing_and_the_printed_command_makes_it_all(
    installed: Repo, tmp_path: Path
) -> None:
    """Exit 2; pasted, the command adds the worktree that was asked for, and pins nobody else."""
    done = installed.coord("worktree", "add", "../w x", "-b", "side", "--actor", "Grace Hopper")

    assert done.code == 2
    assert not (tmp_path / "w x").exists()
    assert installed.paste(done.refusal.run).code == 0
    assert installed.at(tmp_path / "w x").coord("whoami").out.startswith("grace-hopper (pinned)")
    assert not installed.private("coord-identity.toml").exists()
