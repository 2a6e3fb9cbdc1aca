"""One lock between writers, who share it, and a sweep, which has it alone or does not begin.

The kernel drops it when its holder is killed. Where a file system has no locks writers go on
without and no sweep ever begins; whoever another user keeps from this one writes nothing. They go
on too when a sweep was stopped for longer than it takes: it takes away only what it has listed, a
week old, and nothing of theirs.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base import publish

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType


class Writing:
    """Share the lock file `path` for a block; a sweep is over within moments.

    `failed` makes the error that is raised where another user keeps us from it.
    """

    def __init__(self, path: str, share: int, failed: Callable[[OSError], Exception]) -> None:
        self._path = path
        self._share = share
        self._failed = failed
        self._fd = -1

    def __enter__(self) -> None:
        import fcntl  # noqa: PLC0415  # 0.2 ms that only writers pay

        if not os.path.isdir(os.path.dirname(self._path)):
            return  # a board is made by its first record, and synced then
        try:
            self._fd = _opened(self._path, self._share)
            publish.wait(lambda: fcntl.flock(self._fd, fcntl.LOCK_SH | fcntl.LOCK_NB), self._path)
        except PermissionError as error:  # a sweep would not see us
            self._close()
            raise self._failed(error) from error
        except OSError:
            self._close()  # what cannot be written will say so itself

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    def _close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class Alone(Writing):
    """Have the lock file alone for a block, or not at all."""

    def __enter__(self) -> bool:  # type: ignore[override]
        import fcntl  # noqa: PLC0415  # as above

        if not os.path.isdir(os.path.dirname(self._path)):
            return False
        try:
            self._fd = _opened(self._path, self._share)
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._close()
        return self._fd >= 0


def _opened(path: str, share: int) -> int:
    """Open the lock file; whoever may only read it can lock it all the same."""
    try:
        return publish.opened(path, share)
    except PermissionError:
        try:
            return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            pass
        raise
