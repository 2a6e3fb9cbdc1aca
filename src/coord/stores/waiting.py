"""Waiting that never outlives its worker: the processes above a wait, and what wakes it.

``git`` stays as parent of ``git-coord``, so the parent alone proves nothing: a wait whose worker
was killed with SIGKILL would go on as an orphan. Every ancestor is watched.
"""

from __future__ import annotations

import os

from coord.liveness import process, signs
from coord.stores import bell as bells

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from coord.stores.replica import Replica

    class Rings(Protocol):
        """What wakes one who waits."""

        def expect(self, event: str) -> None:
            """Ring at another event from now on."""

        def rest(self, seconds: float) -> str:
            """Sleep until it rings: ``changed``, ``ended``, or ``time`` after so many seconds."""

        def close(self) -> None:
            """Let go of what is kept for it."""


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
    def watched(self) -> Sequence[process.Link]:
        """Those whose end ends a wait, the nearest first."""
        return self._watched

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

    @property
    def told(self) -> str:
        """Who has ended, in a few words."""
        ended = self.ended
        return "a process" if ended is None else f"{ended.name} (pid {ended.pid})"


def bell(event: str, news: str, watch: Watch) -> bells.Bell:
    """Return what rings at the file `event`, at a new one in `news`, and when `watch` breaks."""
    above = [(link.pid, link.start) for link in watch.watched]
    return bells.Bell(event, news, above, process.has_ended)


def afar(store: Replica, below: Sequence[str], watch: Watch) -> Rings:
    """Return what rings at anything new `below` some prefixes of `store`, and as :func:`bell`."""
    from coord.stores import farbell  # noqa: PLC0415  # threads, which a board of files does without

    return farbell.Bell(store, below, [link.pid for link in watch.watched], watch.is_broken)
