"""The merge of a log in files: compare, parse what differs, rename the join over %A."""

from __future__ import annotations

import posix
from posix import pread

from coord.drivers.join import join_tails
from coord.drivers.prefix import CHUNK, boundary, of_files
from coord.drivers.records import line_end

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import FileIO

NEW = ".joined"  # behind the name of %A: what is renamed over it (drivers/sh/join)
LFS_POINTER = b"version https://git-lfs.github.com/spec/"


class NotText(Exception):
    """A log without records; the argument says what is there instead."""


class Files:
    """%O, %A and %B of one path. `head` is what they begin with and nobody looks at."""

    def __init__(self, base: str, ours: str, theirs: str) -> None:
        self.files: list[FileIO] = [
            open(base, "rb", buffering=0),  # noqa: SIM115 - the process ends with them
            open(ours, "rb", buffering=0),  # noqa: SIM115
            open(theirs, "rb", buffering=0),  # noqa: SIM115
        ]
        self._ours = ours
        self.head = 0
        self.tails: list[bytes] = []
        self.has_nul = False

    def read(self, begin: int, end: int) -> bytes:
        """Return some of %A."""
        return pread(self.files[1].fileno(), end - begin, begin)

    def behind(self, place: int) -> list[bytes]:
        """Return what follows a place in each file."""
        return [_rest(file, place) for file in self.files]

    def joined(self, *, virtual: bool) -> bytes:
        """Return what belongs after `head`. Raise Refused or NotText."""
        raise NotImplementedError

    def require_text(self) -> None:
        """Raise NotText where there are no lines."""
        if self.has_nul:
            raise NotText("it holds a NUL byte")
        for file in self.files:
            if pread(file.fileno(), len(LFS_POINTER), 0) == LFS_POINTER:
                raise NotText("it is a pointer of git-lfs")

    def write(self, tail: bytes) -> None:
        """Rename the join over %A, the only thing a driver may change.

        Written into, it would be neither side's nor the join where we are killed in between, and
        who judges the merge afterwards would take that for this side.
        """
        if tail == self.tails[1]:
            return
        new = self._ours + NEW
        file = posix.open(new, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL, 0o600)
        try:
            with open(file, "wb") as stream:
                stream.writelines(_chunks(self.files[1], self.head))
                stream.write(tail)
            posix.rename(new, self._ours)
        except BaseException:
            posix.unlink(new)
            raise


class Logs(Files):
    """%O, %A and %B of one path, read as far as they differ.

    `head` is the length of the common beginning, whole records; `tails` is what follows it.
    """

    def __init__(self, base: str, ours: str, theirs: str, start: bytes | None) -> None:
        super().__init__(base, ours, theirs)
        self.start = start
        self.added = not pread(self.files[0].fileno(), 1, 0)  # git gives an empty %O for add/add
        common = of_files(self.files[self.added :])
        self.head = boundary(self.read, common.length, start)
        self.tails = self.behind(self.head)
        self.has_cr = common.has_cr or any(b"\r" in tail for tail in self.tails)
        self.has_nul = common.has_nul or any(b"\0" in tail for tail in self.tails)

    def joined(self, *, virtual: bool) -> bytes:
        """Return what belongs after `head`. Raise Refused or NotText."""
        if not virtual:
            self.require_text()
        base, ours, theirs = self.tails
        return join_tails(
            None if self.added else base,
            ours,
            theirs,
            self.start,
            self._line_end(),
            whole=self.head == 0,
            head=lambda: self.read(0, self.head),
            virtual=virtual,
        )

    def _line_end(self) -> bytes:
        if not self.has_cr:
            return b"\n"
        return line_end(*[_line_ends(file) for file in self.files])

    def line_of(self, place: int) -> int:
        """Return the number of the line that is `place` lines after the head's end."""
        return 1 + place + sum(chunk.count(b"\n") for chunk in _chunks(self.files[0], self.head))


def _rest(file: FileIO, begin: int) -> bytes:
    file.seek(begin)
    return file.readall()


def _chunks(file: FileIO, end: int) -> Iterator[bytes]:
    """Yield the first `end` bytes of a file."""
    for begin in range(0, end, CHUNK):
        yield pread(file.fileno(), min(CHUNK, end - begin), begin)


def _line_ends(file: FileIO) -> tuple[int, int]:
    """Return how many line ends of a whole file are CRLF, and how many it has."""
    crlf = lines = 0
    split_pair = b""
    for chunk in _chunks(file, file.seek(0, 2)):
        crlf += (split_pair + chunk).count(b"\r\n")
        lines += chunk.count(b"\n")
        split_pair = b"\r" if chunk.endswith(b"\r") else b""
    return crlf, lines
