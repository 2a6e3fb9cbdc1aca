"""Two versions of a log compared as records."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.check import compared
from coord.drivers import join

TIMES = st.lists(st.integers(1, 28), max_size=8)
LINES = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b""]), max_size=8)


def text(keys: list[bytes]) -> bytes:
    """Return records as the bytes of a log."""
    return b"".join(key + b"\n" for key in keys)


@given(LINES, LINES)
def test_an_append_is_growth(old: list[bytes], added: list[bytes]) -> None:
    """Whatever stands in a log, more may follow it."""
    assert compared.step(text(old), text(old + added), None).is_growth


@given(LINES, LINES)
def test_without_a_loss_every_record_is_still_there(old: list[bytes], new: list[bytes]) -> None:
    """What is named as lost, and nothing else, is missing from the newer version."""
    lost = [record.key for record in compared.step(text(old), text(new), None).lost]

    for key in set(old) - {b""}:
        assert lost.count(key) == max(0, old.count(key) - new.count(key))


@given(LINES, LINES, LINES)
def test_the_driver_joins_without_a_loss(
    base: list[bytes], ours: list[bytes], theirs: list[bytes]
) -> None:
    """A merge by the driver passes against either parent, wherever it put the records."""
    left, right = text(base + ours), text(base + theirs)
    merged = join.merge(text(base), left, right)

    assert not compared.step(left, merged, None).lost
    assert not compared.step(right, merged, None).lost


@given(TIMES, TIMES)
def test_what_the_driver_sorts_by_time_counts_as_in_time(
    ours: list[int], theirs: list[int]
) -> None:
    """It may set a replayed record before newer ones; that is recognised."""
    onto, picked = (
        text([b"2024-01-%02d 10:00 x" % day for day in days]) for days in (ours, theirs)
    )
    step = compared.step(onto, join.merge(b"", onto, picked), None)

    assert step.is_growth or step.in_time or not step.added


@pytest.mark.parametrize(
    ("new", "lost"),
    [
        ("one\nTWO\nthree\n", [(b"two", 2)]),
        ("one\nthree\n", [(b"two", 2)]),
        ("one\n", [(b"two", 2), (b"three", 3)]),
        ("", [(b"one", 1), (b"two", 2), (b"three", 3)]),
    ],
)
def test_edits_and_deletions_are_lost_records_with_their_lines(
    new: str, lost: list[tuple[bytes, int]]
) -> None:
    """Each is named with the line it stood on."""
    assert compared.step(b"one\ntwo\nthree\n", new.encode(), None).lost == lost


def test_an_insertion_in_the_middle_is_named() -> None:
    """Nothing is lost, but an older record was pushed aside."""
    step = compared.step(b"one\ntwo\nthree\n", b"one\nzzz\ntwo\nthree\n", None)

    assert not step.lost
    assert step.moved == (b"two", 2)
    assert step.inserted == b"zzz"
    assert step.added == (b"zzz",)
    assert not step.in_time


def test_a_reordering_is_named() -> None:
    """Nothing is lost and nothing is new."""
    step = compared.step(b"one\ntwo\nthree\n", b"one\nthree\ntwo\n", None)

    assert not step.lost
    assert step.moved == (b"two", 2)
    assert step.inserted is None


def test_a_log_may_grow_at_its_top() -> None:
    """A changelog with the newest block first, below its header."""
    old = b"# Changes\n\n## 1\n\n- a\n"
    new = b"# Changes\n\n## 2\n\n- b\n\n## 1\n\n- a\n"

    assert compared.step(old, new, b"## ").is_growth
    assert compared.step(b"#at\tkind\nx\n", b"#at\tkind\ny\nx\n", None).is_growth
    assert not compared.step(old, new.replace(b"- a", b"- A"), b"## ").is_growth


def test_stamped_records_may_be_joined_by_time() -> None:
    """A popped stash puts a record before newer ones."""
    first, second, third = (b"2024-01-0%d 10:00:00 x\n" % day for day in (1, 2, 3))

    step = compared.step(first + third, first + second + third, None)

    assert step.in_time


def test_line_ends_are_no_part_of_a_record() -> None:
    """A checkout that wrote CRLF edits nothing."""
    assert compared.step(b"one\ntwo\n", b"one\r\ntwo\r\nthree\r\n", None).is_growth


@pytest.mark.parametrize(
    ("before", "after", "start", "whole"),
    [
        (b"\n", b"next\n", None, True),
        (b"e", b"\nnext\n", None, True),
        (b"e", b"\r\nnext\n", None, True),
        (b"e", b"xtended\n", None, False),
        (b"", b"first\n", None, True),
        (b"\n", b"\n## 2\n", b"## ", True),
        (b"\n", b"- more of block 1\n", b"## ", False),
    ],
)
def test_bytes_appended_to_a_record_change_it(
    before: bytes, after: bytes, start: bytes | None, whole: bool
) -> None:
    """A byte prefix is a prefix of records only where a record ends."""
    assert compared.is_whole(before, after, start) is whole
