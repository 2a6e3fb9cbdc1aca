"""Bare repositories that git finds by name only, as git 3.0 will; quarantines; other trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.check import declare

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


@pytest.fixture
def server(repo: Repo, tmp_path: Path) -> Repo:
    """A bare repository with a guarded log, where the user's git is strict."""
    declare(repo)
    repo.git("tag", "base")
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "server.git"))
    repo.git("config", "--global", "safe.bareRepository", "explicit")
    return repo.at(tmp_path / "server.git")


def rewritten(repo: Repo) -> str:
    """Commit a log without its first record, which no hook sees; return the commit."""
    return repo.commit("rewrite", {"a.log": "two\nthree\n"})


def test_git_finds_a_strict_bare_repository_by_no_folder(server: Repo) -> None:
    """A fact: GIT_DIR is what names it, also to the children of a hook."""
    by_folder = server.run("git", "rev-parse", "--git-dir")
    by_name = server.with_env(GIT_DIR=".").run("git", "rev-parse", "--git-dir")

    assert by_folder.code == 128
    assert "safe.bareRepository" in by_folder.err
    assert by_name.code == 0


@pytest.mark.parametrize("script", ["git-coord check", "coord-install --check"])
def test_the_command_of_the_refusal_names_the_repository(server: Repo, script: str) -> None:
    """In the shell where it was pasted, the same command goes through from then on."""
    done = server.paste(script)

    assert done.refusal.rule == "repository-unreadable"
    again = server.paste(f"{done.refusal.run} && {script}")
    assert again.code == (0 if "check" in script.split() else 1), again
    assert "safe.bareRepository" not in again.err


def test_the_tree_of_a_named_bare_repository_is_read(server: Repo) -> None:
    """All that is guarded there is counted; "0 files" would be a verdict on nothing."""
    done = server.run("git", "--git-dir=.", "coord", "check", "--tree")

    assert (done.code, done.out) == (0, "ok: 0 commits, 3 guarded files\n")


def test_an_install_in_a_named_bare_repository_is_healthy(server: Repo) -> None:
    """Installed, examined and uninstalled by GIT_DIR alone."""
    named = server.with_env(GIT_DIR=".")

    assert named.started("coord-install").code == 0
    assert named.coord("doctor").code == 0
    assert named.started("coord-install", "--uninstall").code == 0


@pytest.mark.parametrize("hook", ["pre-receive", "update", "post-receive"])
@pytest.mark.parametrize("strict", [True, False])
def test_a_server_judges_what_it_receives(
    server: Repo, repo: Repo, hook: str, *, strict: bool
) -> None:
    """Before pre-receive has let them in, the new objects are in a quarantine of their own."""
    if not strict:
        repo.git("config", "--global", "--unset", "safe.bareRepository")
    script = "#!/bin/sh\nread old new ref || { old=$2 new=$3; }\ngit-coord check $old..$new >&2\n"
    server.write(f"hooks/{hook}", script).chmod(0o755)
    commit = rewritten(repo)

    done = repo.tried("push", "-q", str(server.path), "main")

    assert "log-rewritten: a.log" in done.err, done
    assert done.code == (0 if hook == "post-receive" else 1), done
    held = server.tried("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}").code == 0
    assert held is (hook != "pre-receive")


def test_a_quarantine_of_a_repository_with_files_is_judged_too(repo: Repo, tmp_path: Path) -> None:
    """Where a push into the branch that is checked out is allowed."""
    declare(repo)
    repo.git("clone", "-q", str(repo.path), str(tmp_path / "theirs"))
    theirs = repo.at(tmp_path / "theirs")
    theirs.git("config", "receive.denyCurrentBranch", "updateInstead")
    script = "#!/bin/sh\nread old new ref\ngit-coord check $old..$new >&2\n"
    theirs.write(".git/hooks/pre-receive", script).chmod(0o755)
    rewritten(repo)

    done = repo.tried("push", "-q", str(theirs.path), "main")

    assert "log-rewritten: a.log" in done.err, done.err
    assert done.code == 1


@pytest.mark.parametrize("verb", ["check base..HEAD", "check --tree", "whoami", "board"])
def test_attributes_of_another_tree_reach_no_child(server: Repo, repo: Repo, verb: str) -> None:
    """``git --attr-source=HEAD coord`` exports it, and a scratch repository has no such tree."""
    assert server
    plain = repo.run("git-coord", *verb.split())

    done = repo.with_env(GIT_ATTR_SOURCE="HEAD").run("git-coord", *verb.split())

    assert (done.code, done.out) == (plain.code, plain.out)
