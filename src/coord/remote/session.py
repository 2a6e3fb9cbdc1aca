"""A child that talks to a server, with all that it starts: to a moment, in a session of its own.

Without a terminal ssh asks nobody for a passphrase; and what git has started to talk for it hangs
as well as git does, and is ended with it. Standard output ends with git. Standard error may not: a
helper that outlives it on purpose (ssh's ``ControlPersist``, a cache of credentials) has it still.

A process that is killed ends nothing any more; so all of them have the end of a pipe, of which the
kernel tells them when nobody has the other end (Linux; elsewhere what was started to talk to a
server that hangs stays until that ends).
"""

from __future__ import annotations

import fcntl
import os
import select
import time

from coord.base.frozen import NamedTuple
from coord.repo import child

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_CHUNK = 1 << 16
_KEPT = 1 << 16  # bytes that are kept of the beginning, and of the end
_SIGTERM = 15
# What anybody has pushed may unpack to any size. No more than memory: ssh may leave a process that
# other commands of the user's go through for hours, and it keeps what it was given.
_LIMITS = child.Limits(data=1 << 30)
_GRACE = 0.5  # seconds, for git to delete its lock files
_TIE = 3  # the descriptor that a child has of it
_PAUSES = (0.0005, 0.02)  # seconds between two looks at a child that has nothing more to say


class Done(NamedTuple):
    """What a child gave back.

    Attributes:
        code: its status, or minus the signal that it died of; None if its time was over.
        out: its standard output.
        err: its words. Of what is very long the middle is missing.
    """

    code: int | None
    out: bytes
    err: bytes


class _Said:
    """The ends of a child's two pipes, and what was read of each."""

    def __init__(self, *ends: int) -> None:
        self._ends = ends
        self._read = dict.fromkeys(ends, b"")
        self._poll = select.poll()
        for end in ends:
            self._poll.register(end, select.POLLIN)

    def hear(self, seconds: float) -> None:
        """Read what comes within so many seconds, until something came."""
        for end, _ in self._poll.poll(seconds * 1000):
            part = os.read(end, _CHUNK)
            if not part:
                self._poll.unregister(end)
                self._ends = tuple(other for other in self._ends if other != end)
            text = self._read[end] + part
            self._read[end] = text if len(text) <= 3 * _KEPT else text[:_KEPT] + text[-_KEPT:]

    def goes_on(self, end: int) -> bool:
        """Tell whether somebody may still write into a pipe."""
        return end in self._ends

    def all(self) -> list[bytes]:
        """Return what was read of each, with what can be at once."""
        self.hear(0)
        return list(self._read.values())


def run(argv: Sequence[str], env: Mapping[str, str], end: float) -> Done:
    """Run a command until it ends, or until the moment `end` of the monotonic clock.

    Raises:
        OSError: it is not on the PATH of `env`, or cannot be started.
    """
    out, err, tie = (child.Pipe(*os.pipe()) for _ in range(3))
    said = _Said(out.read, err.read)
    pid, code = 0, None
    try:
        try:
            pid = os.posix_spawn(
                child.found(argv[0], env), list(argv), env, setsid=True,
                file_actions=[
                    *child.wired(None, out, err), (os.POSIX_SPAWN_DUP2, tie.read, _TIE)
                ],
                setsigdef=child.DEFAULTED,
            )  # fmt: skip
        finally:
            os.close(out.write)
            os.close(err.write)
        _tie(tie.read, pid)
        child.limit(pid, _LIMITS)
        while said.goes_on(out.read) and (left := end - time.monotonic()) > 0:
            said.hear(left)
        code = _status(pid, end)
        return Done(code, *said.all())
    finally:
        if pid and code is None:  # its time is over, or nobody reads on, as after Ctrl-C
            _end(pid)
        _untie(tie.read)
        for fd in (out.read, err.read, *tie):
            os.close(fd)


def _tie(end: int, group: int) -> None:
    """Have a group of processes told to end once nobody has the other end of a pipe."""
    if hasattr(fcntl, "F_SETSIG"):
        fcntl.fcntl(end, fcntl.F_SETOWN, -group)
        fcntl.fcntl(end, fcntl.F_SETSIG, _SIGTERM)
        fcntl.fcntl(end, fcntl.F_SETFL, os.O_ASYNC)


def _untie(end: int) -> None:
    """Let what outlives its session on purpose do so."""
    fcntl.fcntl(end, fcntl.F_SETFL, 0)


def _status(pid: int, end: float) -> int | None:
    """Return the status of a child that ends until the moment `end`, None of one that does not."""
    pause, most = _PAUSES
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() >= end:
            return None
        time.sleep(pause)
        pause = min(pause * 2, most)


def _end(pid: int) -> None:
    """End a child with its group: what does not go when it is told to is killed."""
    _signal(pid, _SIGTERM)
    gone = _status(pid, time.monotonic() + _GRACE)
    _signal(pid, child.SIGKILL)
    if gone is None:
        os.waitpid(pid, 0)


def _signal(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        pass
