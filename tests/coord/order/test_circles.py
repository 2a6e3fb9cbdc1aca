"""Circles among names that lead to each other."""

from __future__ import annotations

import os

from hypothesis import given, settings
from hypothesis import strategies as st

from coord.order import circles

NAMES = "abcdef"
GRAPHS = st.fixed_dictionaries({name: st.sets(st.sampled_from(NAMES)) for name in NAMES})
EXAMPLES = settings(max_examples=int(os.environ.get("COORD_HYPOTHESIS_EXAMPLES", "60")))


def reached(graph: dict[str, set[str]], start: str) -> set[str]:
    """Return all that a name leads to, itself included."""
    found = {start}
    while more := {other for name in found for other in graph[name]} - found:
        found |= more
    return found


@EXAMPLES
@given(GRAPHS)
def test_those_which_lead_to_each_other_are_in_one_group(graph: dict[str, set[str]]) -> None:
    """And no others; every name is in exactly one."""
    groups = circles.groups(graph)
    group_of = {name: number for number, group in enumerate(groups) for name in group}

    assert sorted(name for group in groups for name in group) == list(NAMES)
    for name in NAMES:
        mutual = {one for one in reached(graph, name) if name in reached(graph, one)}
        assert {one for one in NAMES if group_of[one] == group_of[name]} == mutual


def test_a_long_chain_is_no_recursion() -> None:
    """Ten thousand branches in one line."""
    graph = {str(n): {str(n + 1)} if n < 9_999 else set[str]() for n in range(10_000)}

    assert len(circles.groups(graph)) == 10_000
    assert circles.visited("0", graph, set())[-1] == "0"
