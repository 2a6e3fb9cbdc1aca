"""The embedded store: one file a record below ``<common git dir>/coord/board``.

A record is written to ``tmp/``, synced, and linked to its name: of all ways measured the only
portable one that never shows an empty record, nor after a power cut (docs/design.md).
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from coord.base import publish
from coord.base.names import quote
from coord.board import keys, recordfile
from coord.board.store import Caps, Rec, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Folders whose records lie one level deeper, one folder a scope, a series or a worker.
_DEEP = frozenset({"claims", "ids", "letters", "messages", "notices", "posted", "read"})
_PROBE = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_LITTER_AGE = 3600
_TRIES = 16
_DENIED = frozenset({"EROFS", "EACCES", "EPERM"})


class Directory:
    """A :class:`coord.board.store.Store` in the folder `root`, made at the first create."""

    caps = Caps(clock=True, durable=True, hosts=False, max_value=recordfile.MAX_VALUE)

    def __init__(self, root: str) -> None:
        self._root = root
        self._scratch = os.path.join(root, "tmp")

    def create(self, key: str, value: bytes) -> Rec:
        """See :meth:`coord.board.store.Store.create`."""
        path = self._path(key)
        if not 0 < len(value) <= self.caps.max_value:
            raise ValueError(len(value))
        try:
            # A loser pays one look, not a write and an fsync: 3 µs instead of 300.
            there = recordfile.read(path, key) or self._published(path, key, value)
        except OSError as error:
            raise self._failed(error) from error
        if there is None:
            raise self._unsettled(path)
        return there

    def read(self, key: str) -> Rec | None:
        """See :meth:`coord.board.store.Store.read`."""
        keys.require(key)
        return self._read(key)

    def list(self, prefix: str, *, values: bool = True) -> Iterator[Rec]:
        """See :meth:`coord.board.store.Store.list`."""
        keys.require(f"{prefix}/x")
        for key in self._names(prefix):
            rec = self._read(key) if values else Rec(key, b"")
            if rec is not None:
                yield rec

    def last(self, prefix: str) -> Iterator[Rec]:
        """See :meth:`coord.board.store.Store.last`."""
        keys.require(f"{prefix}/x")
        for name in self._parts(prefix):
            names = self._parts(f"{prefix}/{name}")
            rec = self._read(f"{prefix}/{name}/{names[-1]}") if names else None
            if rec is not None:
                yield rec

    def delete(self, key: str, expect: bytes) -> bool:
        """See :meth:`coord.board.store.Store.delete`."""
        path = self._path(key)
        try:
            # Without the lock a second deleter could take away what was created in between.
            with publish.lock(os.path.join(self._root, "delete.lock")):
                there = recordfile.read(path, key)
                if there is None or there.value != expect:
                    return False
                recordfile.remove(path, self._scratch)
        except OSError as error:
            raise self._failed(error) from error
        return True

    def now(self) -> float | None:
        """Return the time of the clock that stamps files here: a touched probe's.

        A read-only board can still be read: then this host's clock must do.
        """
        try:
            fd = os.open(os.path.join(self._root, "clock"), _PROBE, 0o666)
            try:
                os.utime(fd)
                return os.fstat(fd).st_mtime
            finally:
                os.close(fd)
        except OSError:
            return time.time()

    def _read(self, key: str) -> Rec | None:
        try:
            return recordfile.read(f"{self._root}/{key}", key)
        except OSError as error:
            raise self._failed(error) from error

    def _path(self, key: str) -> str:
        keys.require(key)
        return f"{self._root}/{key}"

    def _published(self, path: str, key: str, value: bytes) -> Rec | None:
        """Publish and return the record that owns `path`; None when it keeps vanishing."""
        folder = os.path.dirname(path)
        # The folder first: then the sync of the temporary file takes it along, and its own is free.
        made = [*self._make(self._scratch), *self._make(folder)]
        try:
            temp = publish.written(os.path.join(self._scratch, "x"), value)
            try:
                mine = Rec(key, value, os.stat(temp).st_mtime)
                return self._owner(temp, path, mine, made)
            finally:
                os.unlink(temp)
        except OSError:
            if folder in made:
                _remove_empty(folder)
            raise

    def _owner(self, temp: str, path: str, mine: Rec, made: Sequence[str]) -> Rec | None:
        for _ in range(_TRIES):
            for folder in made:
                publish.sync_folder(folder)
            try:
                if recordfile.place(temp, path):
                    return mine
                made = ()
            except FileNotFoundError:
                # Another writer's failure took the empty folder away again.
                made = self._make(os.path.dirname(path))
            there = recordfile.read(path, mine.key)
            if there is not None:
                return there
        return None

    def _make(self, folder: str) -> Sequence[str]:
        """Make a folder of the store and what it needs above; return those, not synced yet."""
        made: Sequence[str] = []
        while not os.path.isdir(folder):
            made = [folder, *made]
            folder = os.path.dirname(folder)
        for path in made:
            try:
                os.mkdir(path)
            except FileExistsError:
                continue
        if made:
            recordfile.sweep(self._scratch, (self.now() or 0) - _LITTER_AGE)
        return made

    def _names(self, prefix: str) -> Iterator[str]:
        for name in self._parts(prefix):
            key = f"{prefix}/{name}"
            yield from self._names(key) if prefix in _DEEP else (key,)

    def _parts(self, prefix: str) -> Sequence[str]:
        """Return the names below `prefix`, in order; what is no part of a key is passed over."""
        try:
            names = os.listdir(f"{self._root}/{prefix}")
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise self._failed(error) from error
        if len(names) > 1:
            names.sort()
        return [name for name in names if keys.is_part(name)]

    def _failed(self, error: OSError) -> Unavailable:
        import errno  # noqa: PLC0415  # only after a failure

        common = os.path.dirname(os.path.dirname(self._root))
        full = publish.is_full(error)
        denied = errno.errorcode.get(error.errno or 0) in _DENIED
        advice = f"; add {common} to the sandbox's writable roots" if denied else ""
        rule = "not-writable" if denied else "store-unavailable"
        return Unavailable(
            "disk-full" if full else rule,
            "there is no room on the board" if full else "the board cannot be read or written",
            where=os.fsdecode(error.filename or self._root),
            why=f"{error.strerror or error}{advice}; nothing was changed",
            run="git rev-parse --path-format=absolute --git-common-dir"
            if denied
            else f"df -h {quote(common)}",
        )

    def _unsettled(self, path: str) -> Unavailable:
        return Unavailable(
            "store-unavailable",
            "the board does not settle",
            where=path,
            why=f"a record came and went {_TRIES} times; something else deletes files there",
            run=f"ls -la {quote(os.path.dirname(path))}",
        )


def _remove_empty(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError:
        pass
