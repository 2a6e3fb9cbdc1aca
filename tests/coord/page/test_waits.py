"""The drawing of the waits: where each worker stands."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from coord.page import waits

if TYPE_CHECKING:
    from coord.documents.board import ClaimantDocument, RowDocument


def _claimant(name: str, state: str, place: int | None) -> ClaimantDocument:
    return {
        "actor": name,
        "instance": name,
        "branch": None,
        "since": "2026-01-01T00:00:00Z",
        "place": place,
        "run": None,
        "liveness": None,
        "state": state,
    }


def _row(scope: str, *line: str) -> RowDocument:
    claimants = [
        _claimant(name, "waiting" if at else "held", at + 1) for at, name in enumerate(line)
    ]
    return {"scope": scope, "claimants": claimants}  # type: ignore[typeddict-item]  # what it reads


def test_a_waiter_stands_right_of_all_it_waits_on() -> None:
    """Also where the line below it is longer elsewhere."""
    found = waits.graph(
        [_row("task:x", "a", "b"), _row("task:y", "b", "c"), _row("task:z", "a", "c")]
    )

    assert found.columns == {"a": 0, "b": 1, "c": 2}


def test_a_wait_of_the_dead_is_not_drawn() -> None:
    """Nobody waits there."""
    row = _row("task:x", "a", "b")
    row["claimants"][1]["state"] = "dead"

    assert not waits.graph([row]).waits


def test_a_circle_is_drawn_with_the_wait_that_closes_it_marked() -> None:
    """No column order is right for all of a circle; one wait points back, and is told apart."""
    found = waits.graph([_row("task:x", "a", "b"), _row("task:y", "b", "a")])
    drawing = waits.drawn(found)

    assert len([one for one in drawing.iter("path") if one.get("class") == "circle"]) == 1
    assert len([one for one in drawing.iter("path") if one.get("class") == "wait"]) == 1


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6, unique=True), max_size=8)
)
def test_no_two_workers_stand_in_one_place_and_all_are_drawn(rows: list[list[str]]) -> None:
    """Whatever the board holds, circles too."""
    found = waits.graph([_row(f"task:{at}", *line) for at, line in enumerate(rows)])
    if not found.waits:
        return
    drawing = waits.drawn(found)

    boxes = [(one.get("x"), one.get("y")) for one in drawing.iter("rect")]
    assert len(set(boxes)) == len(boxes) == len(found.columns)
    assert {one.waiter for one in found.waits} <= set(found.columns)


def test_a_thousand_waits_in_one_chain_are_cut_and_quick() -> None:
    """A drawing of all of them would say nothing; and no recursion is as deep as the line."""
    begun = time.process_time()
    found = waits.graph([_row(f"task:{at}", f"w{at}", f"w{at + 1}") for at in range(1000)])

    assert found.total == 1000
    assert len(found.waits) == waits.MOST
    assert len(list(waits.drawn(found).iter("rect"))) == waits.MOST + 1
    assert time.process_time() - begun < 1
