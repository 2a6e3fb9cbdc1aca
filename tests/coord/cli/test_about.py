"""``show`` and ``list``: one scope, branch or worker in full; and all that was announced."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from harness.board import answer, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


@pytest.fixture
def one(tmp_path: Path, repo: Repo) -> Repo:
    """A worker with an announcement, a task with words, and one without."""
    made = worker(repo, tmp_path / "one", "feat-one", "one-0001")
    answer(made, "announce", "--intent", "split\x1b[2J it", "--path", "src/*")
    answer(made, "claim", "x", "--intent", "the task")
    answer(made, "claim", "quiet")
    return made


@pytest.fixture
def two(tmp_path: Path, repo: Repo) -> Repo:
    """Somebody else, who waits for task:x."""
    made = worker(repo, tmp_path / "two", "feat-two", "two-0002")
    answer(made, "claim", "x", "--intent", "me too")
    return made


def scopes(repo: Repo, *words: str) -> list[str]:
    """Return the scopes that ``show`` tells of."""
    return [claim["scope"] for claim in answer(repo, "show", *words)["claims"]]


def test_list_shows_what_is_meant(one: Repo, two: Repo) -> None:
    """Claims on branches, and those with words or paths; who waits too."""
    answer(one, "pause")
    found = answer(two, "list")["announcements"]

    assert [(a["scope"], a["actor"], a["state"]) for a in found] == [
        ("branch:feat-one", "one-0001", "held"),
        ("task:x", "one-0001", "held"),
        ("task:x", "two-0002", "waiting"),
    ]
    assert found[0]["paths"] == ["src/*"]
    assert [a["paused_at"] is None for a in found] == [False, False, True]
    assert all(a["present"] for a in found)
    shown = two.coord("list").out
    assert "  branch:feat-one  one-0001 on feat-one (paused)\n    | split\\x1b[2J it\n" in shown
    assert "    | src/*\n" in shown
    assert "two-0002 (you)" in shown


def test_list_is_of_the_living(repo: Repo, one: Repo, two: Repo) -> None:
    """A removed worktree means nothing any more."""
    repo.git("worktree", "remove", "--force", str(one.path))

    assert [a["actor"] for a in answer(two, "list")["announcements"]] == ["two-0002"]


def test_a_worker_is_shown_with_all_it_has(one: Repo, two: Repo) -> None:
    """By name, handle or instance; without a name, oneself."""
    everything = ["branch:feat-one", "task:quiet", "task:x"]
    instance = answer(one, "whoami")["instance"]
    for name in ("one-0001", "one", instance, instance[:8]):
        assert scopes(two, name) == everything
    assert scopes(one) == everything
    assert scopes(two) == ["task:x"]
    shown = answer(two, "show", "one")
    assert (shown["kind"], shown["name"]) == ("actor", "one-0001")
    assert f"one-0001 works in {one.path}, as instance {instance}" in two.coord("show", "one").out
    assert [a["actor"] for a in shown["actors"]] == ["one-0001", "two-0002"]


def test_a_branch_is_shown_with_all_that_is_claimed_for_it(one: Repo, two: Repo) -> None:
    """Its own scope, and the places of those who work on it."""
    shown = answer(two, "show", "feat-one")

    assert shown["kind"] == "branch"
    assert [claim["scope"] for claim in shown["claims"]] == [
        "branch:feat-one",
        "task:quiet",
        "task:x",
    ]
    del one


def test_a_scope_is_shown_with_offers_and_what_happened(one: Repo, two: Repo) -> None:
    """With or without its kind."""
    offer = answer(one, "handoff", "two-0002", "--scope", "x", "--note", "yours\nif you like")
    for name in ("task:x", "x"):
        shown = answer(two, "show", name)
        assert (shown["kind"], shown["name"]) == ("scope", "task:x")
        (claim,) = shown["claims"]
        assert [found["id"] for found in claim["offers"]] == [offer["offers"][0]["id"]]
    text = two.coord("show", "x").out
    assert "task:x: offered to two-0002 at generation 1, " in text
    assert "    | yours\n    | if you like\n" in text
    assert "  offer      one-0001" in text


def test_what_is_not_known_is_said_with_the_nearest(one: Repo) -> None:
    """Exit 1; a scope of no kind is exit 2."""
    done = one.coord("show", "one-001")
    assert (done.code, done.refusal.rule) == (1, "name-unknown")
    assert "one-0001" in done.refusal.why
    assert one.paste(done.refusal.run).code == 0
    assert one.coord("show", "task:nosuch").code == 1
    assert one.coord("show", "nosuch:x").code == 2


def test_whoever_is_only_inferred_may_look(repo: Repo, one: Repo) -> None:
    """Reading refuses nobody."""
    assert len(answer(repo, "list")["announcements"]) == 2
    assert scopes(repo, "one-0001") != []
    assert repo.coord("show").code in {0, 1}
    del one


def test_oneself_is_known_before_any_claim(repo: Repo) -> None:
    """With or without an install, by default and by name."""
    for _ in range(2):
        done = repo.run("git-coord", "show")
        assert (done.code, done.out.split("\n")[0]) == (0, "actor main")
        assert repo.run("git-coord", "show", "main").code == 0
        repo.install()


def test_ages_are_those_of_the_board(one: Repo) -> None:
    """What was claimed by a clock that stands in 1990 is no older than its record."""
    code = (
        "import time; real = time.time\n"
        f"time.time = lambda: real() - {30 * 365 * 86400}\n"
        "from coord.cli.main import run; run()"
    )
    assert one.run(sys.executable, "-c", code, "claim", "old").code == 0

    assert "one-0001 (you) on feat-one for less than a minute" in one.coord("show", "task:old").out
