"""Who called, from where: what is printed works where it was typed."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from coord.repo import caller

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


@pytest.mark.skipif(not shutil.which("ps"), reason="no ps here")
def test_ps_tells_what_proc_does() -> None:
    """Where there is no /proc, the ancestors are still known."""
    child = subprocess.Popen(["sleep", "20"])
    try:
        assert caller._from_ps(child.pid) == (child.pid, os.getpid(), ["sleep", "20"])
    finally:
        child.kill()
        child.wait()


@pytest.mark.parametrize(
    ("words", "sent"),
    [
        ("git commit -C HEAD", False),
        ("git -C x commit", True),
        ("git -c a.b=c -C x commit", True),
        ("git -c -C commit", False),
        ("git --no-pager --git-dir=x/.git commit", True),
        ("git --work-tree x commit", True),
        ("git", False),
    ],
)
def test_gits_own_options_tell_where_it_was_sent(words: str, *, sent: bool) -> None:
    """Those behind the command are the command's."""
    assert caller._is_sent(words.split()) == sent


@pytest.fixture
def refused(installed: Repo, tmp_path: Path) -> Repo:
    """The main worktree, beside a linked one, ``../x y``, in which a merge was refused."""
    done = installed.coord("track", "derived", "s.json", "--regenerate", "cat a b >s.json")
    assert done.code == 0, done.err
    installed.git("add", "-A")
    installed.commit("base", {"s.json": "0\n", "a": "0\n", "b": "0\n", "sub/f": ""})
    installed.git("branch", "side")
    other = installed.worktree(tmp_path / "x y", "topic")
    other.commit("topic", {"s.json": "1\n0\n", "a": "1\n"})
    installed.git("checkout", "-q", "side")
    installed.commit("side", {"s.json": "0\n1\n", "b": "1\n"})
    installed.git("checkout", "-q", "main")
    assert other.tried("merge", "-q", "side").code == 1
    return installed


def test_a_commit_in_another_worktree_prints_what_works_from_here(
    refused: Repo, tmp_path: Path
) -> None:
    """The hook runs over there; the command that it prints is pasted here."""
    commit = "git -C '../x y' commit -qam x"
    done = refused.paste(commit)

    assert done.refusal.run == f"git -C '{tmp_path}/x y' coord regenerate s.json"
    assert refused.paste(done.refusal.run).code == 0
    assert refused.paste(commit).code == 0


def test_a_verb_in_another_worktree_prints_what_works_from_here(
    refused: Repo, tmp_path: Path
) -> None:
    """So do the verbs, and a command of several parts runs over there as a whole."""
    done = refused.paste("git -C '../x y' coord resolve a --take ours --reason x")

    assert done.refusal.run.startswith((f"git -C '{tmp_path}/x y' ", f"(cd '{tmp_path}/x y' && "))


@pytest.mark.parametrize(
    "go", ["cd '../x y' && git", "cd '../x y/sub' && git -C .. ", "cd '../x y' && git -C ."]
)
def test_within_one_worktree_nothing_is_added(refused: Repo, go: str) -> None:
    """A path from the top level is understood in its folders."""
    done = refused.paste(f"{go} commit -qam x")

    assert done.refusal.run == "git coord regenerate s.json"
