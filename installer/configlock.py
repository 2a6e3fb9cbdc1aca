"""Change a git config file under git's own protocol: ``PATH.lock``, whole text, rename.

git itself does not wait for the lock (20 parallel writers lost 6 values on 2.39), so it is held as
briefly as can be; and a lock that stays is somebody's, or a killed process': never deleted here.
"""

from __future__ import annotations

import os
import random
import stat
import time
from typing import TYPE_CHECKING

from coord.base import peerfile
from coord.base.errors import Environment
from coord.base.names import quote
from coord.installer import disk

if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.installer.steps import Change

_TRIES = 40


def staged(
    path: str, change: Change, *, again: str
) -> tuple[Callable[[], object], Callable[[], object]]:
    """Take the lock and write the changed text into it; return what publishes and what drops it.

    Raises:
        Environment: the lock stays taken.
        OSError: the folder may not be written, the disk is full.
    """
    lock = path + ".lock"
    fd = _taken(lock, again)
    try:
        with open(fd, "wb") as file:
            mode = _write(file.fileno(), path, change)
            file.flush()
    except BaseException:
        os.unlink(lock)
        raise
    os.chmod(lock, mode)
    return lambda: os.rename(lock, path), lambda: os.unlink(lock)


def _write(fd: int, path: str, change: Change) -> int:
    mode = stat.S_IMODE(os.stat(path).st_mode)
    text = peerfile.read(os.path.realpath(path), peerfile.WHOLE)  # git too follows a link there
    view = memoryview(change(text) or b"")
    while view:
        view = view[os.write(fd, view) :]
    os.fsync(fd)
    return mode


def require_none_of_ours(path: str, removed: Change, *, again: str) -> None:
    """Insist that no killed installer has left its lock where there was nothing more to change.

    The lock is ours when it says what the config says, but for our lines; git's own says something
    else. One that is still empty may be git's, so it is given a moment.

    Args:
        path: the config file.
        removed: takes our lines out of a text.
        again: the command to repeat, for messages.

    Raises:
        Environment: there is one.
    """
    lock = path + ".lock"
    for _ in range(_TRIES):
        held = disk.read(lock)
        if held is None or (held and removed(held) != removed(disk.read(path))):
            return
        _pause()
    raise _locked(lock, again)


def _taken(lock: str, again: str) -> int:
    """Create the lock file, trying for about two seconds."""
    for _ in range(_TRIES):
        try:
            return os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except FileExistsError:
            _pause()
    raise _locked(lock, again)


def _pause() -> None:
    time.sleep(random.uniform(0.02, 0.08))  # noqa: S311  # jitter, not a secret


def _locked(lock: str, again: str) -> Environment:
    return Environment(
        "locked",
        "the repository's config is locked",
        where=lock,
        why=f"the lock is {age(lock)} old and was not let go; if no git command is at work here, "
        "one that was killed has left it, and it may be deleted",
        run=f"rm {quote(lock)} && {again}",
    )


def age(path: str) -> str:
    """Return how long ago a file was written, as one number and its unit."""
    try:
        seconds = max(0, int(time.time() - os.lstat(path).st_mtime))
    except FileNotFoundError:
        return "0s"
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
