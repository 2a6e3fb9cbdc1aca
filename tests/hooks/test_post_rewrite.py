"""Commits that a rebase dropped because a refused file was staged as the new base has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from harness import Repo


@pytest.fixture
def forked(installed: Repo) -> Repo:
    """Side's first commit changes the derived s.json alone; side is checked out."""
    assert (
        installed.coord("track", "derived", "*.json", "--regenerate", "cat p/* >{path}").code == 0
    )
    installed.git("add", "-A")
    installed.commit("base", {"s.json": "0\n", "p/0": "0\n"})
    installed.git("checkout", "-q", "-b", "side")
    installed.commit("only the artifact", {"s.json": "side\n"})
    installed.commit("goes on", {"p/side": "side\n"})
    installed.git("checkout", "-q", "main")
    installed.commit("main", {"s.json": "main\n"})
    installed.git("checkout", "-q", "side")
    return installed


def test_a_dropped_commit_is_named_and_comes_back(forked: Repo) -> None:
    """``rebase --continue`` asks no hook about it; the printed command brings the change again."""
    dropped = forked.git("rev-parse", "side~1")
    forked.tried("rebase", "main")
    forked.git("add", "-A")
    done = forked.tried("rebase", "--continue")

    assert done.code == 0
    assert "only the artifact" not in forked.git("log", "--format=%s")
    assert done.refusal.rule == "refusal-pending"
    assert done.refusal.headline.endswith("(only the artifact): s.json")
    assert done.refusal.run == f"git cherry-pick {dropped}"
    again = forked.paste(done.refusal.run)
    assert again.refusal.rule == "derived-two-sided"
    assert forked.paste(again.refusal.run).code == 0
    forked.git("cherry-pick", "--continue")
    assert "only the artifact" in forked.git("log", "--format=%s")
    assert forked.read("s.json") == "0\nside\n"


def test_the_last_commit_of_a_branch_is_named_too(forked: Repo) -> None:
    """With nothing left to replay, post-rewrite runs all the same."""
    forked.git("reset", "-q", "--hard", "HEAD~1")
    forked.tried("rebase", "main")
    forked.git("add", "-A")
    done = forked.tried("rebase", "--continue")

    assert done.refusal.headline.endswith("(only the artifact): s.json")


def test_it_is_said_once(forked: Repo) -> None:
    """The record goes with the message."""
    forked.tried("rebase", "main")
    forked.git("add", "-A")
    forked.tried("rebase", "--continue")

    assert not list(forked.private("coord-refused").iterdir())
    assert forked.tried("rebase", "-q", "--force-rebase", "HEAD~1").err == ""


def test_a_commit_with_more_in_it_was_skipped_on_purpose(forked: Repo) -> None:
    """Only ``--skip`` leaves such a one out."""
    forked.git("reset", "-q", "--hard", "HEAD~2")
    forked.commit("more", {"s.json": "side\n", "p/side": "side\n"})
    forked.commit("goes on", {"p/more": "side\n"})
    forked.tried("rebase", "main")
    done = forked.tried("rebase", "--skip")

    assert done.code == 0
    assert "refusal-pending" not in done.err
    assert not list(forked.private("coord-refused").iterdir())


def test_a_commit_that_was_settled_is_not_named(forked: Repo) -> None:
    """It is there, regenerated."""
    forked.tried("rebase", "main")
    forked.write("p/1", "1\n")
    assert forked.coord("regenerate", "s.json").code == 0
    done = forked.tried("rebase", "--continue")

    assert done.code == 0
    assert "refusal-pending" not in done.err
    assert "only the artifact" in forked.git("log", "--format=%s")


def test_an_amend_says_nothing(forked: Repo) -> None:
    """The hook is told ``amend`` there."""
    forked.tried("rebase", "main")
    forked.git("rebase", "--abort")
    assert forked.tried("commit", "-q", "--amend", "--no-edit").err == ""
