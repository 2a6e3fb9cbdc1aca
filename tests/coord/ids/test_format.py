"""Formats of identifiers: what is written is read back, and nothing ambiguous is accepted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.ids import format as formats

LETTERS = "ABZaz._-09"
LITERAL = st.text(LETTERS, max_size=8)
NUMBERS = st.integers(0, 10**9 - 1)


def formats_of(prefix: str, width: int, suffix: str) -> formats.Format | None:
    """Return the format of a spec, None where it is refused."""
    try:
        return formats.parsed(f"{prefix}{{n:0{width}}}{suffix}")
    except formats.Invalid:
        return None


@given(LITERAL, st.integers(1, 9), LITERAL, NUMBERS)
def test_what_is_written_is_read_back(prefix: str, width: int, suffix: str, number: int) -> None:
    """Parse after format is the number, in whatever case a file system shows it."""
    found = formats_of(prefix, width, suffix)
    if found is None:
        return
    text = found.text(number)

    assert found.number(text) == found.number(text.swapcase()) == number
    assert found.text(found.number(text) or 0) == text


@given(LITERAL, st.integers(1, 9), LITERAL, NUMBERS, NUMBERS)
def test_two_numbers_are_two_names(
    prefix: str, width: int, suffix: str, one: int, other: int
) -> None:
    """Also where case is folded."""
    found = formats_of(prefix, width, suffix)
    if found is not None:
        same = found.text(one).casefold() == found.text(other).casefold()
        assert same is (one == other)


@given(st.text(max_size=20))
def test_any_text_is_no_number_or_one_that_can_be_written(text: str) -> None:
    """Nothing that lies in the folder breaks the count."""
    found = formats.Format("HW-", 4, "")
    number = found.number(text)

    assert number is None or found.number(found.text(number)) == number


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("HW-DR-{n:04}", "HW-DR-0054"),
        ("HW-DR-{n:04d}", "HW-DR-0054"),
        ("{n}", "54"),
        ("{n:03}", "054"),
        ("rfc{n:05}-draft", "rfc00054-draft"),
        ("{n:01}", "54"),
    ],
)
def test_a_format_is_text_around_a_number(spec: str, text: str) -> None:
    """Python's way of writing it."""
    assert formats.parsed(spec).text(54) == text
    assert formats.parsed(spec).number(text) == 54


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("HW", "exactly one"),
        ("{n}-{n}", "exactly one"),
        ("{n:4}", "exactly one"),
        ("{n:00}", "exactly one"),
        ("{m}", "exactly one"),
        ("{n!r}", "exactly one"),
        ("", "exactly one"),
        ("a/{n}", "may hold"),
        ("é{n}", "may hold"),
        ("a\n{n}", "may hold"),
        ("V2{n}", "no digit"),
        ("{n}2", "no digit"),
        ("-{n}", "begins with"),
        (".{n}", "begins with"),
        ("{n}.", "dot"),
        ("a" * 101 + "{n}", "longer"),
    ],
)
def test_what_is_ambiguous_or_no_file_name_is_refused(spec: str, why: str) -> None:
    """A closed form: nothing of it is ever evaluated."""
    with pytest.raises(formats.Invalid, match=why):
        formats.parsed(spec)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "-a", "a.", "é", "a b", "a" * 65, "a\n"])
def test_what_is_no_folder_everywhere_is_no_namespace(name: str) -> None:
    """It is one, in the worktree of every clone."""
    with pytest.raises(formats.Invalid):
        formats.require_namespace(name)


@pytest.mark.parametrize("name", ["a", "HW-DR", "adr", "0", "a" * 64, "a.b_c-d"])
def test_a_namespace(name: str) -> None:
    """And its default is the beginning of every identifier."""
    formats.require_namespace(name)

    assert formats.default(name).text(1) == f"{name}-0001"


@given(st.text(LETTERS + "é /", max_size=12))
def test_the_next_of_any_name_is_another_one(stem: str) -> None:
    """What is no identifier of ours is numbered on as it looks."""
    found = formats.guessed(stem)
    number = found.number(stem)

    assert found.number(found.text((number or 1) + 1)) == (number or 1) + 1
    assert found.text((number or 1) + 1) != stem


@pytest.mark.parametrize(
    ("stem", "after"),
    [("0007-why", "0008-why"), ("adr9", "adr10"), ("claim", "claim-2"), ("v2-3", "v2-4")],
)
def test_the_last_number_counts(stem: str, after: str) -> None:
    """With as many zeros as it has."""
    found = formats.guessed(stem)

    assert found.text((found.number(stem) or 1) + 1) == after
