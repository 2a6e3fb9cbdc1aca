"""What the join makes of each fault of ``merge=union``, beside what union makes of it."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, NamedTuple

import pytest

from coord.drivers.join import Refused, Rewritten, Torn, TwoHeaders, join, merge

if TYPE_CHECKING:
    from pathlib import Path

T = "2026-01-01T00:00:0"  # with a digit and Z: a stamp


class Row(NamedTuple):
    """A recipe, and the right result: text, or the refusal."""

    base: str
    theirs: str
    ours: str
    right: str | type[Refused]
    start: bytes | None = None


def lines(words: str) -> str:
    """Return each word on a line; ``_`` is an empty line."""
    return "".join(word.replace("_", "") + "\n" for word in words.split())


ROWS = {
    "a shared appended part is kept once": Row(
        lines("b"), lines("b x y S"), lines("b M x y"), lines("b M x y S")
    ),
    "a scattered shared part is kept once": Row(
        lines("b"),
        lines("b x S1 S2 S3 S4 z"),
        lines("b M1 M2 x M3 M4 z M5"),
        lines("b M1 M2 x M3 M4 S1 S2 S3 S4 z M5"),
    ),
    "stamped records are ordered by time": Row(
        f"{T}1Z b\n",
        f"{T}1Z b\n{T}2Z s\n{T}4Z s\n",
        f"{T}1Z b\n{T}3Z m\n{T}5Z m\n",
        f"{T}1Z b\n{T}2Z s\n{T}3Z m\n{T}4Z s\n{T}5Z m\n",
    ),
    "the only record edited both ways is refused": Row(
        "t1 open\n", "t1 closed\n", "t1 wontfix\n", Rewritten
    ),
    "an edit beside an append is refused": Row(
        lines("typo b"), lines("fixed b"), lines("typo b c"), Rewritten
    ),
    "a deletion beside an append is refused": Row(
        lines("a b"), lines("a"), lines("a b c"), Rewritten
    ),
    "a log begun anew on both sides is refused": Row(
        lines("1 2 3"), lines("4S"), lines("4M"), Rewritten
    ),
    "a record deleted far from the appends is refused": Row(
        lines("1 2 3 4 5 6 7 8"),
        lines("1 3 4 5 6 7 8 S"),
        lines("1 2 3 4 5 6 7 8 M"),
        Rewritten,
    ),
    "CRLF on one side is no rewrite": Row(
        lines("a b"), "a\r\nb\r\nS\r\n", lines("a b M"), lines("a b M S")
    ),
    "two pretty-printed objects are no lines": Row(
        "b\n", 'b\n{\n  "k": 1,\n  "s": 1\n}\n', 'b\n{\n  "k": 1,\n  "m": 1\n}\n', Torn
    ),
    "lines that both sides continue indented are no records": Row(
        "b\n", "b\n{\n  s\n", "b\n{\n  m\n", Torn
    ),
    "lines that a shared bracket closes are no records": Row(
        lines("b"), lines("b { s }"), lines("b { m }"), Torn
    ),
    "paragraphs stay apart": Row(
        lines("A _"), lines("A _ S _"), lines("A _ M _"), lines("A _ M _ S _"), b""
    ),
    "blocks keep their own first and common lines": Row(
        "---\nfirst\n",
        "---\nfirst\n---\ns\nbody\n",
        "---\nfirst\n---\nm\nbody\n",
        "---\nfirst\n---\nm\nbody\n---\ns\nbody\n",
        b"---",
    ),
    "two headers of a new stamped log are refused": Row(
        "", f"at who\n{T}1Z s\n", f"at by\n{T}2Z m\n", TwoHeaders
    ),
    "two comments on top of a new log are refused": Row(
        "", "# of s\none\n", "# of m\ntwo\n", TwoHeaders
    ),
    "two headers of a new log of blocks are refused": Row(
        "", "s\n\n## 1\n", "m\n\n## 2\n", TwoHeaders, b"## "
    ),
    "a record that was picked is kept once": Row(
        lines("b"), lines("b x s2"), lines("b m1 x m2"), lines("b m1 x m2 s2")
    ),
    "a record that was squashed is kept once": Row(
        lines("b"), lines("b s1 s2"), lines("b m1 s1 m2"), lines("b m1 s1 m2 s2")
    ),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_the_join_is_right(row: Row) -> None:
    """As the table of faults demands, from either side."""
    for ours, theirs in ((row.ours, row.theirs), (row.theirs, row.ours)):
        sides = (row.base.encode(), ours.encode(), theirs.encode())
        if isinstance(row.right, str):
            assert merge(*sides, row.start).decode() == row.right
        else:
            with pytest.raises(row.right):
                merge(*sides, row.start)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_union_is_wrong(row: Row, tmp_path: Path) -> None:
    """The built-in union neither refuses nor gets it right: why this driver exists."""
    for side, text in (("base", row.base), ("ours", row.ours), ("theirs", row.theirs)):
        (tmp_path / side).write_bytes(text.encode())
    done = subprocess.run(
        ["git", "merge-file", "-p", "--union", "ours", "base", "theirs"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )

    assert done.returncode == 0
    assert done.stdout.decode() != row.right


def test_an_agreed_removal_passes() -> None:
    """Missing equally on both sides is no rewrite; what each side added elsewhere is kept."""
    assert merge(b"a\nb\nc\n", b"a\nc\nm\n", b"a\nc\ns\n") == b"a\nc\nm\ns\n"


def test_an_agreed_edit_passes() -> None:
    """Both put the same instead, and each went on."""
    assert merge(b"a\nb\n", b"a\nB\nm\n", b"a\nB\ns\n") == b"a\nB\nm\ns\n"


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "start"),
    [
        (b"a\nb\n", b"a\nB1\n", b"a\nB2\n", None),
        (b"a\nb\nc\n", b"a\nB1\nc\n", b"a\nB2\nc\n", None),
        (b"a\nb\n", b"a\n", b"a\nB2\n", None),
        (b"a\n\nb\n", b"a\n\nb\no\n", b"a\n\nb\nt\n", b""),
    ],
    ids=["the last", "one in the middle", "removed by one", "a paragraph that both go on"],
)
def test_a_record_that_both_sides_edited_differently_is_refused(
    base: bytes, ours: bytes, theirs: bytes, start: bytes | None
) -> None:
    """Gone from both, but no agreement: it would stand twice."""
    for sides in ((ours, theirs), (theirs, ours)):
        with pytest.raises(Rewritten) as caught:
            merge(base, *sides, start)
        assert (caught.value.side, caught.value.index) == ("both", 1)


@pytest.mark.parametrize("base", [b"2020-01-02 x\n2020-01-01 y\n", b"2020-01-02 x\n"])
def test_a_log_of_days_that_is_newest_first_stays_so(base: bytes) -> None:
    """A date is no instant, but it tells which of two days comes first."""
    sides = b"2020-01-05 o\n2020-01-03 z\n2020-01-03 a\n" + base, b"2020-01-04 t\n" + base
    for one, other in (sides, sides[::-1]):
        assert merge(base, one, other) == (
            b"2020-01-05 o\n2020-01-04 t\n2020-01-03 z\n2020-01-03 a\n" + base
        )


def test_a_base_with_markers_is_harmless() -> None:
    """A virtual base may hold what no side has."""
    base = b"a\n<<<<<<< one\nb\n=======\nc\n>>>>>>> two\n"

    assert merge(base, b"a\nb\nc\nm\n", b"a\nb\nc\ns\n") == b"a\nb\nc\nm\ns\n"


def test_a_base_with_a_record_too_often_is_harmless() -> None:
    """So may one that union has doubled."""
    assert merge(b"a\nb\nb\n", b"a\nb\nm\n", b"a\nb\ns\n") == b"a\nb\nm\ns\n"


def test_a_virtual_merge_is_never_refused() -> None:
    """A base that holds too much is harmless."""
    assert join([b"a", b"b"], [b"a", b"x"], [b"a", b"b"], virtual=True) == [b"a", b"b", b"x"]


def test_a_side_contained_in_the_other_gives_the_other() -> None:
    """Nothing is added that is there already."""
    assert merge(b"a\n", b"a\nx\n", b"a\nx\ny\n") == b"a\nx\ny\n"


def test_added_on_both_sides_the_shared_part_is_kept_once() -> None:
    """There is no base; what both begin with is common."""
    assert merge(b"", b"h\nm\n", b"h\ns\n") == b"h\nm\ns\n"


def test_an_insertion_in_the_middle_is_an_addition() -> None:
    """Only a loss is refused; ``check`` flags the insertion in the commit that made it."""
    assert merge(b"a\nb\n", b"a\nx\nb\n", b"a\nb\ny\n") == b"a\nx\nb\ny\n"


def test_a_reorder_without_loss_is_ordered_by_the_rule() -> None:
    """The same records on both sides: the smaller sequence is the backbone."""
    assert merge(b"a\nb\n", b"b\na\n", b"a\nb\n") == b"a\nb\n"


def test_repetitions_inside_one_side_stay() -> None:
    """Only what both sides say counts once."""
    assert merge(b"a\n", b"a\nx\nx\n", b"a\nx\n") == b"a\nx\nx\n"


def test_a_header_is_kept_on_top_of_blocks() -> None:
    """Or it would become part of the block before it."""
    assert merge(b"", b"head\n\n## b\n", b"## a\n", b"## ") == b"head\n\n## a\n\n## b\n"


def test_lines_that_differ_in_blanks_are_two_records() -> None:
    """What `-X ignore-space-change` would drop."""
    assert merge(b"a\n", b"a\nx  1\n", b"a\nx 1\n") == b"a\nx  1\nx 1\n"


def test_a_missing_line_end_is_supplied() -> None:
    """Or the next append would be glued to the last record."""
    assert merge(b"a", b"a\nm", b"a\ns") == b"a\nm\ns\n"
