"""What wakes one who waits on a board elsewhere: a server's word, or the end of a process.

Each prefix has a thread that keeps watch at the server. What it hears is a hint, after which the
board is read; while nobody can keep watch, it is read again from time to time.
"""

from __future__ import annotations

import os
import select
import threading
import time
from typing import TYPE_CHECKING

from coord.stores.store import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coord.stores.replica import Replica

_PARTS = 3  # of the key of an event
_TICK = 0.15  # seconds between looks at processes of whose end the kernel does not tell
_WATCH = 60.0  # seconds of one watch: a connection that is dead says nothing
_PAUSE = 2.0  # seconds until a server is asked again that keeps no watch
_CHANGED, _ENDED, _TIME = "changed", "ended", "time"


class Bell:
    """Rings for some prefixes, as :class:`coord.stores.bell.Bell` does for one scope's files."""

    def __init__(
        self,
        store: Replica,
        below: Sequence[str],
        processes: Sequence[int],
        has_ended: Callable[[], bool],
    ) -> None:
        """Prepare to listen, from what the copy has on, once there is something to wait for.

        Args:
            store: the board.
            below: prefixes of keys.
            processes: those whose end rings as well.
            has_ended: tells whether one of them has.
        """
        self._store = store
        self._has_ended = has_ended
        self._poll = select.poll()
        self._heard, self._told = os.pipe()
        self._pidfds: list[int] = []
        self._poll.register(self._heard, select.POLLIN)
        self._tick = 1000.0 if self._watch_processes(processes) else _TICK
        self._lock = threading.Condition()
        self._since: int | None = store.place()
        self._below = list(below)

    def expect(self, event: str) -> None:
        """Ring at what comes after what the copy has by now, and at `event` if it has that.

        Another command may have brought it since the caller looked.
        """
        with self._lock:
            self._since = self._store.place()
            self._lock.notify_all()
            if self._store.has("/".join(event.split("/")[-_PARTS:])):
                os.write(self._told, b"!")

    def rest(self, seconds: float) -> str:
        """Sleep until it rings: ``changed``, ``ended``, or ``time`` after so many seconds."""
        while self._below:  # a server tells of what came since, so it is asked no sooner
            prefix, *self._below = self._below
            threading.Thread(target=self._listen, args=(prefix,), daemon=True).start()
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if self._has_ended():
                return _ENDED
            if left <= 0:
                return _TIME
            if (self._heard, select.POLLIN) in self._poll.poll(1000 * min(left, self._tick)):
                os.read(self._heard, 4096)
                self._store.heard()
                return _CHANGED

    def close(self) -> None:
        """Let go of the descriptors; a thread ends with its watch."""
        with self._lock:
            self._since = None
            self._lock.notify_all()
            for fd in (self._heard, self._told, *self._pidfds):
                os.close(fd)

    def _listen(self, prefix: str) -> None:
        since = self._since
        while since is not None:
            try:
                rung = self._store.watch(prefix, since, _WATCH)
            except StoreError:
                time.sleep(_PAUSE)
                rung = True  # it may be that events are missed
            since = self._ring(since) if rung else self._since

    def _ring(self, since: int) -> int | None:
        """Ring, and return from where to listen once the board was read; None at the end."""
        with self._lock:
            if self._since is not None:
                os.write(self._told, b"!")
            self._lock.wait_for(lambda: self._since is None or self._since > since, _WATCH)
            return self._since

    def _watch_processes(self, processes: Sequence[int]) -> bool:
        """Have the kernel tell of the end of all processes; tell whether it will."""
        for pid in processes:
            try:
                self._pidfds.append(os.pidfd_open(pid))
            except (OSError, AttributeError):  # ended already; none such (macOS, a sandbox)
                return False
            self._poll.register(self._pidfds[-1], select.POLLIN)
        return True
