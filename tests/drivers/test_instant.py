"""Reading the instant at the head of a record."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.drivers.instant import instant

ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.datetimes(min_value=datetime(2, 1, 1), timezones=ZONES)  # noqa: DTZ001 - a bound
EPOCH = instant(b"0001-01-01T00:00Z")


@given(MOMENTS, MOMENTS)
def test_the_order_is_that_of_time(one: datetime, other: datetime) -> None:
    """Whatever the offsets, to the microsecond."""
    read = [instant(moment.isoformat().encode() + b" x") for moment in (one, other)]

    assert None not in read
    assert (read[0] < read[1]) == (one < other)  # type: ignore[operator]
    assert (read[0] == read[1]) == (one == other)


@given(MOMENTS)
def test_seconds_are_counted_as_the_calendar_does(moment: datetime) -> None:
    """Leap years and month lengths included."""
    read = instant(moment.isoformat().encode())
    since = moment - datetime(1, 1, 1, tzinfo=UTC)

    assert read is not None
    assert EPOCH is not None
    assert read[0] - EPOCH[0] == since.days * 86400 + since.seconds


@pytest.mark.parametrize(
    "record",
    [
        b"2026-01-02T03:04:05Z did it",
        b"2026-01-02T03:04:05z",
        b"2026-01-02 03:04:05",
        b"2026-01-02t04:04:05+01:00\tx",
        b"2026-01-02T02:34:05-0030",
        b"2026-01-02T04:04:05+01",
        b"2026-01-02T03:04:05.000Z",
        b"2026-01-02T03:04:05,0",
        b"- 2026-01-02T03:04:05Z",
        b"[2026-01-02T03:04:05Z] x",
        b"## 2026-01-02T03:04:05Z",
        b'{"at":"2026-01-02T03:04:05Z","n":1}',
        b'{"at": "2026-01-02T03:04:05Z"}',
    ],
)
def test_one_instant_in_many_spellings(record: bytes) -> None:
    """Offset, fraction, separator, bullet, bracket, first value of a JSON object."""
    assert instant(record, b"## ") == instant(b"2026-01-02T03:04:05")


@pytest.mark.parametrize(
    "record",
    [
        b"",
        b"x",
        b"2026-01-02",
        b"2026-01-02 a date is no instant",
        b"2026-01-02T03",
        b"2026-13-02T03:04Z",
        b"2026-00-02T03:04Z",
        b"2026-01-32T03:04Z",
        b"2026-01-02T25:04Z",
        b"2026-01-02T03:60Z",
        b"2026-01-02T03:04:61Z",
        b"2026-01-02T03:04:0",
        b"2026-01-02T03:04Zulu",
        b"2026_01_02T03:04Z",
        b"2026-01-02_03:04",
        b"2O26-01-02T03:04Z",
        b"did it at 2026-01-02T03:04Z",
        b'{"n":1,"at":"2026-01-02T03:04:05Z"}',
        b'{"n"',
    ],
)
def test_what_has_no_stamp_at_its_head_has_none(record: bytes) -> None:
    """A date alone would shuffle what one side wrote in a day; a stamp elsewhere is content."""
    assert instant(record) is None


def test_a_fraction_counts_to_any_digit() -> None:
    """Compared as digits, not as a float."""
    stamps = [
        b"2026-01-02T03:04:05.%sZ" % digits for digits in (b"1", b"10000000000001", b"9", b"99")
    ]

    read = [at for at in map(instant, stamps) if at]

    assert len(read) == len(stamps)
    assert sorted(read) == read
    assert instant(b"2026-01-02T03:04:05.10Z") == instant(stamps[0])
