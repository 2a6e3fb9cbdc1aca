"""The embedded store: one file a record below ``<common git dir>/coord/board``.

A record is written to ``tmp/``, synced, and linked to its name: of all ways measured the only
portable one that never shows an empty record, nor after a power cut (coord.base.publish).
"""

from __future__ import annotations

import os
import time
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING

from coord.base import publish, sharing
from coord.base.names import quote
from coord.stores import keys, recordfile, sweeplock
from coord.stores.store import Caps, Rec, Unavailable, Unknown, in_turn, not_permitted, one_by_one

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from coord.stores import moved
    from coord.stores.probe import Probe
    from coord.stores.store import StoreError

#: Folders whose records lie one level deeper, one folder a scope, a series or a worker.
DEEP = frozenset({"claims", "ids", "letters", "messages", "notices", "posted", "read"})
_LITTER_AGE = 3600
_TRIES = 16
_MANY = 256  # folders: of fewer it is not worth to know which are as they were
_DENIED = frozenset({"EROFS", "EACCES", "EPERM"})


class Directory:
    """A :class:`coord.stores.store.Store` in the folder `root`, made at the first create."""

    caps = Caps(clock=True, durable=True, hosts=False, max_value=recordfile.MAX_VALUE)

    def __init__(self, root: str) -> None:
        self._root = root
        self._scratch = os.path.join(root, "tmp")
        self._sweeps = os.path.join(root, "sweep.lock")

    @property
    def _share(self) -> int:
        return sharing.of(os.path.dirname(os.path.dirname(self._root)))

    def create(self, key: str, value: bytes) -> Rec:
        """See :meth:`.Store.create`."""
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

    def append(
        self, key: str, value: bytes, after: str | None, also: Sequence[tuple[str, bytes]]
    ) -> Rec | None:
        """See :meth:`.Store.append`; a look at `after` would prove nothing."""
        del after
        return in_turn(self, key, value, also)

    def read(self, key: str) -> Rec | None:
        """See :meth:`.Store.read`."""
        keys.require(key)
        return self._read(key)

    def list(self, prefix: str, *, values: bool = True) -> Iterator[Rec]:
        """See :meth:`.Store.list`."""
        keys.require(f"{prefix}/x")
        for key in self._names(prefix):
            rec = self._read(key) if values else Rec(key, b"")
            if rec is not None:
                yield rec

    def last(self, prefix: str, *, but: Callable[[Rec], bool] | None = None) -> Iterator[Rec]:
        """See :meth:`.Store.last`."""
        keys.require(f"{prefix}/x")
        names = self._entries(prefix)
        if but is not None and len(names) > _MANY:
            yield from self._telling(prefix, names, but)
            return
        for name in sorted(filter(keys.is_part, names)):
            rec = self._last(f"{prefix}/{name}")
            if rec is not None:
                yield rec

    def _telling(
        self, prefix: str, names: Sequence[str], but: Callable[[Rec], bool]
    ) -> Iterator[Rec]:
        """Yield the last records that say something; folders that are as they were are not read."""
        from coord.stores import unchanged  # noqa: PLC0415  # for large boards alone

        look = unchanged.Look(f"{self._root}/{prefix}", self._scratch, self.now() or 0)
        silent = []
        for name, line in sorted(look.changed(names)):
            rec = self._last(f"{prefix}/{name}") if keys.is_part(name) else None
            if rec is not None and but(rec):
                silent.append(line)
            elif rec is not None:
                yield rec
        look.note(silent, self._share)

    def _last(self, folder: str) -> Rec | None:
        try:
            newest = self._newest(folder)
        except Unavailable as error:  # another user's, closed to us: the rest can be read
            return Rec(keys.event(folder, 1), b"", denied=error.why)
        return self._read(f"{folder}/{newest}") if newest else None

    def folders(self, prefix: str) -> Sequence[str]:
        """See :meth:`.Store.folders`."""
        keys.require(f"{prefix}/x")
        return [f"{prefix}/{name}" for name in self._parts(prefix)]

    def prune(self, folder: str) -> None:
        """See :meth:`.Store.prune`."""
        _remove_empty(os.path.dirname(self._path(f"{folder}/x")))

    def writing(self) -> sweeplock.Writing:
        """See :meth:`.Store.writing`."""
        return sweeplock.Writing(self._sweeps, self._share, self._failed)

    def alone(self) -> sweeplock.Alone:
        """See :meth:`.Store.alone`."""
        return sweeplock.Alone(self._sweeps, self._share, self._failed)

    def delete(self, key: str, expect: bytes) -> bool:
        """See :meth:`.Store.delete`."""
        path = self._path(key)
        try:
            # Without the lock a second deleter could take away what was created in between.
            with publish.lock(os.path.join(self._root, "delete.lock"), self._share):
                there = recordfile.read(path, key)
                if there is None or there.denied or there.value != expect:
                    return False
                recordfile.remove(path, self._scratch)
        except OSError as error:
            raise self._failed(error) from error
        return True

    def everything(self) -> Iterator[Rec]:
        """Yield all records there are."""
        for name in self._parts("."):
            for key in self._names(name) if name != "tmp" else ():
                rec = self._read(key)
                if rec is not None:
                    yield rec

    def adopt(self, recs: Sequence[Rec]) -> None:
        """Create records as they are elsewhere, stamps and all; what is there already stays."""
        for rec in recs:
            path = self._path(rec.key)
            self._make(self._scratch, self._share)
            made = self._make(os.path.dirname(path), self._share)
            temp = publish.written(os.path.join(self._scratch, "x"), rec.value, share=self._share)
            try:
                if rec.at is not None:
                    os.utime(temp, (rec.at, rec.at))
                if recordfile.place(temp, path, self._share):
                    for folder in (*made, path):
                        publish.sync_folder(folder)
            finally:
                publish.forget(temp)

    def leave(self, mark: bytes) -> None:
        """Let nobody create anything here any more; `mark` says where the board is.

        Every record is written in ``tmp`` and linked from there: with a file in its place none can.

        Raises:
            OSError: that cannot be.
        """
        sharing.folders(self._root, self._share)
        while not publish.create(self._scratch, mark, share=self._share):
            if not os.path.isdir(self._scratch):
                return
            aside = f"{self._root}/gone.tmp-{os.urandom(4).hex()}"
            os.rename(self._scratch, aside)
            publish.drop(aside)

    def stay(self) -> None:
        """Take the mark of :meth:`leave` away."""
        if not os.path.isdir(self._scratch):
            publish.drop(self._scratch)

    def left_for(self) -> moved.Goal | None:
        """Return where the board has moved, if it has; nothing is said where it cannot be read."""
        from coord.stores import moved  # noqa: PLC0415  # only after a failure, and to move

        with suppress(OSError):
            return moved.of(recordfile.read(self._scratch, moved.KEY))
        return None

    def together(self, made: Sequence[tuple[str, bytes]]) -> bool:
        """See :meth:`.Store.together`: a file is one step."""
        del made
        return False

    def take(self, found: Sequence[Sequence[str]]) -> int:
        """See :meth:`.Store.take`."""
        return one_by_one(self, found)

    def forget(self, found: Sequence[Rec]) -> None:
        """See :meth:`.Store.forget`."""
        for rec in found:
            self.delete(rec.key, rec.value)

    def unrefreshed(self) -> AbstractContextManager[object]:
        """See :meth:`.Store.unrefreshed`: there is no copy."""
        return nullcontext()

    def fresh(self) -> bool:
        """See :meth:`.Store.fresh`: there is no copy."""
        return True

    def probe(self) -> Probe:
        """See :meth:`.Store.probe`: the file system is tried, beside the board."""
        from coord.stores import fileprobe  # noqa: PLC0415  # threads, for the doctor alone

        return fileprobe.probe(os.path.dirname(self._root))

    def close(self) -> None:
        """Nothing is held open."""

    def now(self) -> float | None:
        """Return the time of the clock that stamps files here: a touched probe's.

        A read-only board can still be read: then this host's clock must do.
        """
        if not os.path.isdir(self._root):
            return time.time()  # a board is made by its first record, with git's permissions
        try:
            fd = publish.opened(os.path.join(self._root, "clock"), self._share)
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
        share = self._share
        # The folder first: then the sync of the temporary file takes it along, and its own is free.
        made = [*self._make(self._scratch, share), *self._make(folder, share)]
        try:
            temp = publish.written(os.path.join(self._scratch, "x"), value, share=share)
            try:
                mine = Rec(key, value, os.stat(temp).st_mtime)
                return self._owner(temp, path, mine, made)
            finally:
                publish.forget(temp)
        except OSError:
            if folder in made:
                _remove_empty(folder)
            raise

    def _owner(self, temp: str, path: str, mine: Rec, made: Sequence[str]) -> Rec | None:
        share = self._share
        for _ in range(_TRIES):
            for folder in made:
                publish.sync_folder(folder)
            try:
                if recordfile.place(temp, path, share):
                    return self._kept(mine, path)
                made = ()
            except FileNotFoundError:
                # Another writer's failure took the empty folder away again.
                made = self._make(os.path.dirname(path), share)
            there = recordfile.read(path, mine.key)
            if there is not None:
                return there
        return None

    def _kept(self, mine: Rec, path: str) -> Rec:
        """Return the record that stands at `path` now, after the disk has said that it stays.

        Raises:
            Unknown: the disk failed; the record stands all the same.
        """
        try:
            publish.sync_folder(path)
        except OSError as error:
            raise Unknown(
                "store-unavailable",
                "the record stands, but the disk does not say that it will stay",
                where=path,
                why=f"{error.strerror or error}; a power cut could take it",
                run=f"df -h {quote(self._root)}" if publish.is_full(error) else _shown(path),
            ) from error
        return mine

    def _make(self, folder: str, share: int) -> Sequence[str]:
        """Make a folder of the store and what it needs above; return those, not synced yet."""
        made: Sequence[str] = []
        while not os.path.isdir(folder):
            made = [folder, *made]
            folder = os.path.dirname(folder)
        for path in made:
            sharing.folder(path, share)
        if made:
            recordfile.sweep(self._scratch, (self.now() or 0) - _LITTER_AGE)
        return made

    def _names(self, prefix: str) -> Iterator[str]:
        for name in self._parts(prefix):
            key = f"{prefix}/{name}"
            yield from self._names(key) if prefix in DEEP else (key,)

    def _newest(self, folder: str) -> str:
        """Return the last name below `folder`, empty where there is none."""
        names = self._listed(folder)
        newest = keys.newest(names) if names else ""
        if not newest or keys.is_part(newest):
            return newest
        names = self._parts(folder)
        return keys.newest(names) if names else ""

    def _parts(self, prefix: str) -> Sequence[str]:
        """Return the names below `prefix`, in order; what is no part of a key is passed over."""
        return [name for name in self._listed(prefix) if keys.is_part(name)]

    def _listed(self, prefix: str) -> Sequence[str]:
        names = self._entries(prefix)
        return sorted(names) if len(names) > 1 else names

    def _entries(self, prefix: str) -> Sequence[str]:
        try:
            return os.listdir(f"{self._root}/{prefix}")
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise self._failed(error) from error

    def _failed(self, error: OSError) -> StoreError:
        """Return why the system refused; it is raised only where nothing was published."""
        import errno  # noqa: PLC0415  # only after a failure

        from coord.stores import moved  # noqa: PLC0415  # likewise

        goal: moved.Goal | None = None if os.path.isdir(self._scratch) else self.left_for()
        if goal is not None:
            return moved.Moved(goal, self._root, "migrate")
        common = os.path.dirname(os.path.dirname(self._root))
        where = os.fsdecode(error.filename2 or error.filename or self._root)
        said = error.strerror or str(error)
        if publish.is_full(error):
            return Unavailable(
                "disk-full",
                "there is no room on the board",
                where=where,
                why=said,
                run=f"df -h {quote(common)}",
            )
        if errno.errorcode.get(error.errno or 0) not in _DENIED:
            return Unavailable(
                "store-unavailable",
                "the board cannot be read or written",
                where=where,
                why=said,
                run=_shown(where),
            )
        closed = sharing.closed(where) or sharing.closed(os.path.dirname(where))
        if closed:
            return not_permitted("the board cannot be read or written", where, closed)
        return Unavailable(
            "not-writable",
            "the board cannot be read or written",
            where=where,
            why=f"{said}; add {common} to the sandbox's writable roots",
            run="git rev-parse --path-format=absolute --git-common-dir",
        )

    def _unsettled(self, path: str) -> Unavailable:
        return Unavailable(
            "store-unavailable",
            "the board does not settle",
            where=path,
            why=f"a record came and went {_TRIES} times; something else deletes files there",
            run=f"ls -la {quote(os.path.dirname(path))}",
        )


def _shown(path: str) -> str:
    """Return the command that shows what stands at `path`, or in the way to it."""
    return f"ls -ld {quote(publish.nearest(path))}"


def _remove_empty(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError:
        pass
