"""Moments and ages, as a reader says them and as a machine reads them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from coord.board.text import seconds, span
from coord.page.element import element

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


def told(moment: float) -> str:
    """Return seconds since the epoch as a person reads them."""
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M} UTC"


def age(moment: str | None, now: float | None) -> Element:
    """Return how long ago `moment` of a record was; the moment itself stands behind it.

    Without `now` it is of a clock that nobody here can count from, and is told as it is.
    """
    at = None if moment is None else seconds(moment)
    if moment is None or at is None:
        return element("span", "–")
    if now is None:
        return element("time", told(at), datetime=moment, title="by the clock of who wrote it")
    return element("time", span(max(0.0, now - at)), datetime=moment, title=told(at))
