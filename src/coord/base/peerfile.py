"""The one door to a file that a peer may have written: no-follow, non-blocking, size-capped.

Whoever can write the repository or its common dir may have put a symlink, a FIFO, a device or a
gigabyte where a record is looked for. Hot path: only ``os``.
"""

from __future__ import annotations

import os

MOST = 64 * 1024  # bytes; every record and declaration of ours is far below
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_TYPE, _REGULAR = 0o170000, 0o100000  # of st_mode, by POSIX; `stat` is one import more


class Unfit(OSError):
    """What stands there is no regular file, or is larger than any of ours; says so in a line."""


def read(path: str, most: int = MOST) -> bytes:
    """Return the whole of a file, of at most `most` bytes.

    Raises:
        Unfit: it is a folder, a symlink, a FIFO, a device, or too large.
        OSError: it is not there, or may not be read.
    """
    try:
        fd = os.open(path, _READ)
    except FileNotFoundError:
        raise
    except OSError as error:  # ELOOP, of another number on each system; a socket is no file either
        if os.path.islink(path):
            raise Unfit(error.errno, "it is a symbolic link", path) from None
        raise
    try:
        if os.fstat(fd).st_mode & _TYPE != _REGULAR:
            raise Unfit(22, "it is no regular file", path)
        data = b""
        while len(data) <= most:
            part = os.read(fd, most + 1 - len(data))
            if not part:
                return data
            data += part
    finally:
        os.close(fd)
    raise Unfit(27, f"it is larger than {most} bytes", path)
