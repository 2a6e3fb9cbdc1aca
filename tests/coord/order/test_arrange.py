"""The merge order: its laws, and the cases that the design names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from coord.order.arrange import FINISHED, LANDED, RUNNING, Arrangement, Candidate, arranged

if TYPE_CHECKING:
    import random

NAMES = "abcdefg"
EXAMPLES = settings(max_examples=int(os.environ.get("COORD_HYPOTHESIS_EXAMPLES", "80")))


@st.composite
def boards(draw: st.DrawFn) -> tuple[list[Candidate], list[list[str]]]:
    """Return branches and lines; lines may name what is no branch, and a branch twice."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True))
    branches = [
        Candidate(
            name,
            draw(st.sampled_from([FINISHED, RUNNING, LANDED])),
            tuple(draw(st.sets(st.sampled_from("xyz")))),
            draw(st.sampled_from(["1", "2"])),
        )
        for name in names
    ]
    lines = draw(st.lists(st.lists(st.sampled_from(NAMES + "?"), max_size=5), max_size=4))
    return branches, lines


def waits(branches: list[Candidate], lines: list[list[str]]) -> dict[str, set[str]]:
    """Return, pair by pair, who waits on whom."""
    open_ = {one.name for one in branches if one.state != LANDED}
    found: dict[str, set[str]] = {one.name: set() for one in branches}
    for line in lines:
        queue = [name for name in dict.fromkeys(line) if name in open_]
        for index, name in enumerate(queue):
            found[name] |= set(queue[:index])
    return found


def names(answer: Arrangement) -> list[str]:
    """Return the order by name."""
    return [one.name for one in answer.order]


@EXAMPLES
@given(boards())
def test_every_branch_comes_once_and_after_what_it_waits_on(
    board: tuple[list[Candidate], list[list[str]]],
) -> None:
    """Unless they wait on each other: then both are in one reported circle."""
    answer = arranged(*board)
    order, wanted = names(answer), waits(*board)

    assert sorted(order) == sorted(one.name for one in board[0])
    for name, others in wanted.items():
        assert set(answer.waits_on.get(name, ())) == others
        for other in others:
            together = any({name, other} <= set(circle) for circle in answer.cycles)
            assert order.index(other) < order.index(name) or together


@EXAMPLES
@given(boards())
def test_a_circle_is_reported_with_all_its_members_and_nobody_else(
    board: tuple[list[Candidate], list[list[str]]],
) -> None:
    """A branch is in a circle if, and only if, it waits on itself by way of others."""
    wanted = waits(*board)

    def behind(name: str) -> set[str]:
        found = set(wanted[name])
        while more := {other for one in found for other in wanted[one]} - found:
            found |= more
        return found

    answer = arranged(*board)
    reported = [name for circle in answer.cycles for name in circle]

    assert sorted(reported) == sorted(name for name in wanted if name in behind(name))
    for circle in answer.cycles:
        assert list(circle) == sorted(circle, key=names(answer).index)
        assert all(set(circle) <= behind(name) for name in circle)


@EXAMPLES
@given(boards(), st.randoms())
def test_the_order_does_not_depend_on_how_the_board_was_read(
    board: tuple[list[Candidate], list[list[str]]], chance: random.Random
) -> None:
    """Everybody who asks gets the same answer."""
    branches, lines = list(board[0]), list(board[1])
    chance.shuffle(branches)
    chance.shuffle(lines)

    assert arranged(branches, lines) == arranged(*board)


@EXAMPLES
@given(boards())
def test_at_each_step_the_first_of_those_that_wait_on_nobody_comes(
    board: tuple[list[Candidate], list[list[str]]],
) -> None:
    """Finished first, widest, earliest, then by name; held for boards without circles."""
    answer = arranged(*board)
    if answer.cycles:
        return
    wanted = waits(*board)
    merged: list[Candidate] = []
    left = [one for one in answer.order if one.state != LANDED]
    while left:
        ready = [one for one in left if not wanted[one.name] & {other.name for other in left}]
        first = min(ready, key=lambda one: turn(one, left, wanted))
        merged.append(first)
        left.remove(first)

    assert list(answer.order[: len(merged)]) == merged
    assert all(one.state == LANDED for one in answer.order[len(merged) :])


