"""The one door to a file that a peer may have written: no-follow, non-blocking, size-capped.

Whoever can write the repository or its common dir may have put a symlink, a FIFO, a device or a
gigabyte where a record is looked for. Hot path: only ``os``.
"""

from __future__ import annotations

import os

MOST = 64 * 1024  # bytes; every record and declaration of ours is far below
WHOLE = 256 << 20  # bytes, of what grows with use: a reflog, a log, a file that is guarded
_SAFE = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_TYPE, _REGULAR = 0o170000, 0o100000  # of st_mode, by POSIX; `stat` is one import more


class Unfit(OSError):
    """What stands there is no regular file, or is larger than any of ours; says so in a line."""


def read(path: str, most: int = MOST) -> bytes:
    """Return the whole of a file, of at most `most` bytes.

    Raises:
        Unfit: it is a folder, a symlink, a FIFO, a device, or too large.
        OSError: it is not there, or may not be read.
    """
    fd = _opened(path, os.O_RDONLY)
    try:
        if os.fstat(fd).st_size <= most:  # a gigabyte of holes is not read to be refused
            data = _start(fd, most + 1)
            if len(data) <= most:
                return data
    finally:
        os.close(fd)
    raise Unfit(27, f"it is larger than {most} bytes", path)


def head(path: str, most: int = MOST) -> bytes:
    """Return what a file begins with, at most `most` bytes, however large it is.

    Raises:
        Unfit: it is a folder, a symlink, a FIFO or a device.
        OSError: it is not there, or may not be read.
    """
    fd = _opened(path, os.O_RDONLY)
    try:
        return _start(fd, most)
    finally:
        os.close(fd)


def append(path: str, data: bytes) -> None:
    """Add `data` to a file, which is made where there is none.

    Raises:
        Unfit: it is a folder, a symlink, a FIFO or a device.
        OSError: it may not be written, the disk is full.
    """
    fd = _opened(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        while data:
            data = data[os.write(fd, data) :]
    finally:
        os.close(fd)


def _opened(path: str, how: int) -> int:
    try:
        fd = os.open(path, how | _SAFE, 0o666)
    except FileNotFoundError:
        raise
    except OSError as error:  # ELOOP, of another number on each system; a socket is no file either
        if os.path.islink(path):
            raise Unfit(error.errno, "it is a symbolic link", path) from None
        raise
    if os.fstat(fd).st_mode & _TYPE != _REGULAR:
        os.close(fd)
        raise Unfit(22, "it is no regular file", path)
    return fd


def _start(fd: int, most: int) -> bytes:
    parts = []
    while most:
        part = os.read(fd, min(most, 1 << 20))
        if not part:
            break
        parts.append(part)
        most -= len(part)
    return b"".join(parts)
