"""Ledgers on disk: one write a record, by many processes at once; and the tail read backwards.

A record is appended by one ``write(2)`` with O_APPEND, together with the newline that the last one
may lack. The lock on the file serves what a single write cannot: the last byte is looked at before
it, and what a full disk cut short is taken back.
"""

from __future__ import annotations

import errno
import fcntl
import heapq
import os
import stat
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic

from coord.base import publish
from coord.fleet import refusals
from coord.fleet.ledger import Entry, header, line, names, parsed, seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from coord.fleet.ledger import Until

TAIL = 1 << 19  # some six thousand records: no habit may cost 50 ms over start-up
_BLOCK = 1 << 16
_FIRST = _LAST = 4096
_REPLACED = 10
_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


@dataclass(frozen=True)
class Ledger(Generic[Entry]):
    """One ledger of a worktree.

    Attributes:
        top: top level of the worktree.
        name: path of the file, relative to it.
        columns: what its entries are.
    """

    top: str
    name: str
    columns: type[Entry]

    @property
    def path(self) -> str:
        """The file."""
        return os.path.join(self.top, self.name)

    def append(self, entry: Entry) -> bool:
        """Append `entry`; return whether the file had to be made.

        Raises:
            Refused: a link, or another file, stands in its place.
            Environment: it cannot be written; nothing of the record is left then.
        """
        made = False
        try:
            for _ in range(_REPLACED):
                made |= self._create()
                if self._appended(line(entry)):
                    return made
        except OSError as error:
            raise refusals.unwritable(self.path, error) from error
        raise refusals.unwritable(self.path, OSError(errno.EBUSY, "it is replaced without a pause"))

    def newest(self, limit: int | None = TAIL, until: Until[Entry] | None = None) -> Tail[Entry]:
        """Return the entries, newest first, as far as the last `limit` bytes go."""
        return Tail(self, limit, until)

    def _create(self) -> bool:
        """Make the file with its header unless it is there: of many at once, one does."""
        with self._folder(make=True):
            return publish.create(self.path, header(self.columns))

    def _appended(self, text: bytes) -> bool:
        """Write a line; False when git has put another file in place meanwhile (a checkout)."""
        try:
            with self._folder() as folder, self._opened(folder, os.O_RDWR | os.O_APPEND) as fd:
                self._write(fd, text)
                there = os.stat(os.path.basename(self.name), dir_fd=folder, follow_symlinks=False)
                return os.path.samestat(there, os.fstat(fd))
        except FileNotFoundError:
            return False

    def _write(self, fd: int, text: bytes) -> None:
        _lock(fd, self.path)
        self.require_ours(fd)
        size = os.fstat(fd).st_size
        last = os.pread(fd, _LAST, max(0, size - _LAST))
        if text not in last:
            lead = b"" if last.endswith(b"\n") else b"\n"
            _write_whole(fd, (lead if size else header(self.columns)) + text, size)

    @contextmanager
    def _folder(self, *, make: bool = False) -> Iterator[int]:
        """Open the ledger's folder, step by step from the top level, following no link."""
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        fd, path = os.open(self.top, flags), self.top
        try:
            for part in self.name.split("/")[:-1]:
                path = os.path.join(path, part)
                if make:
                    _make_folder(part, fd)
                with _judged(path):
                    below = os.open(part, flags | os.O_NOFOLLOW, dir_fd=fd)
                os.close(fd)
                fd = below
            yield fd
        finally:
            os.close(fd)

    @contextmanager
    def _opened(self, folder: int, flags: int) -> Iterator[int]:
        """Open the file, which has to be one."""
        with _judged(self.path):
            fd = os.open(os.path.basename(self.name), flags | _FLAGS, dir_fd=folder)
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise refusals.foreign(self.path, "it is no regular file")
            yield fd
        finally:
            os.close(fd)

    @contextmanager
    def reading(self) -> Iterator[int | None]:
        """Open the file to be read; None when there is none.

        Raises:
            Refused: a link, or another file, stands in its place.
            Environment: it cannot be read.
        """
        with ExitStack() as stack:
            fd = None
            try:
                fd = stack.enter_context(
                    self._opened(stack.enter_context(self._folder()), os.O_RDONLY)
                )
            except FileNotFoundError:
                pass
            except OSError as error:
                raise refusals.unreadable(self.path, error) from error
            if fd is not None:
                self.require_ours(fd)
            yield fd

    def require_ours(self, fd: int) -> None:
        """Insist that the file begins as this ledger does, or is empty.

        Raises:
            Refused: it is something else.
        """
        first = os.pread(fd, _FIRST, 0)
        if first and not names(first.split(b"\n")[0].removesuffix(b"\r"), self.columns):
            columns = ", ".join(self.columns._fields)
            raise refusals.foreign(
                self.path, f"its first line does not name the columns: {columns}"
            )
        size = os.fstat(fd).st_size
        if b"\0" in os.pread(fd, _LAST, max(0, size - _LAST)):
            raise refusals.foreign(self.path, "it holds a NUL byte")


