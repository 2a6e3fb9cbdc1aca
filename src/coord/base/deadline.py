"""By when what is asked of a server has to be answered, where who asks waits for so long alone."""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

NEVER = float("inf")
_LEAST = 3.0  # seconds: a last look is one, and to log in by ssh takes as long
_END: ContextVar[float] = ContextVar("end", default=NEVER)


@contextmanager
def by(end: float) -> Iterator[None]:
    """Have what a block of this thread asks end by a moment of the monotonic clock, or soon."""
    before = _END.set(min(end, _END.get()))
    try:
        yield
    finally:
        _END.reset(before)


def left(seconds: float) -> float:
    """Return how long that may take of which nothing else is said than `seconds`."""
    return min(seconds, max(_LEAST, _END.get() - time.monotonic()))
