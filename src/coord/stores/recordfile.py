"""One record as one name in a folder: put there at once, read whole, taken away at once.

Where a file system has no hard links the name is a folder with one file, put there by rename. Both
ways exclude each other, since a rename onto a file or a full folder fails just as a link does; so
nobody has to agree on one beforehand.
"""

from __future__ import annotations

import os
import stat

from coord.base import peerfile, publish, sharing
from coord.stores.store import Rec

MAX_VALUE = 1 << 20
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_INNER = "r"


def read(path: str, key: str, *, inside: bool = False) -> Rec | None:
    """Return the record at `path`, None when absent.

    Its value is empty where something else stands there: a symlink, a pipe, a monster; and where it
    may not be read, which it then says. `inside` is for the file of a folder that is a record.

    Raises:
        OSError: the folder cannot be read.
    """
    try:
        fd = os.open(path, _READ)
    except FileNotFoundError:
        return None
    except PermissionError as error:
        if not os.path.lexists(path):
            raise
        return Rec(key, b"", denied=sharing.closed(path) or str(error.strerror))
    except OSError:
        if not os.path.lexists(path):
            raise
        return Rec(key, b"")
    try:
        facts = os.fstat(fd)
        if stat.S_ISREG(facts.st_mode) and facts.st_size <= MAX_VALUE:
            # Not more than there is: a buffer of the limit's size would cost five times the read.
            return Rec(key, os.read(fd, facts.st_size), facts.st_mtime)
    finally:
        os.close(fd)
    # One level, for folders can lie in each other deeper than calls.
    is_folder = stat.S_ISDIR(facts.st_mode) and not inside
    inner = read(os.path.join(path, _INNER), key, inside=True) if is_folder else None
    return inner or Rec(key, b"", facts.st_mtime)


def place(temp: str, path: str, share: int = 0) -> bool:
    """Give the synced file `temp` the name `path` for good; False when the name is taken.

    Raises:
        FileNotFoundError: the folder is gone.
        OSError: it cannot be written; nothing has changed.
    """
    placed = publish.link(temp, path)
    return _moved_in(temp, path, share) if placed is None else placed


def _moved_in(temp: str, path: str, share: int) -> bool:
    folder = temp + ".d"
    sharing.folder(folder, share)
    inner = os.path.join(folder, _INNER)
    try:
        os.rename(publish.written(inner, peerfile.read(temp, MAX_VALUE), share=share), inner)
        publish.sync_folder(inner)
        os.rename(folder, path)
    except OSError as error:
        remove(folder, os.path.dirname(temp))
        if _taken(error):
            return False
        raise
    return True


def _taken(error: OSError) -> bool:
    import errno  # noqa: PLC0415  # only where there are no hard links

    return error.errno in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}


def remove(path: str, scratch: str) -> None:
    """Take away a record, or what a killed writer left; a folder leaves sight in one step.

    Raises:
        FileNotFoundError: it is gone already.
        OSError: it cannot be removed.
    """
    if not os.path.isdir(path) or os.path.islink(path):
        os.unlink(path)
        return
    aside = os.path.join(scratch, f"gone-{os.getpid()}-{os.urandom(4).hex()}")
    os.rename(path, aside)
    for name in os.listdir(aside):
        os.unlink(os.path.join(aside, name))
    os.rmdir(aside)


def sweep(scratch: str, before: float) -> None:
    """Delete what writers killed before the time `before` left in `scratch`."""
    try:
        entries = list(os.scandir(scratch))
    except FileNotFoundError:
        return
    for entry in entries:
        try:
            if entry.stat(follow_symlinks=False).st_mtime < before:
                remove(entry.path, scratch)
        except FileNotFoundError:
            continue
