"""Durations as they are typed and read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.base import duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("30m", 1800), ("24h", 86400), ("7d", 604800), ("0s", 0), ("1.5h", 5400)],
)
def test_a_number_and_a_unit_are_a_duration(text: str, seconds: float) -> None:
    """The four units of the reference."""
    assert duration.parse(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "s", "90", "-1s", "1w", "1 h", "1h30m", "\u0663s", "1e9s", ".s", "1..5h", "99999d"]
)
def test_anything_else_is_none(text: str) -> None:
    """A typo is no duration, nor is more than ten years."""
    assert duration.parse(text) is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "0 seconds"),
        (1, "1 second"),
        (119, "119 seconds"),
        (120, "2 minutes"),
        (7199, "119 minutes"),
        (90_000, "25 hours"),
        (200_000, "2 days"),
    ],
)
def test_a_length_of_time_is_told_in_its_largest_plural_unit(seconds: float, text: str) -> None:
    """25 hours say more than one day."""
    assert duration.told(seconds) == text


@given(st.text(max_size=6))
def test_any_text_is_parsed_without_a_fault(text: str) -> None:
    """A duration or None."""
    found = duration.parse(text)

    assert found is None or 0 <= found <= duration.LONGEST


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(86400, "1d"), (604800, "7d"), (90, "90s"), (5400, "90m"), (43200, "12h"), (0.5, "0.5s")],
)
def test_a_duration_is_given_back_as_it_is_typed(seconds: float, text: str) -> None:
    """In the largest unit that fits, and read it is the same again."""
    assert duration.typed(seconds) == text
    assert duration.parse(text) == seconds
