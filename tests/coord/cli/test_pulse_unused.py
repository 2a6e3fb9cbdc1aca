"""Verbs that only read leave a clone without an install as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.snapshot import snapshot

if TYPE_CHECKING:
    from harness import Repo

READING = (
    "check HEAD",
    "check --tree",
    "doctor",
    "whoami",
    "board",
    "list",
    "inbox",
    "lanes",
    "mirror",
    "id list",
    "id check",
    "put-down --list",
    "merge-order",
    "overlap",
    "show task:x",
    "log task:x",
)


@pytest.mark.parametrize("words", READING)
def test_a_reading_verb_leaves_no_trace_where_nothing_is_installed(repo: Repo, words: str) -> None:
    """No sign of life, no instance: nobody is there to see them."""
    before = snapshot(repo.common())

    repo.with_env(COORD_ACTOR="ada").run("git-coord", *words.split())

    assert snapshot(repo.common()) == before


def test_a_claim_is_a_sign_of_life_all_the_same(repo: Repo) -> None:
    """With a board there is somebody to see it."""
    assert repo.run("git-coord", "claim", "x").code == 0

    assert repo.private("coord-seen").exists()
    assert "x" in repo.run("git-coord", "board").out
