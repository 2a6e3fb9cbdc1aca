"""Beside the pre-commit framework, installed before us, after us, or both, again and again.

``pre-commit install`` renames what it finds to ``NAME.legacy``, takes the name, and runs that file
first. So ours may run from its own name or as ``.legacy``, above pre-commit or below it, and the
hook kept in ``.coord-prior`` may be the very one that runs us.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.hooked import add_hook, add_hooks

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

EVENT = "prepare-commit-msg"
CONFIG = f"""repos:
- repo: local
  hooks:
  - id: log
    name: log
    language: system
    entry: sh -c 'echo framework >>"$SPIED"'
    stages: [{EVENT}, pre-push]
    always_run: true
    pass_filenames: false
"""
HUMAN = '#!/bin/sh\necho human >>"$SPIED"\n'


@pytest.fixture
def repo(repo: Repo, tmp_path: Path) -> Repo:
    """A repository that configures pre-commit."""
    spied = repo.with_env(SPIED=str(tmp_path / "spied"))
    spied.commit("configure", {".pre-commit-config.yaml": CONFIG})
    return spied


def framework(repo: Repo, event: str = EVENT) -> None:
    """Run ``pre-commit install``."""
    done = repo.run("pre-commit", "install", "-t", event)
    assert done.code == 0, done.out + done.err


def human(repo: Repo) -> None:
    """Write a hook by hand."""
    path = repo.common(f"hooks/{EVENT}")
    path.write_text(HUMAN)
    path.chmod(0o755)


def ours(repo: Repo) -> None:
    """Install all our hooks, where the installer would."""
    add_hooks(repo)


def who_ran(repo: Repo, tmp_path: Path) -> list[str]:
    """Commit once; return who ran, and ``ours`` when presence was renewed."""
    spied = tmp_path / "spied"
    spied.unlink(missing_ok=True)
    repo.private("coord-seen").unlink(missing_ok=True)
    done = repo.tried("commit", "-q", "--allow-empty", "-m", "x")
    assert done.code == 0, done.err
    ran = spied.read_text().split() if spied.exists() else []
    return sorted([*ran, *(["ours"] if repo.private("coord-seen").exists() else [])])


def test_we_run_after_the_framework_that_was_there(repo: Repo, tmp_path: Path) -> None:
    """``pre-commit install``, then ours."""
    framework(repo)
    ours(repo)

    assert who_ran(repo, tmp_path) == ["framework", "ours"]


def test_we_run_below_the_framework_that_came_later(repo: Repo, tmp_path: Path) -> None:
    """Ours, then ``pre-commit install``: we run as ``.legacy``."""
    ours(repo)
    framework(repo)

    assert repo.common(f"hooks/{EVENT}.legacy").exists()
    assert who_ran(repo, tmp_path) == ["framework", "ours"]


def test_the_hook_before_us_runs_below_the_framework_too(repo: Repo, tmp_path: Path) -> None:
    """A human's hook, ours, then ``pre-commit install``: a fixed name would lose the first."""
    human(repo)
    ours(repo)
    framework(repo)

    assert who_ran(repo, tmp_path) == ["framework", "human", "ours"]


def test_the_framework_on_both_sides_of_us_runs_once(repo: Repo, tmp_path: Path) -> None:
    """``pre-commit install``, ours, ``pre-commit install``: what we kept is what runs us."""
    framework(repo)
    ours(repo)
    framework(repo)

    assert repo.common(f"hooks/{EVENT}.coord-prior").exists()
    assert who_ran(repo, tmp_path) == ["framework", "ours"]


def test_the_framework_from_another_virtualenv_is_still_itself(repo: Repo, tmp_path: Path) -> None:
    """The kept file names another interpreter, so its bytes differ from the one above."""
    framework(repo)
    ours(repo)
    kept = repo.common(f"hooks/{EVENT}.coord-prior")
    kept.write_text(kept.read_text().replace("INSTALL_PYTHON=", "INSTALL_PYTHON=/old/venv"))
    framework(repo)

    assert who_ran(repo, tmp_path) == ["framework", "ours"]


def test_ours_above_and_below_the_framework_makes_no_loop(repo: Repo, tmp_path: Path) -> None:
    """Ours, ``pre-commit install``, ours again with the renamed file left behind."""
    ours(repo)
    framework(repo)
    add_hook(repo.common("hooks"), EVENT)

    assert repo.common(f"hooks/{EVENT}.legacy").exists()
    assert who_ran(repo, tmp_path) == ["framework", "ours"]


def test_alternating_reinstalls_make_no_loop(repo: Repo, tmp_path: Path) -> None:
    """Four more installs of each change nothing about who runs."""
    framework(repo)
    for _ in range(4):
        add_hook(repo.common("hooks"), EVENT)
        framework(repo)
    add_hooks(repo)

    assert who_ran(repo, tmp_path) == ["framework", "ours"]


def test_a_gate_below_the_framework_still_refuses(repo: Repo, tmp_path: Path) -> None:
    """As ``.legacy`` our status reaches git through pre-commit."""
    ours(repo)
    framework(repo)
    repo.worktree(tmp_path / "side", "side")
    done = repo.tried("commit", "-q", "--allow-empty", "-s", "-m", "x")

    assert done.code == 1
    assert "identity-inferred" in done.err + done.out


def test_pre_push_reaches_everyone_below_the_framework(repo: Repo, tmp_path: Path) -> None:
    """pre-commit hands its stdin on; so do we."""
    path = repo.common("hooks/pre-push")
    path.write_text('#!/bin/sh\nread -r local rest && echo "human $local" >>"$SPIED"\n')
    path.chmod(0o755)
    ours(repo)
    framework(repo, "pre-push")
    repo.git("init", "-q", "--bare", str(tmp_path / "remote.git"))
    repo.git("push", "-q", str(tmp_path / "remote.git"), "main")

    lines = (tmp_path / "spied").read_text().splitlines()
    assert sorted(lines) == ["framework", "human refs/heads/main"]


def test_ours_above_and_below_speaks_once(repo: Repo, tmp_path: Path) -> None:
    """The lower one leaves the judging to the upper one, which is not done yet."""
    ours(repo)
    framework(repo, "pre-push")
    add_hook(repo.common("hooks"), "pre-push")
    side = repo.worktree(tmp_path / "side", "side")
    side.with_env(GIT_AUTHOR_EMAIL="ada@example.com").commit("by the wrong author")
    repo.git("init", "-q", "--bare", str(tmp_path / "remote.git"))
    done = side.tried("push", "-q", str(tmp_path / "remote.git"), "side")

    assert (tmp_path / "spied").read_text() == "framework\n"
    assert (done.out + done.err).count("coord: author-mismatch") == 1
