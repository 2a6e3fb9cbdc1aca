"""Conflict markers in a log: no records of it, and the two texts that they stand for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.drivers import markers
from coord.drivers.records import split

CONFLICT = b"a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> side\n"


@pytest.mark.parametrize(
    ("text", "start", "after"),
    [
        (CONFLICT, None, b"a\nb\nc\n"),
        (CONFLICT + b"d\n", None, b"a\nb\nd\nc\n"),
        (CONFLICT.replace(b"\n", b"\r\n"), None, b"a\r\nb\r\nc\r\n"),
        (b"<<<<<<< x\nb\n||||||| base\nz\n=======\nc\n>>>>>>> y\n", None, b"b\nc\n"),
        (b"<<<<<<< x\nb\ns\n=======\ns\nc\n>>>>>>> y", None, b"b\ns\nc\n"),
        (
            b"## 1\none\n<<<<<<< x\n## 2\ntwo\n=======\n## 3\nthree\n>>>>>>> y\n",
            b"## ",
            b"## 1\none\n## 2\ntwo\n## 3\nthree\n",
        ),
        (b"<<<<<<< o\n" + CONFLICT + b"=======\nz\n>>>>>>> o\n", None, b"a\nb\nc\nz\n"),
    ],
)
def test_both_sides_of_a_conflict_are_records(
    text: bytes, start: bytes | None, after: bytes
) -> None:
    """Each once, in whatever style git wrote them; the base of a third style is neither's."""
    assert markers.line(text)
    assert split(markers.settled(text, start), start).keys == split(after, start).keys


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"<<<<<<< HEAD\n",
        b"a\n=======\nb\n",
        b"<<<<<<< x\n=======\nb\n",
        b"<<<<<<< x\n>>>>>>> y\n",
        b">>>>>>> y\n=======\n<<<<<<< x\n",
        b" <<<<<<< x\n=======\n>>>>>>> y\n",
    ],
)
def test_less_than_a_whole_conflict_is_text(text: bytes) -> None:
    """A heading underlined with seven equal signs is one of somebody's records."""
    assert markers.line(text) == 0
    assert markers.settled(text, None) == text


@given(st.lists(st.sampled_from([*CONFLICT.splitlines(keepends=True), b"||||||| o\n"])))
def test_no_marker_survives_and_no_record_is_made_up(lines: list[bytes]) -> None:
    """Whatever is torn, nested or repeated, what is left holds no whole conflict."""
    after = markers.settled(b"".join(lines), None)

    assert markers.line(after) == 0
    assert set(after.splitlines(keepends=True)) <= set(lines)


def nested(depth: int) -> bytes:
    """Return a conflict in a conflict, so many times."""
    return b"<<<<<<< a\n" * depth + b"x\n" + b"=======\ny\n>>>>>>> b\n" * depth


@pytest.mark.parametrize("depth", [1, 2, 16])
def test_conflicts_that_stand_in_each_other_are_settled(depth: int) -> None:
    """As deep as git puts them, and deeper."""
    assert split(markers.settled(nested(depth), None), None).keys[0] == b"x"
    assert not markers.line(markers.settled(nested(depth), None))


@pytest.mark.parametrize("depth", [100, 200, 400])
def test_conflicts_deeper_than_gits_are_text_and_cost_no_more_readings(
    depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """34 KB of markers took 13 s of a commit: one reading of the log for each of 1,700."""
    readings = []
    joined = markers.both
    monkeypatch.setattr(markers, "both", lambda *args: readings.append(1) or joined(*args))

    assert markers.settled(nested(depth), None) == nested(depth)
    assert len(readings) == 16
