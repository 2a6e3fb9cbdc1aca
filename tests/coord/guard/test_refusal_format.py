"""The refusal record: one file format, written by drivers in sh and read here."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from coord.guard import refusal

if TYPE_CHECKING:
    from harness import Repo

GOLDEN = (
    "coord-refused 1\nkind derived\nhead aaaa\nours bbbb\ntheirs cccc\n"
    'path "sub/a\\nb \\303\\251.json"\n'
)


def test_the_golden_record_is_read_and_written_alike() -> None:
    """The same bytes are golden in the drivers' tests."""
    record = refusal.parse("f", GOLDEN)

    assert record.path == "sub/a\nb é.json"
    assert record.readable
    assert record.text() == GOLDEN


def test_a_torn_record_is_unreadable_not_absent() -> None:
    """Whatever length a kill left, no prefix passes for a whole record."""
    for length in range(len(GOLDEN)):
        assert not refusal.parse("f", GOLDEN[:length]).readable


def test_a_resolution_is_kept_in_the_record() -> None:
    """Reason and blob travel to the commit's trailer; a reason has one line."""
    record = refusal.parse("f", GOLDEN.replace("path", "resolved dddd\nreason why not\npath"))

    assert (record.resolved, record.reason) == ("dddd", "why not")
    assert refusal.parse("f", record.text()) == record


def test_what_is_being_made_is_kept_in_the_record() -> None:
    """Until it is settled, or given up."""
    record = refusal.parse("f", GOLDEN.replace("path", "begun make all\npath"))

    assert (record.begun, record.readable) == ("make all", True)
    assert refusal.parse("f", record.text()) == record


@given(st.binary(min_size=1, max_size=40).filter(lambda raw: b"\0" not in raw))
def test_quoted_paths_come_back(raw: bytes) -> None:
    """Any byte a path can hold survives."""
    assert refusal.c_unquoted(refusal.c_quoted(os.fsdecode(raw))) == os.fsdecode(raw)
    assert "\n" not in refusal.c_quoted(os.fsdecode(raw))


def test_the_quoting_is_gits_own(repo: Repo) -> None:
    """``git ls-files`` prints such a path with the same bytes."""
    name = 'a"b\tc\\d é\x01'
    repo.write(name, "x")
    repo.git("add", "-A")

    assert refusal.c_quoted(name) in repo.git("ls-files").split("\n")
