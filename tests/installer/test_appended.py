"""Lines added to a foreign file go without a trace."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from coord.installer import appended

TEXTS = st.lists(st.sampled_from([b"a", b"ours", b"\n", b"\r\n", b"", b"\xff"])).map(b"".join)


@given(st.none() | TEXTS)
def test_what_was_added_goes_without_a_trace(old: bytes | None) -> None:
    """With and without a final newline, empty, or not there at all: the very same bytes."""
    text = appended.added(old, b"ours 1\nours 2\n")
    ours = {n for n, line in enumerate(appended.split(text)) if line.startswith(b"ours ")}

    assert len(ours) == 2
    assert appended.without(text, ours) == old


@given(st.none() | TEXTS)
def test_lines_go_one_by_one_just_as_well(old: bytes | None) -> None:
    """Two tracked patterns are untracked in either order."""
    text = appended.added(appended.added(old, b"ours 1\n"), b"ours 2\n")
    for mark in (b"ours 1", b"ours 2"):
        at = {n for n, line in enumerate(appended.split(text)) if line.rstrip() == mark}
        rest = appended.without(text, at)
        text = rest if rest is not None else b""

    assert text == (old or b"")


@given(TEXTS)
def test_splitting_loses_nothing(text: bytes) -> None:
    """Only LF ends a line, and the lines are the text."""
    assert b"".join(appended.split(text)) == text


def test_a_file_that_was_not_there_goes_again() -> None:
    """An empty file stays an empty file; one of ours alone is deleted."""
    assert appended.without(appended.added(None, b"ours\n"), {0}) is None
    assert appended.without(appended.added(b"", b"ours\n"), {0}) == b""
