"""The ISO-8601 instant a record begins with, read without `re` or `datetime` (7 ms of a start)."""

# ruff: noqa: PLR2004 - a calendar is made of such numbers
from __future__ import annotations

_WIDTH = 80  # of a record: a bullet or a JSON key, then the stamp
_BULLETS = b" \t-*#[(<\"'"


def instant(record: bytes, start: bytes = b"") -> tuple[int, bytes] | None:
    """Return seconds since 0000-03-01 UTC and the digits of the fraction; None without a stamp.

    The stamp is a date and a time of day; it may stand after `start`, a bullet or bracket, or as
    the first value of a JSON object. A date alone is no instant: ordering by it would shuffle what
    one side wrote in one day. Without an offset it is taken for UTC.
    """
    text = record[:_WIDTH]
    if start and text.startswith(start):
        text = record[len(start) : len(start) + _WIDTH]
    if text.startswith(b'{"'):
        text = text[text.find(b'":') + 2 :]
    text = text.lstrip(_BULLETS)
    digits = text[0:4] + text[5:7] + text[8:10] + text[11:13] + text[14:16]
    if len(digits) != 12 or not digits.isdigit():
        return None
    if text[4:5] + text[7:8] + text[13:14] != b"--:" or text[10:11] not in (b"T", b" ", b"t"):
        return None
    month, day, hour, minute = (
        int(digits[4:6]),
        int(digits[6:8]),
        int(digits[8:10]),
        int(digits[10:]),
    )
    if not (0 < month < 13 and 0 < day < 32 and hour < 25 and minute < 60):
        return None
    return _exact(text[16:], 1440 * _days(int(digits[:4]), month, day) + 60 * hour + minute)


def day(record: bytes, start: bytes = b"") -> bytes:
    """Return the digits of the date a record begins with, b"" without one."""
    text = record[len(start) if start and record.startswith(start) else 0 :][:_WIDTH]
    text = text.lstrip(_BULLETS)
    digits = text[0:4] + text[5:7] + text[8:10]
    is_date = len(digits) == 8 and digits.isdigit() and text[4:5] + text[7:8] == b"--"
    return digits if is_date and not text[10:11].isalnum() else b""


def _days(year: int, month: int, day: int) -> int:
    """Return the days since 0000-03-01 in the Gregorian calendar, counted in years from March."""
    if month < 3:
        year, month = year - 1, month + 12
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month - 457) // 5 + day - 1


def _exact(rest: bytes, minutes: int) -> tuple[int, bytes] | None:
    """Add the seconds, fraction and offset that follow the minute."""
    seconds, fraction = 0, b""
    if rest[:1] == b":":
        if len(rest) < 3 or not rest[1:3].isdigit() or (seconds := int(rest[1:3])) > 60:
            return None
        rest = rest[3:]
        if rest[:1] in (b".", b",") and rest[1:2].isdigit():
            after = rest[1:].lstrip(b"0123456789")
            fraction = rest[1 : len(rest) - len(after)].rstrip(b"0")
            rest = after
    offset, rest = _offset(rest)
    if rest[:1].isalnum():
        return None
    return 60 * (minutes - offset) + seconds, fraction


def _offset(rest: bytes) -> tuple[int, bytes]:
    """Return the minutes east of UTC at the head of `rest`, and what follows."""
    if rest[:1] in (b"Z", b"z"):
        return 0, rest[1:]
    if rest[:1] not in (b"+", b"-") or len(rest) < 3 or not rest[1:3].isdigit():
        return 0, rest
    minutes, after = 60 * int(rest[1:3]), rest[3:]
    colon = after[:1] == b":"
    if len(after) >= 2 + colon and after[colon : 2 + colon].isdigit():
        minutes += int(after[colon : 2 + colon])
        after = after[2 + colon :]
    return (minutes if rest[:1] == b"+" else -minutes), after
