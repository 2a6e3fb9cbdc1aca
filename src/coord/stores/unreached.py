"""That a board elsewhere does not answer, while what a copy has of it is read."""

from __future__ import annotations

import time
from typing import NamedTuple

from coord.base import duration
from coord.stores.store import Unavailable, Unknown


class Unreached(NamedTuple):
    """That the copy could not be brought up to date.

    Attributes:
        where: the board.
        error: why.
        at: when it last was, in seconds since the epoch by the clock of this machine.
    """

    where: str
    error: Unavailable
    at: float

    @property
    def told(self) -> str:
        """That in one line, with the age that the copy has now."""
        age = duration.told(time.time() - self.at)
        why = f"the board at {self.where} cannot be reached: {self.error.why}"
        return f"{why}; what is shown of it is {age} old"


def unavailable(error: Unavailable | Unknown) -> Unavailable:
    """Return an error of its own that nothing can be asked now, for the reason of `error`."""
    return Unavailable(
        "store-unavailable",
        "the board cannot be read or written",
        where=error.where,
        why=error.why,
        run=error.run,
    )