def turn(
    one: Candidate, left: list[Candidate], wanted: dict[str, set[str]]
) -> tuple[int, int, str, str]:
    """Return what decides between branches, told anew and slowly."""
    found = {other.name for other in left if other.state == FINISHED}
    while more := {name for other in found for name in wanted[other]} - found:
        found |= more
    rank = 0 if one.state == FINISHED else 1 if one.name in found else 2
    return (rank, -len(one.footprint), one.since, one.name)


def test_widest_then_earliest_then_name() -> None:
    """Of finished branches that wait on nobody."""
    answer = arranged(
        [
            Candidate("name-b", FINISHED, ("x",), "2"),
            Candidate("name-a", FINISHED, ("x",), "2"),
            Candidate("early", FINISHED, ("y",), "1"),
            Candidate("wide", FINISHED, ("y", "z"), "3"),
            Candidate("running", RUNNING, ("x", "y", "z"), "0"),
            Candidate("landed", LANDED, ("x", "y", "z"), "0"),
        ],
        [],
    )

    assert names(answer) == ["wide", "early", "name-a", "name-b", "running", "landed"]


def test_a_wide_branch_stays_behind_the_narrow_one_it_waits_on() -> None:
    """Waits come before width."""
    wide = Candidate("wide", FINISHED, ("x", "y"), "1")
    narrow = Candidate("narrow", FINISHED, (), "2")

    assert names(arranged([wide, narrow], [["narrow", "wide"]])) == ["narrow", "wide"]


def test_a_running_branch_holds_up_only_what_waits_on_it() -> None:
    """It comes before that, and before running ones that nobody waits for, however wide."""
    answer = arranged(
        [
            Candidate("blocked", FINISHED, ("x", "y"), "1"),
            Candidate("free", FINISHED, (), "9"),
            Candidate("needed", RUNNING, (), "5"),
            Candidate("other", RUNNING, ("x", "y", "z"), "0"),
        ],
        [["needed", "blocked"]],
    )

    assert names(answer) == ["free", "needed", "blocked", "other"]


def test_nobody_waits_on_what_has_landed() -> None:
    """Its claims may still stand in front of the line."""
    answer = arranged(
        [Candidate("done", LANDED, ("x",), "1"), Candidate("next", FINISHED, ("x",), "2")],
        [["done", "next"]],
    )

    assert names(answer) == ["next", "done"]
    assert answer.waits_on == {}


def test_a_cycle_breaks_once_at_its_widest_branch() -> None:
    """Once: a waits on b waits on c waits on a; after a there is no circle left."""
    branches = [
        Candidate("a", FINISHED, ("x", "y", "z"), "9"),
        Candidate("b", FINISHED, ("x", "y"), "1"),
        Candidate("c", FINISHED, ("x",), "1"),
        Candidate("free", FINISHED, (), "1"),
    ]

    answer = arranged(branches, [["b", "a"], ["c", "b"], ["a", "c"]])

    assert names(answer) == ["a", "c", "b", "free"]
    assert answer.cycles == (("a", "c", "b"),)


def test_equally_wide_members_of_a_circle_go_by_age() -> None:
    """Deterministic to the end."""
    old, new = (Candidate(name, FINISHED, ("x",), since) for name, since in ("b1", "a2"))

    answer = arranged([new, old], [["a", "b"], ["b", "a"]])

    assert names(answer) == ["b", "a"]
    assert answer.waits_on == {"a": ("b",), "b": ("a",)}


def test_ten_thousand_branches_in_one_circle_end() -> None:
    """No recursion and no quadratic search."""
    count = 10_000
    branches = [Candidate(str(n), FINISHED, (), f"{n:06}") for n in range(count)]
    lines = [[str(n), str((n + 1) % count)] for n in range(count)]

    answer = arranged(branches, lines)

    assert [len(circle) for circle in answer.cycles] == [count]
    assert names(answer)[:2] == ["0", "1"]
