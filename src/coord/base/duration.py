"""Durations as they are typed and read: ``90s 30m 24h 7d``."""

from __future__ import annotations

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_NAMES = (("d", "day"), ("h", "hour"), ("m", "minute"), ("s", "second"))
LONGEST = 10 * 365 * 86400


def parse(text: str) -> float | None:
    """Return the seconds `text` stands for, or None when it is no duration.

    A number and one unit, a fraction allowed; longer than ten years is a typo.
    """
    number, unit = text[:-1], text[-1:]
    digits = number.replace(".", "", 1)
    if unit not in UNITS or not (digits.isascii() and digits.isdigit()):
        return None
    seconds = float(number) * UNITS[unit]
    return seconds if seconds <= LONGEST else None


def typed(seconds: float) -> str:
    """Return a length of time as it is typed: in the largest unit that it is a whole number of."""
    for unit, _ in _NAMES:
        if seconds >= UNITS[unit] and seconds % UNITS[unit] == 0:
            return f"{seconds // UNITS[unit]:.0f}{unit}"
    return f"{seconds:g}s"


def told(seconds: float) -> str:
    """Return a length of time as a person says it: ``25 hours``, not ``1 day``; rounded down."""
    whole = max(0, int(seconds))
    for unit, name in _NAMES:
        count = whole // UNITS[unit]
        if count > 1:
            return f"{count} {name}s"
    return f"{whole} second{'' if whole == 1 else 's'}"
