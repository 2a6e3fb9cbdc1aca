"""Durations as they are typed and read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord import duration


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
def test_no_text_breaks_it(text: str) -> None:
    """A duration or None."""
    found = duration.parse(text)

    assert found is None or 0 <= found <= duration.LONGEST
