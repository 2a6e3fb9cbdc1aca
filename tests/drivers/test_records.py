"""How the bytes of a log fall into records, and how bytes are made of them again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.drivers.records import line_end, render, split
from harness.logs import MODES, Mode, texts


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (b"", []),
        (b"a", [b"a"]),
        (b"a\n", [b"a"]),
        (b"a\r\nb\n", [b"a", b"b"]),
        (b"a\r\r\n", [b"a\r"]),
        (b"\n", [b""]),
        (b"a\n\nb", [b"a", b"", b"b"]),
        (b"a\x0bb\x0cc\xc2\x85d\n", [b"a\x0bb\x0cc\xc2\x85d"]),
        (b"\xff\xfe\n", [b"\xff\xfe"]),
    ],
)
def test_a_line_is_a_record(text: bytes, keys: list[bytes]) -> None:
    """Only LF ends a line, and one CR before it is not part of the record."""
    assert split(text, None).keys == keys


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (b"", []),
        (b"\n\n", []),
        (b"## a\nx\n\n## b\n", [b"## a\nx", b"## b"]),
        (b"head\n\n## a\n", [b"head", b"## a"]),
        (b"## a\r\nx\r\n\r\n## b", [b"## a\nx", b"## b"]),
        (b"## a\n\nx\n\n\n## b\n", [b"## a\n\nx", b"## b"]),
        (b"## a\n### no start\n", [b"## a\n### no start"]),
    ],
)
def test_a_block_is_a_record(text: bytes, keys: list[bytes]) -> None:
    """It ends where the next begins; the blank lines after it are not part of it."""
    assert split(text, b"## ").keys == keys


def test_a_paragraph_is_a_record() -> None:
    """With an empty start, blank lines set records apart, however many."""
    records = split(b"\na\nb\n\n\nc\n", b"")

    assert records.keys == [b"a\nb", b"c"]
    assert records.gaps == {b"a\nb": 2, b"c": 0}
    assert list(records.lines) == [1, 5]


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@given(data=st.data())
def test_records_survive_being_written(mode: Mode, data: st.DataObject) -> None:
    """What is read from what was written is what was there."""
    keys = data.draw(st.lists(st.sampled_from(mode.records), max_size=5))
    records = split(data.draw(texts(keys, mode, None)), mode.start)

    assert records.keys == keys
    for end in (b"\n", b"\r\n"):
        assert split(render(records.keys, records.gaps, end), mode.start).keys == keys


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "end"),
    [
        ((0, 3), (3, 3), (3, 3), b"\n"),
        ((2, 3), (0, 3), (0, 3), b"\r\n"),
        ((1, 2), (2, 2), (2, 2), b"\n"),
        ((0, 0), (2, 2), (1, 1), b"\r\n"),
        ((0, 0), (2, 2), (0, 1), b"\n"),
        ((0, 0), (2, 2), (0, 0), b"\n"),
    ],
)
def test_the_line_end_is_that_of_the_base(
    base: tuple[int, int], ours: tuple[int, int], theirs: tuple[int, int], end: bytes
) -> None:
    """Its more frequent one; without a base LF, unless both sides are CRLF throughout."""
    assert line_end(base, ours, theirs) == end
    assert line_end(base, theirs, ours) == end
