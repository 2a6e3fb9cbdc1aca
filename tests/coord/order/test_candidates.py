"""What the claims of the board say of each branch."""

from __future__ import annotations

from coord.board.events import Event, Place, State
from coord.order.candidates import lines, works


def place(actor: str, branch: str | None, since: str = "1", **more: object) -> Place:
    """Return a place, its instance named like its actor."""
    return Place(actor, actor, branch, since)._replace(**more)  # type: ignore[arg-type]


def event(scope: str, *line: Place, **state: str) -> Event:
    """Return the newest event of a scope."""
    now = State(1, line)._replace(**state)  # type: ignore[arg-type]
    return Event(1, "n", None, "claim", scope, "a", "a", "now", now)


def test_a_branch_has_the_artifacts_it_holds_or_waits_for() -> None:
    """Sorted, each once; tasks and lanes are no artifacts."""
    found = works(
        [
            event("artifact:z", place("a", "feat", "3"), place("b", "other", "4")),
            event("artifact:b", place("b", "other", "5"), place("a", "feat", "6")),
            event("task:x", place("a", "feat", "2")),
            event("lane:y", place("c", None, "1")),
            event("task:free"),
        ]
    )

    assert set(found) == {"feat", "other"}
    assert found["feat"].footprint == ("b", "z")
    assert (found["feat"].actor, found["feat"].since) == ("a", "2")


def test_a_branch_is_its_holders_and_finished_as_that_says() -> None:
    """Whoever claimed for it earlier; without a holder it is the worker's rather than a peer's."""
    held = event("branch:feat", place("b", "main", "9"), finished_at="8", finished_tip="c")
    boss = event("task:x", place("boss", "feat", "1", on_behalf=True), place("a", "feat", "2"))

    found = works([held, boss])["feat"]
    alone = works([boss])["feat"]

    assert (found.actor, found.finished_at, found.finished_tip) == ("b", "8", "c")
    assert (alone.actor, alone.since, alone.finished_at) == ("a", "1", None)


def test_equal_looking_names_are_one_branch() -> None:
    """A scope is kept in NFC, a branch as git spells it."""
    mine = place("a", "e\u0301")

    found = works([event("branch:\u00e9", mine), event("artifact:x", mine)])

    assert {name: work.footprint for name, work in found.items()} == {"\u00e9": ("x",)}


def test_lines_hold_whom_there_is_to_wait_for() -> None:
    """The holder in any case, those in line if they count; a place without a branch is none."""
    events = [
        event("artifact:x", place("a", "one"), place("b", "two"), place("c", "three")),
        event("artifact:y", place("b", "two"), place("d", None), place("a", "one")),
        event("artifact:z", place("a", "one")),
    ]

    found = list(lines(events, lambda waiting: waiting.actor != "b"))

    assert found == [["one", "three"], ["two", "one"]]
