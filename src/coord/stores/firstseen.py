"""The time of a copy of a board that has no clock: when this clone first saw a record as it is.

A remote of git stamps nothing, and the clocks of those who write there may be years apart. So a
record is as old as the copy knows it unchanged, by a time of the copy's own. That begins with this
machine's and goes on by a clock that nobody can set, one for each boot of each machine that uses
the copy; from one boot to the next it stands still, since how long nobody looked cannot be proved.
All ages are as of the last look: while the board cannot be reached, nothing gets older.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from coord.liveness import machine
from coord.stores.copyfile import path_of
from coord.stores.store import Rec

if TYPE_CHECKING:
    from collections.abc import Sequence

_CLOCKS = "SELECT boot, ahead, at FROM clock"
_KNOWN = "SELECT at FROM rec WHERE path = ? AND rev = ? AND value = ?"


class Sightings:
    """The time of one copy as one process tells it; of a copy in memory it begins anew."""

    def __init__(self, copy: sqlite3.Connection) -> None:
        """Tell the time on.

        Raises:
            sqlite3.Error: it cannot be known: to begin anew could make all look old.
        """
        self._copy = copy
        self._which, up = machine.uptime()
        self._ahead, self._looked = self._going(up) or self._begun(up)
        self._asked = self._looked
        self._to_ours = time.time() - self._time()

    def _going(self, up: float) -> tuple[float, float] | None:
        """Return how far the time is ahead of our clock, and when it was at the last look.

        None where our clock is a new one, or was set back, with its whole machine.
        """
        clocks = self._copy.execute(_CLOCKS).fetchall()
        looked = max((ahead + at for _, ahead, at in clocks), default=0.0)
        ahead = {which: ahead for which, ahead, _ in clocks}.get(self._which)
        return None if ahead is None or up + ahead < looked else (ahead, looked)

    def _begun(self, up: float) -> tuple[float, float]:
        """Have the time go on by our clock from where it was at the last look, if it has begun."""
        with self._copy:
            self._copy.execute("BEGIN IMMEDIATE")
            going = self._going(up)  # another command may have been first
            if going is not None:
                return going
            (last,) = self._copy.execute("SELECT max(ahead + at) FROM clock").fetchone()
            looked = time.time() if last is None else float(last)
            row = (self._which, looked - up, up)
            self._copy.execute("REPLACE INTO clock VALUES (?, ?, ?)", row)
        return looked - up, looked

    def now(self) -> float:
        """Return this machine's time when the process began, and what has passed since."""
        return self._time() + self._to_ours

    def ask(self) -> None:
        """Begin to look at the board."""
        self._asked = self._time()

    def look(self) -> None:
        """Have the board's answer say how everything was when it was asked."""
        self._looked = max(self._looked, self._asked)
        with suppress(sqlite3.Error):
            row = (self._looked - self._ahead, self._which)
            self._copy.execute("UPDATE clock SET at = max(at, ?) WHERE boot = ?", row)

    def stamped(self, recs: Sequence[Rec]) -> Sequence[Rec]:
        """Return news with when they were first seen: now, but for what the copy has as it is."""
        now = self._time()
        is_new = self._copy.execute("SELECT 1 FROM rec LIMIT 1").fetchone() is None
        return [
            Rec(rec.key, rec.value, now if is_new else self._known(rec, now), rev=rec.rev)
            for rec in recs
        ]

    def column(self) -> tuple[str, tuple[float, float]]:
        """Return in SQL when records were first seen by our time: each as old as at the last look.

        And what stands for its parameters.
        """
        now = self.now()
        return "min(?, at + ?)", (now, now - self._looked)

    def _known(self, rec: Rec, now: float) -> float:
        found = self._copy.execute(_KNOWN, (path_of(rec.key), rec.rev, rec.value)).fetchone()
        return now if found is None or found[0] is None else float(found[0])

    def _time(self) -> float:
        return machine.uptime()[1] + self._ahead
