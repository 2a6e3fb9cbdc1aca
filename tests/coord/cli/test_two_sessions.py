"""Two sessions of one worker in one worktree: each keeps what it has claimed, and is told so."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from harness.board import SESSION, answer, eventually, living, scope, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

TOO = "works in this worktree too"


@pytest.fixture
def one(repo: Repo, tmp_path: Path) -> Repo:
    """A pinned worker."""
    return worker(repo, tmp_path / "one", "b", "one-0001")


@pytest.mark.parametrize("before", [(), SESSION, (*SESSION, *SESSION)])
def test_each_session_gives_up_its_own_and_what_the_ended_have_left(
    repo: Repo, one: Repo, before: tuple[str, ...]
) -> None:
    """Two terminals, declared or not; declared twice is no more than once.

    claude-code#90146, stella#5874.
    """
    with living(one, before=before) as first, living(one, before=before) as second:
        assert first.run("git coord claim parser --session S1")[0] == 0
        _, _, told = second.run("git coord claim parser lexer --session S2")
        assert TOO in told
        assert TOO in first.run("git coord claim more")[2]  # each of the other

        status, said, _ = second.run("git coord sign-off")
        assert status == 0
        assert "released: task:lexer" in said
        assert "kept: task:parser was claimed by another session here" in said
        held = scope(repo, "task:parser")["holder"]
        assert (held["actor"], held["session"]) == ("one-0001", "S1")

        first.end()
        status, said, told = second.run("git coord sign-off")
        assert TOO not in told
        assert "released: task:more\nreleased: task:parser" in said


def test_release_of_all_is_of_this_session_and_of_one_scope_of_that(repo: Repo, one: Repo) -> None:
    """Whoever names a scope means it."""
    with living(one) as first, living(one) as second:
        first.run("git coord claim parser lexer")
        second.run("git coord claim mine")

        assert second.run("git coord release")[1] == "task:mine is free\n"
        assert second.run("git coord release parser")[1] == "task:parser is free\n"
        assert scope(repo, "task:lexer")["state"] == "held"


def test_a_session_inside_another_gives_up_its_own(repo: Repo, one: Repo) -> None:
    """A harness that is a session starts another one: the inner sign-off is not the outer's."""
    inner = "git coord claim inner && git coord sign-off"
    with living(one, before=SESSION) as outer:
        outer.run("git coord claim outer")

        status, said, _ = outer.run(f"git-coord session -- sh -c '{inner}'")

        assert status == 0
        assert "released: task:inner" in said
        assert scope(repo, "task:outer")["state"] == "held"
        assert "released: task:outer" in outer.run("git coord sign-off")[1]


def test_a_claim_follows_its_worker_to_its_next_session(one: Repo) -> None:
    """Started anew, it claims what it has; another session's end does not free it."""
    with living(one) as second:
        with living(one) as first:
            first.run("git coord claim parser")
            first.end()
        with living(one) as again:
            again.run("git coord claim parser")
            assert "kept: task:parser" in second.run("git coord sign-off")[1]
            assert "released: task:parser" in again.run("git coord sign-off")[1]


def test_a_run_and_a_wait_of_another_session_stay(repo: Repo, one: Repo, tmp_path: Path) -> None:
    """What runs holds until it ends, who waits keeps its place."""
    two = worker(repo, tmp_path / "two", "c", "two-0002")
    answer(two, "claim", "slow")
    with living(one) as first, living(one) as second:
        first.start("git coord claim slow; git coord run long -- sh -c 'touch on; exec sleep 30'")
        assert eventually((one.path / "on").exists)

        said = second.run("git coord sign-off")[1]

        assert "kept: task:long is held by the run of sh until it ends" in said
        assert "kept: task:slow was claimed by another session here" in said


def test_an_agent_is_one_session_whatever_its_commands_run_in(one: Repo) -> None:
    """A shell for each command, a script for a hook, a session of the terminal's of its own."""
    hook = f'{sys.executable} -c "import os; os.system(\\"git coord claim hooked\\")"'
    with living(one) as agent:
        told = agent.run("git coord claim plain")[2]
        told += agent.run(hook)[2]
        told += agent.run("setsid -w sh -c 'git coord claim apart; exit $?'")[2]
        said = agent.run("git coord sign-off")[1]

    assert TOO not in told
    assert [line for line in said.splitlines() if line.startswith("released")] == [
        f"released: task:{name}" for name in ("apart", "hooked", "plain")
    ]
