"""Waiting that never outlives its worker: the end of the scope, a timeout, or a death above us.

``git`` stays as parent of ``git-coord``, so the parent alone proves nothing: a wait whose worker
was killed with SIGKILL would go on as an orphan. Every ancestor is watched.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from coord.liveness import process, signs

if TYPE_CHECKING:
    from collections.abc import Callable

TICK = 0.25


class Orphaned(Exception):
    """A process above this one has ended: nobody is left to wait for."""


class Watch:
    """The ancestors at one moment; made first thing, before any of them can be missed.

    Args:
        session: what COORD_SESSION says, which a harness sets.
    """

    def __init__(self, session: str = "") -> None:
        self._session = session
        self._chain = process.ancestors()
        self._watched = process.watched(self._chain, os.getsid(0), os.getpid())
        self._adopted = process.is_adopted(self._chain, os.getsid(0), os.getpid())

    @property
    def worker(self) -> process.Process | None:
        """The process that works here, for the record."""
        found = process.worker(self._chain)
        return None if found is None else process.recorded(found)

    @property
    def chain(self) -> signs.Chain:
        """All that stands above, for the session's file."""
        return signs.chain(self._chain, self._session)

    def is_broken(self) -> bool:
        """Tell whether a watched ancestor has ended, or had before we could look."""
        return self._adopted or self.ended is not None

    @property
    def ended(self) -> process.Link | None:
        """The nearest watched ancestor that has ended since we looked."""
        gone = (link for link in self._watched if process.has_ended(link.pid, link.start))
        return next(gone, None)


def until(
    is_open: Callable[[], bool],
    watch: Watch,
    timeout: float | None,
    beat: Callable[[], None],
    every: float,
) -> bool:
    """Wait until `is_open`; return False when `timeout` seconds were not enough.

    `beat` is called each `every` seconds: who waits is there. Counted by a clock nobody steps.

    Raises:
        Orphaned: the worker has died.
    """
    start = beaten = time.monotonic()
    while not is_open():
        now = time.monotonic()
        if watch.is_broken():
            raise Orphaned
        if timeout is not None and now - start >= timeout:
            return False
        if now - beaten >= every:
            beat()
            beaten = now
        left = TICK if timeout is None else min(TICK, timeout - (now - start))
        time.sleep(max(left, 0.0))
    return True
