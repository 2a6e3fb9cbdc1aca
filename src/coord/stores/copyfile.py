"""The copy of a board on a server, as a file of SQLite: records with the revision that wrote them.

It holds up to one revision of one cluster. What cannot be read is dropped and made anew.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from coord.base import peerfile, publish
from coord.liveness import machine
from coord.stores import answers, attendance, keys

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.stores.news import Delta
    from coord.stores.store import Rec

MEMORY = ":memory:"
_BUSY = 5.0  # seconds for another command to write its news
_TIME_KEPT = 86400.0  # seconds: clocks that are not set differ by some in that time
_CHANGING = f"{attendance.FOLDER}/"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS rec (
    path TEXT PRIMARY KEY, key TEXT, folder TEXT, value BLOB, at REAL, rev INTEGER, ours INTEGER
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS upto (rev INTEGER, cluster TEXT, at REAL);
INSERT INTO upto SELECT 0, '', 0 WHERE NOT EXISTS (SELECT 1 FROM upto);
CREATE TABLE IF NOT EXISTS clock (boot TEXT PRIMARY KEY, ahead REAL, at REAL) WITHOUT ROWID;
"""
#: The last path of a folder, in SQL; of an event's numbers, the longer is the greater.
LAST = (
    "substr(max(printf('%05d', (substr(path, length(folder) + 2) NOT GLOB '*[^0-9]*'"
    f" AND length(path) - length(folder) < {len(str(keys.MOST)) + 1}) * length(path)) || path), 6)"
)
# Below the least character of a part, so that keys are sorted by their parts.
_SEPARATOR, _AFTER = "\1", "\2"


def opened(path: str) -> sqlite3.Connection:
    """Open a copy; a file that is none is replaced by one.

    Raises:
        sqlite3.Error: there can be none.
        OSError: something else stands there.
    """
    if path != MEMORY:
        _require_file(path)
    copy = sqlite3.connect(path, timeout=_BUSY, isolation_level=None, check_same_thread=False)
    try:
        copy.execute("PRAGMA synchronous = OFF")
        copy.executescript(_SCHEMA)
    except sqlite3.Error as error:
        copy.close()
        if not is_no_copy(error):
            raise
        publish.forget(path)
        if os.path.lexists(path):
            raise
        return opened(path)
    return copy


def in_memory(path: str) -> sqlite3.Connection:
    """Open a copy in memory that begins as the file at `path`, where that can be read alone."""
    from urllib.parse import quote  # noqa: PLC0415  # where the git dir is read-only

    copy = opened(MEMORY)
    with suppress(sqlite3.Error, OSError):
        if stat.S_ISREG(os.lstat(path).st_mode):
            with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)) as file:
                file.execute("SELECT rev FROM upto")
                file.backup(copy)
    copy.executescript(_SCHEMA)
    return copy


def is_no_copy(error: sqlite3.Error) -> bool:
    """Tell whether the file is none, or one with other tables; a locked one is a copy."""
    codes = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
    return getattr(error, "sqlite_errorcode", None) in codes


def _require_file(path: str) -> None:
    """Make the file of a copy, its owner's alone, where there is none.

    Raises:
        OSError: something else stands there, which SQLite would follow, or wait for.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise peerfile.Unfit(errno.EINVAL, "it is no regular file", path)
    finally:
        os.close(fd)


def written(copy: sqlite3.Connection, base: int, news: Delta) -> bool:
    """Write the news into a copy that stands at `base`; False where another command was first.

    News of an older base would bring back what was deleted since.
    """
    with copy:
        copy.execute("BEGIN IMMEDIATE")
        if copy.execute("SELECT rev FROM upto").fetchone() != (base,):
            return False
        if news.whole:
            copy.execute("DELETE FROM rec")
        copy.executemany("DELETE FROM rec WHERE path = ?", [(path_of(key),) for key in news.gone])
        copy.executemany("REPLACE INTO rec VALUES (?, ?, ?, ?, ?, ?, ?)", map(_row, news.recs))
        stand = (news.rev, news.cluster, time.time())
        copy.execute("UPDATE upto SET rev = ?, cluster = ?, at = ?", stand)
    return True


def _row(rec: Rec) -> tuple[object, ...]:
    folder = rec.key.rpartition("/")[0]
    ours = keys.is_key(rec.key) and rec.value != answers.FORGOTTEN
    return path_of(rec.key), rec.key, folder, rec.value, rec.at, rec.rev, ours


def kept(copy: sqlite3.Connection, there: Mapping[str, int]) -> bool:
    """Drop what is not there as the copy has it; tell whether the copy lacks nothing.

    What was created since the news comes with the next, so the copy's revision stays.
    """
    with copy:
        copy.execute("BEGIN IMMEDIATE")
        (upto,) = copy.execute("SELECT rev FROM upto").fetchone()
        known = dict(copy.execute("SELECT key, rev FROM rec").fetchall())
        gone = [(path_of(key),) for key, rev in known.items() if _is_gone(key, rev, there)]
        copy.executemany("DELETE FROM rec WHERE path = ?", gone)
        lacking = any(rev <= upto and known.get(key) != rev for key, rev in there.items())
        if lacking:
            copy.execute("UPDATE upto SET rev = 0")
    return not lacking


def _is_gone(key: str, rev: int, there: Mapping[str, int]) -> bool:
    """Tell whether a record is no more as the copy has it; one that changes is old, not gone."""
    return key not in there or (there[key] != rev and not key.startswith(_CHANGING))


def path_of(key: str) -> str:
    """Return what stands for a key in the order of keys, part by part."""
    return key.replace("/", _SEPARATOR)


def below(prefix: str) -> tuple[str, str]:
    """Return the paths between which those of the keys below `prefix` lie."""
    keys.require(f"{prefix}/x")
    return path_of(prefix) + _SEPARATOR, path_of(prefix) + _AFTER


def remembered(copy: sqlite3.Connection) -> float | None:
    """Return by how much the server's clock is ahead of our monotonic one, as was heard before.

    None where no command of this boot has heard it lately.
    """
    here = _boot_clock()
    if here is None:
        return None
    boot, since_boot, sooner = here
    with suppress(sqlite3.Error):
        known = copy.execute("SELECT ahead, at FROM clock WHERE boot = ?", (boot,)).fetchone()
        if known and 0 <= since_boot - known[1] < _TIME_KEPT:
            return float(known[0] + sooner)
    return None


def remember(copy: sqlite3.Connection, ahead: float) -> None:
    """Keep that for the commands to come, by a clock that is never set."""
    here = _boot_clock()
    if here is None:
        return
    boot, since_boot, sooner = here
    with suppress(sqlite3.Error):
        copy.execute("REPLACE INTO clock VALUES (?, ?, ?)", (boot, ahead - sooner, since_boot))


def _boot_clock() -> tuple[str, float, float] | None:
    """Return this boot, the seconds of it, and by how much they are ahead of the monotonic clock.

    None where there is no clock that goes on while the machine sleeps.
    """
    boot = machine.boot()
    if not boot or not hasattr(time, "CLOCK_BOOTTIME"):
        return None
    now = time.clock_gettime(time.CLOCK_BOOTTIME)
    return boot, now, now - time.monotonic()