class Tail(Generic[Entry]):
    """The end of a ledger, newest entry first; read anew at each iteration, no further than asked.

    Attributes:
        whole: whether the last iteration to its end came to the beginning of the file.
    """

    def __init__(
        self, ledger: Ledger[Entry], limit: int | None, until: Until[Entry] | None
    ) -> None:
        self._ledger: Ledger[Entry] = ledger
        self._limit = limit
        self._until: Until[Entry] | None = until
        self.whole = True

    def __iter__(self) -> Iterator[Entry]:
        with self._ledger.reading() as fd:
            if fd is None:
                return
            size = os.fstat(fd).st_size
            begin = 0 if self._limit is None else max(0, size - self._limit)
            self.whole = begin == 0
            for text in _backwards(fd, begin, size):
                entry = parsed(text, self._ledger.columns)
                if entry is not None and (self._until is None or self._until.has(entry)):
                    yield entry


class Together(Generic[Entry]):
    """The ends of one ledger in several worktrees: newest first, what they share only once."""

    def __init__(self, mine: Tail[Entry], others: Iterable[Tail[Entry]]) -> None:
        self._mine: Tail[Entry] = mine
        self._others: tuple[Tail[Entry], ...] = tuple(others)

    @property
    def whole(self) -> bool:
        """Whether one's own was read to its beginning, as far as it was read."""
        return self._mine.whole

    def __iter__(self) -> Iterator[Entry]:
        seen = set()
        mine = ((-(seconds(one.at) or 0.0), 0, one) for one in self._mine)
        others = (
            ((-(seconds(one.at) or 0.0), number, one) for one in tail)
            for number, tail in enumerate(self._others, 1)
        )
        for _, whose, entry in heapq.merge(mine, *others):  # of one time, one's own come first
            if not whose or entry not in seen:
                seen.add(entry)
                yield entry


def _backwards(fd: int, begin: int, end: int) -> Iterator[bytes]:
    """Yield the lines between two places of a file, the last first; a cut one is left out."""
    rest = b""
    for upper in range(end, begin, -_BLOCK):
        lower = max(begin, upper - _BLOCK)
        rest, *lines = (os.pread(fd, upper - lower, lower) + rest).split(b"\n")
        yield from reversed(lines)
    if begin == 0:
        yield rest


def _lock(fd: int, path: str) -> None:
    # Where a file system has no flock, one write a record still tears none.
    publish.wait(lambda: fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB), path)


def _write_whole(fd: int, data: bytes, size: int) -> None:
    """Write `data` at the end, in one call; what a full disk cut short is taken back."""
    written = os.write(fd, data)
    if written == len(data):
        return
    if os.fstat(fd).st_size == size + written:  # else a stranger, without the lock, is behind it
        os.ftruncate(fd, size)
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _make_folder(name: str, parent: int) -> None:
    try:
        os.mkdir(name, dir_fd=parent)
    except FileExistsError:
        pass


@contextmanager
def _judged(path: str) -> Iterator[None]:
    """Turn what an open of `path` says of links and folders into refusals."""
    try:
        yield
    except OSError as error:
        if os.path.islink(path):
            raise refusals.link(path) from error
        if error.errno in {errno.ENOTDIR, errno.EISDIR, errno.ENXIO}:
            raise refusals.foreign(path, str(error.strerror)) from error
        raise
