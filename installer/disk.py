"""What stands at a path now, without following a link: the facts that plans are made from."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from coord.base import peerfile

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Entry:
    """One entry of a folder.

    Attributes:
        kind: ``file``, ``link``, ``folder`` or ``other``.
        data: a file's bytes, a link's target, a folder's sorted names joined by NUL; empty when it
            may not be read.
        mode: permission bits.
        inode: tells two hard links of one file from two files.
    """

    kind: str
    data: bytes = b""
    mode: int = 0
    inode: int = 0

    @property
    def executable(self) -> bool:
        """Whether its owner may run it."""
        return bool(self.mode & stat.S_IXUSR)

    def same(self, other: Entry) -> bool:
        """Tell whether `other` is the same file, or one that cannot be told from it."""
        if self.inode == other.inode:
            return True
        return (self.kind, self.data, self.mode) == (other.kind, other.data, other.mode)


Seen = Mapping[str, Entry | None]


def look(path: str) -> Entry | None:
    """Return what is at `path`, None when nothing is."""
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    mode, inode = stat.S_IMODE(found.st_mode), found.st_ino
    if stat.S_ISLNK(found.st_mode):
        return Entry("link", os.fsencode(os.readlink(path)), mode, inode)
    if stat.S_ISREG(found.st_mode):
        return Entry("file", read(path) or b"", mode, inode)
    if stat.S_ISDIR(found.st_mode):
        return Entry("folder", b"\0".join(sorted(os.listdir(os.fsencode(path)))), mode, inode)
    return Entry("other", b"", mode, inode)


def look_all(paths: Iterable[str]) -> dict[str, Entry | None]:
    """Return what is at each of `paths`."""
    return {path: look(path) for path in paths}


def read(path: str) -> bytes | None:
    """Return the bytes of a regular file that is no link; None when there is none to read."""
    try:
        return peerfile.read(path, peerfile.WHOLE)
    except OSError:
        return None
