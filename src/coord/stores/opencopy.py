"""The copy of a board as one process has it open: what it has, and of when that is.

One that breaks is begun anew in memory. A child of a fork opens its own.
"""

from __future__ import annotations

import os
import sqlite3
import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from coord.base import publish
from coord.stores import copyfile, retired
from coord.stores.copyfile import below, path_of
from coord.stores.news import Since
from coord.stores.store import Rec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.stores.firstseen import Sightings
    from coord.stores.transacting import Transacting

NEVER = float("-inf")
_ALONG = (
    20  # records forgotten with a write; of a transaction's 128 operations, the rest is its own
)


class OpenCopy(ABC):
    """A connection to a copy, and what this process knows beside it.

    Attributes:
        board: what it is a copy of.
        as_of: when all that it has was so, by the monotonic clock.
        seen: when its records were first seen, where the board has no clock; None until it is open.
    """

    def __init__(self, board: Transacting[Any], path: str) -> None:
        """Prepare; nothing is opened before the first look.

        Args:
            board: what it is a copy of.
            path: the file, or :data:`coord.stores.copyfile.MEMORY`.
        """
        self.board = board
        self._path = path
        self.as_of = NEVER
        self.seen: Sightings | None = None
        self._time_kept = False
        self._going: list[tuple[int, str]] = []
        self._open: tuple[int, sqlite3.Connection] | None = None

    @abstractmethod
    def refresh(self) -> None:
        """Fill a copy that was begun anew."""

    def connection(self) -> sqlite3.Connection:
        """Return this process's connection; none is carried over a fork."""
        if self._open is None or self._open[0] != os.getpid():
            try:
                made = self._use(copyfile.opened(self._path))
            except (sqlite3.Error, OSError) as error:
                if isinstance(error, sqlite3.Error) and copyfile.is_no_copy(error):
                    publish.forget(self._path)
                made = self._use(copyfile.in_memory(self._path))
            if self.board.caps.clock and self.board.ahead is None:
                self.board.ahead = copyfile.remembered(made)
            return made
        return self._open[1]

    def _use(self, made: sqlite3.Connection) -> sqlite3.Connection:
        if not self.board.caps.clock:
            from coord.stores.firstseen import Sightings  # noqa: PLC0415  # for these boards alone

            self.seen = Sightings(made)
        self._open, self.as_of = (os.getpid(), made), NEVER
        return made

    def close(self) -> None:
        """Close the connection; a later look opens it again."""
        if self._open is not None and self._open[0] == os.getpid():
            self._open[1].close()
        self._open = None

    def run(self, sql: str, *values: object) -> Sequence[tuple[Any, ...]]:
        """Return the rows of a statement; of a copy that is broken, once it is filled anew."""
        try:
            return self.connection().execute(sql, values).fetchall()
        except sqlite3.Error as error:
            self.give_up(error)
            self.refresh()
            return self.connection().execute(sql, values).fetchall()

    def give_up(self, error: sqlite3.Error) -> None:
        """Go on with a copy in memory; a file that is no copy any more is dropped."""
        self.connection().close()
        if copyfile.is_no_copy(error):
            publish.forget(self._path)
        self._use(copyfile.opened(copyfile.MEMORY))

    def rev(self) -> int:
        """Return up to where it has the board's sequence of writes; 0 for nothing."""
        return int(self.run("SELECT rev FROM upto")[0][0])

    def since(self, base: int) -> Since | None:
        """Return from where news are asked for; None where all is asked for.

        An event tells the history: other records are forgotten, or written over, all the time.
        """
        if not base:
            return None
        newest = "SELECT max(rev), key FROM rec WHERE path > ? AND path < ? AND ours"
        ((at, key),) = self.run(newest, *below("claims"))
        ((cluster,),) = self.run("SELECT cluster FROM upto")
        return Since(base, key or "", at if key else 0, cluster)

    def rev_of(self, key: str) -> int | None:
        """Return the revision that wrote a record; None where there is none."""
        rows = self.run("SELECT rev FROM rec WHERE path = ?", path_of(key))
        return int(rows[0][0]) if rows else None

    def value_of(self, key: str) -> bytes | None:
        """Return what a record says; None where there is none."""
        rows = self.run("SELECT value FROM rec WHERE path = ?", path_of(key))
        return bytes(rows[0][0]) if rows else None

    def swept(self) -> int:
        """Return the mark above which scopes begin."""
        asked = "SELECT key FROM rec WHERE path > ? AND path < ?"
        return retired.highest(key for (key,) in self.run(asked, *below(retired.FOLDER)))

    def has_below(self, prefix: str) -> bool:
        """Tell whether it has anything below `prefix`."""
        where = "SELECT 1 FROM rec WHERE path > ? AND path < ? AND ours LIMIT 1"
        return bool(self.run(where, *below(prefix)))

    def recs(self, where: str, *values: object) -> Sequence[Rec]:
        """Return the records of a condition, but for those that are to be forgotten."""
        at, given = ("at", ()) if self.seen is None else self.seen.column()
        rows = self.run(f"SELECT key, value, {at}, rev FROM rec WHERE {where}", *given, *values)  # noqa: S608
        gone = {key for pid, key in self._going if pid == os.getpid()}
        return [Rec(key, value, at, rev=rev) for key, value, at, rev in rows if key not in gone]

    def forget(self, found: Sequence[str]) -> None:
        """Have nobody here read records that the board is to forget with the next request."""
        self._going += [(os.getpid(), key) for key in found]

    def leaving(self) -> list[str]:
        """Return the keys that are to be forgotten with the next request."""
        return [key for pid, key in self._going if pid == os.getpid()][:_ALONG]

    def left(self, found: Sequence[str]) -> None:
        """Have keys, of which the board knows by now or with its next write, wait no more."""
        if found:
            gone = [(path_of(key),) for key in found]
            self.connection().executemany("UPDATE rec SET ours = 0 WHERE path = ?", gone)
            self._going = [one for one in self._going if one[1] not in found]

    def drop(self, found: Sequence[str]) -> None:
        """Take out records that the board has no more."""
        gone = [(path_of(key),) for key in found]
        self.connection().executemany("DELETE FROM rec WHERE path = ?", gone)

    def asking(self) -> float:
        """Return when the board is asked, by the monotonic clock."""
        if self.seen is not None:
            self.seen.ask()
        return time.monotonic()

    def looked(self, asked: float) -> None:
        """Take it that what it has was so when the board was asked."""
        self.as_of = asked
        if self.seen is not None:
            self.seen.look()

    def remember(self) -> None:
        """Keep the board's time, once it was heard, for the commands to come."""
        if not self._time_kept and self.board.ahead is not None:
            self._time_kept = True
            copyfile.remember(self.connection(), self.board.ahead)
