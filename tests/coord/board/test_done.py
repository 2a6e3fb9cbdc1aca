"""A branch that is done, and one that has landed: pure decisions."""

from __future__ import annotations

import pytest

from coord.board import done, events
from coord.board.events import Change, Place, State


def place(instance: str, branch: str | None = "feat", **more: object) -> Place:
    """Return a place; all actors share one name."""
    return Place("claude", instance, branch, "2026-01-01T00:00:00Z")._replace(**more)  # type: ignore[arg-type]


def alive(_: Place) -> bool:
    """Nobody is dead."""
    return False


def state(change: Change | None) -> State:
    """Return the state a decision leads to; there has to be one."""
    assert change is not None
    return change.state


def finished(tip: str = "1111") -> State:
    """Return the state of a branch that `a` holds and has finished."""
    return state(done.finished(State(1, (place("a"),)), place("a"), tip, alive))


def waited_for() -> State:
    """Return the same with somebody in line behind."""
    return finished()._replace(line=(place("a"), place("b", "other")))


def test_what_nobody_holds_is_claimed_by_finishing_it() -> None:
    """One event: no moment in which the branch is held but not finished."""
    after = state(done.finished(State(4), place("a"), "1111", alive))

    assert (after.generation, after.line) == (5, (place("a"),))
    assert (after.finished_at, after.finished_tip) == (place("a").since, "1111")


def test_finishing_again_changes_nothing_until_there_are_other_commits() -> None:
    """Idempotent; a new commit is recorded."""
    before = finished()

    assert done.finished(before, place("a", since="later"), "1111", alive) is None
    assert state(done.finished(before, place("a"), "2222", alive)).finished_tip == "2222"


def test_what_is_said_of_a_finished_branch_is_later_whatever_the_clock_says() -> None:
    """By a microsecond, where the clock went back; as the clock has it, else."""
    before = finished()._replace(finished_at="2026-01-01T00:00:00.999999Z")

    assert done.later("2025-12-31T23:00:00.000000Z", before) == "2026-01-01T00:00:01.000000Z"
    for now in ("2026-01-01T00:00:02.000000Z", "2027-01-01T00:00:00.000000Z"):
        assert done.later(now, before) == now
        assert done.later(now, State()) == now
        assert done.later(now, before._replace(finished_at="later")) == now


def test_a_branch_is_finished_no_earlier_than_anything_was_claimed_for_it() -> None:
    """The clock of the claim may have been ahead."""
    newest = "2026-01-01T09:00:00Z"

    after = state(done.finished(State(4), place("a"), "1111", alive, newest))

    assert after.finished_at == newest
    assert done.finished(after, place("a"), "1111", alive, newest) is None


def test_what_a_coordinator_claimed_for_the_branch_is_taken_up() -> None:
    """The claim becomes the worker's own, and is finished."""
    kept = State(1, (place("boss", on_behalf=True),))

    after = state(done.finished(kept, place("a"), "1111", alive))

    assert after.line[0].instance == "a"
    assert after.finished_tip == "1111"


def test_finish_by_the_holder_on_another_branch_adds_no_second_place() -> None:
    """Claimed from another branch by the same instance: no second place."""
    after = state(done.finished(State(1, (place("a", "main"),)), place("a"), "1111", alive))

    assert after.line == (place("a", "main"),)


def test_finish_of_another_holders_branch_leaves_the_holder() -> None:
    """The caller sees by the holder that it has to refuse."""
    after = state(done.finished(State(1, (place("b"),)), place("a"), "1111", alive))

    assert after.line[0].instance == "b"


@pytest.mark.parametrize(
    "again",
    [
        events.joined(finished(), place("a", intent="more"), alive),
        events.taken(finished(), place("b"), "it is broken"),
        events.left(waited_for(), lambda one: one.instance == "a", alive),
    ],
    ids=["the holder says something new", "it is taken over", "it is released"],
)
def test_a_branch_at_work_again_is_finished_no_more(again: Change | None) -> None:
    """Whoever becomes holder has not said that it is done."""
    assert state(again).finished_at is None
    assert state(again).finished_tip is None


def test_waiting_for_a_finished_branch_leaves_it_finished() -> None:
    """So does the same claim again, and a waiter that leaves."""
    waited = state(events.joined(finished(), place("b", "other"), alive))
    left = state(events.left(waited, lambda p: p.instance == "b", alive))

    assert events.joined(finished(), place("a"), alive) is None
    assert waited.finished_tip == left.finished_tip == "1111"


def test_what_landed_is_given_up_and_the_next_holds() -> None:
    """On the record, with the reason; places taken since are nobody's to give up."""
    line = (place("a"), place("b", "other"), place("c"))

    change = done.landed(State(1, line), {line[0]}, "feat landed on main", alive)

    assert change is not None
    assert change.kind == "land"
    assert change.state == State(2, line[1:])
    assert change.details["reason"] == "feat landed on main"
    assert done.landed(State(2, line[1:]), {line[0]}, "again", alive) is None
