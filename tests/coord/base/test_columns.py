"""Columns of a terminal, not characters."""

from __future__ import annotations

import pytest

from coord.base.columns import aligned, padded, width


@pytest.mark.parametrize(
    ("text", "cells"),
    [("", 0), ("task:x", 6), ("色彩", 4), ("é", 1), ("e\u0301", 1), ("한글", 4), ("a\u200db", 2)],
)
def test_width_counts_the_cells_of_a_terminal(text: str, cells: int) -> None:
    """Wide characters take two, marks and joiners none."""
    assert width(text) == cells


def test_wide_names_end_where_narrow_ones_end() -> None:
    """A board with one name in Chinese stays a table."""
    rows = list(aligned([("task:色彩", "ada"), ("task:x", "b")]))

    assert rows == [("task:色彩", "ada"), ("task:x   ", "b  ")]
    assert {width(first) for first, _ in rows} == {9}


def test_a_column_is_no_wider_than_it_may_be() -> None:
    """One long name does not push all others to the right; it is not cut either."""
    assert list(aligned([("long name",), ("x",)], 4)) == [("long name",), ("x   ",)]


def test_padding_of_what_is_too_wide_adds_nothing() -> None:
    """A negative number of blanks is none."""
    assert padded("色彩", 3) == "色彩"
