"""Entries as lines: the columns that scripts and drivers rely on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.drivers.instant import instant
from coord.fleet import ledger
from coord.fleet.ledger import Move, PutDown
from coord.identity.whoami import Identity

ME = Identity("hopper-a71f", "0f25582c-0d1d-46bc-bd8d-a4a17ff2ff79", "pinned", 2)
TEXTS = st.text()


def move(**said: str) -> Move:
    """Return a new move of ours."""
    fields = {"kind": "improve", "lane": "", "scope": "", "summary": "x", **said}
    return Move(**fields, **ledger.stamped(ME))


def test_the_columns_are_those_of_the_reference() -> None:
    """Scripts read them by place; a nonce follows them."""
    assert ledger.header(Move) == b"at\tactor\tinstance\tkind\tlane\tscope\tsummary\tnonce\n"
    assert ledger.header(PutDown) == (b"at\tactor\tinstance\tscope\treason\trevisit\tnote\tnonce\n")


@given(TEXTS, TEXTS, TEXTS)
def test_an_entry_is_one_line_and_comes_back(summary: str, lane: str, scope: str) -> None:
    """Whatever was said."""
    entry = move(summary=summary, lane=lane, scope=scope)

    line = ledger.line(entry)

    assert line.count(b"\n") == 1
    assert line.count(b"\t") == len(Move._fields) - 1
    assert ledger.parsed(line[:-1], Move) == entry
    assert ledger.parsed(line[:-1] + b"\r", Move) == entry


def test_two_equal_entries_differ_in_their_bytes() -> None:
    """The log driver keeps a record once: without a nonce, one of two would vanish."""
    first = move()

    assert ledger.line(first) != ledger.line(move()._replace(at=first.at))


def test_the_log_driver_finds_the_instant_of_an_entry() -> None:
    """So joined ledgers stand in the order of time, whoever merges whom."""
    assert instant(ledger.line(move())) is not None
    assert instant(ledger.header(Move)) is None


def test_an_instance_is_cut_to_eight_digits() -> None:
    """Legible; ownership is not decided by a ledger."""
    assert move().instance == "0f25582c"
    assert ledger.stamped(ME._replace(instance=None))["instance"] == ""


@pytest.mark.parametrize(
    "line",
    [b"", b"at\tactor", ledger.header(Move)[:-1], b"<<<<<<< ours", b"yesterday" + b"\tx" * 7],
)
def test_a_line_that_is_no_entry_is_none(line: bytes) -> None:
    """Conflict markers, torn lines and the header are passed over."""
    assert ledger.parsed(line, Move) is None


def test_further_columns_and_a_missing_nonce_are_no_obstacle() -> None:
    """A later version may have written the line, or a tool that knows the reference only."""
    entry = move()
    text = ledger.line(entry)[:-1]

    assert ledger.parsed(text + b"\tmore\tyet", Move) == entry
    assert ledger.parsed(text.rpartition(b"\t")[0], Move) == entry._replace(nonce="")
    assert ledger.parsed(b"\t".join(text.split(b"\t")[:-2]), Move) is None


def test_times_without_an_offset_are_utc() -> None:
    """As the driver orders them."""
    assert ledger.seconds("2026-01-01T00:00:00") == ledger.seconds("2026-01-01T01:00:00+01:00")
    assert ledger.seconds("soon") is None
