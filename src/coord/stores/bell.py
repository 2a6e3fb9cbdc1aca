"""What wakes one who waits: an event of the scope, news for the worker, the end of a process.

Where the kernel tells (inotify, pidfd) a wait costs nothing until then. Elsewhere it is one look a
tick at one name: the scope's *next* event, which is absent until there is one, so that no clock's
granularity can hide it. Every tenth tick it looks for news of other scopes as well, in a folder
that is listed anew as long as its stamp is too young to be told from a later one.

Imported by processes that do nothing else for hours: standard library only, and little of it.
"""

from __future__ import annotations

import os
import select
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TICK = 0.15
_NEWS_EVERY = 10  # ticks
_SAFETY = (
    5.0  # seconds between looks where the kernel tells: a board that a network shares is silent
)
_YOUNG = 2.0  # seconds; file systems stamp by a clock of up to two
_CREATE, _MOVED_TO, _DELETE_SELF, _MOVE_SELF = 0x100, 0x80, 0x400, 0x800
_MASK = _CREATE | _MOVED_TO | _DELETE_SELF | _MOVE_SELF
_NONBLOCK_CLOEXEC = os.O_NONBLOCK | os.O_CLOEXEC
_CHANGED, _ENDED, _TIME = "changed", "ended", "time"


class Bell:
    """Rings for one scope and one worker.

    Args:
        event: the file of the next event of the scope.
        news: the folder of what the worker is to be told, empty for nobody's.
        processes: (pid, start) of those whose end rings as well, nearest first.
        has_ended: tells whether one of them has; asked once a tick where the kernel does not tell.

    Attributes:
        ended: the process whose end has rung, as its number among `processes`.
    """

    def __init__(
        self,
        event: str,
        news: str,
        processes: Sequence[tuple[int, str]],
        has_ended: Callable[[int, str], bool],
    ) -> None:
        self._event = event
        self._news = news
        self._processes = processes
        self._has_ended = has_ended
        self._poll = select.poll()
        self._pidfds: dict[int, int] = {}
        self._told = self._watch_processes()
        self._inotify = _inotify([os.path.dirname(event), *([news] if news else [])])
        if self._inotify >= 0:
            self._poll.register(self._inotify, select.POLLIN)
        self._names = self._list()
        self._stamp = (0, 0)
        self._ticks = 0
        self.ended: int | None = None

    def expect(self, event: str) -> None:
        """Ring at another event of the same scope from now on."""
        self._event = event

    def close(self) -> None:
        """Let go of what the kernel keeps for it."""
        for fd in (*self._pidfds, *([self._inotify] if self._inotify >= 0 else [])):
            os.close(fd)

    def rest(self, seconds: float) -> str:
        """Sleep until it rings: ``changed``, ``ended``, or ``time`` after so many seconds."""
        end = time.monotonic() + seconds
        tick = _SAFETY if self._told and self._inotify >= 0 else TICK
        fresh = True
        while True:
            if self._someone_ended():
                return _ENDED
            if self._rung(both=fresh):
                return _CHANGED
            left = end - time.monotonic()
            if left <= 0:
                return _TIME
            fresh = self._sleep(min(left, tick)) or tick == _SAFETY

    def _sleep(self, seconds: float) -> bool:
        """Sleep; tell whether the kernel said that something has changed."""
        rung = False
        for fd, _ in self._poll.poll(seconds * 1000):
            if fd == self._inotify:
                rung = True
                os.read(fd, 1 << 16)
            else:
                self.ended = self._pidfds[fd]
        return rung

    def _rung(self, *, both: bool) -> bool:
        """Look for the next event, and at times for news."""
        self._ticks += 1
        if _is_there(self._event):
            return True
        return (both or self._ticks % _NEWS_EVERY == 0) and bool(self._news) and self._has_news()

    def _has_news(self) -> bool:
        try:
            facts = os.stat(self._news)
        except OSError:
            return False
        stamp = (facts.st_mtime_ns, facts.st_nlink)
        if stamp == self._stamp:
            return False
        # One more name within the same tick of the clock would leave the same stamp.
        young = abs(time.time() - facts.st_mtime) < _YOUNG
        self._stamp = (0, 0) if young else stamp
        before, self._names = self._names, self._list()
        return not self._names <= before

    def _list(self) -> frozenset[str]:
        try:
            return frozenset(os.listdir(self._news)) if self._news else frozenset()
        except OSError:
            return frozenset()

    def _watch_processes(self) -> bool:
        """Have the kernel tell of the end of all processes; tell whether it will."""
        for number, (pid, start) in enumerate(self._processes):
            try:
                fd = os.pidfd_open(pid)
            except (OSError, AttributeError):  # ended already; none such (macOS, a sandbox)
                return False
            self._pidfds[fd] = number
            if self._has_ended(pid, start):
                return False
            self._poll.register(fd, select.POLLIN)
        return True

    def _someone_ended(self) -> bool:
        if self.ended is None and not self._told:
            ended = (at for at, one in enumerate(self._processes) if self._has_ended(*one))
            self.ended = next(ended, None)
        return self.ended is not None


def _is_there(path: str) -> bool:
    try:
        os.stat(path, follow_symlinks=False)
    except OSError:
        return False
    return True


def _inotify(folders: Sequence[str]) -> int:
    """Return a descriptor that tells of new names in `folders`; -1 where the kernel does not."""
    try:
        import ctypes  # noqa: PLC0415  # 0.3 MB and 3 ms, where there is something to gain

        libc = ctypes.CDLL(None)
        fd: int = libc.inotify_init1(_NONBLOCK_CLOEXEC)
        if fd < 0:
            return -1
        if all(libc.inotify_add_watch(fd, os.fsencode(one), _MASK) >= 0 for one in folders):
            return fd
        os.close(fd)
    except (ImportError, OSError, AttributeError, TypeError, ValueError):
        pass
    return -1
