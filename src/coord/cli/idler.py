"""A wait asleep: what ``git coord wait`` is once there is surely something to wait for.

It is the same process with another program (``exec``), of the standard library alone: without click
and the rest it takes a third of the memory, and as long as nothing happens no processor time. It
judges what happens by the bare record; whatever is not plainly nothing or plainly the end is for
the whole program, which it becomes again.
"""

from __future__ import annotations

import os
import sys
import time

from coord.board.bell import Bell
from coord.cli.slumber import FIELD, RESUMED, Asleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import Any, NoReturn
else:
    import _signal as signal  # `signal` makes enums of it: a megabyte

_ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
_DEAD = frozenset({b"Z", b"X", b"x"})
_START = 18  # field 22 of proc(5), counted after the state
_SIGN, _SEEN = b"coord-sign 1\n", b"\nseen "
_MOST = 1 << 20  # bytes of a record, as coord.board.recordfile has it
_AWAKE, _OPEN, _NEWS, _ORPHAN = "awake", "open", "news", "orphan"


class Ended(Exception):
    """Somebody asks this process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main() -> NoReturn:
    """Sleep until the wait is over, and leave with its exit code."""
    wait = Asleep(sys.argv[1:])
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup, a background job
            signal.signal(number, _end)
    try:
        code = _slept(wait)
    except Ended as ended:
        for number in _ENDING:
            signal.signal(number, signal.SIG_IGN)
        if ended.number == signal.SIGINT:
            _interrupted(wait)
        wait.drop()
        signal.signal(ended.number, signal.SIG_DFL)
        os.kill(os.getpid(), ended.number)
        code = 128 + ended.number
    sys.exit(code)


def _interrupted(wait: Asleep) -> None:
    from coord.base.errors import CoordError  # noqa: PLC0415  # with a person at the keyboard
    from coord.cli import woken  # noqa: PLC0415  # likewise

    try:
        woken.interrupted(wait)
    except (OSError, CoordError):  # the board is ill, and the wait ends all the same
        pass


def _end(number: int, _: object) -> None:
    raise Ended(number)


def _slept(wait: Asleep) -> int:
    bell = Bell(wait.event, wait.news, wait.above, _has_ended)
    judged: set[str] = set()
    beaten = time.monotonic()
    while True:
        happened = _top(wait, bell) or (_NEWS if _offers(wait, judged) else "")
        code = _said(wait, happened) if happened else None
        if code is not None:
            return code
        left = wait.end - time.monotonic()
        if left <= 0 or bell.rest(min(left, wait.every)) == "ended":
            if bell.ended is not None:
                wait.ended = f"{wait.names[bell.ended]} (pid {wait.above[bell.ended][0]})"
            code = _said(wait, _AWAKE if left <= 0 else _ORPHAN)
            return 1 if code is None else code
        if time.monotonic() - beaten >= wait.every:
            beaten = time.monotonic()
            _beat(wait)


def _said(wait: Asleep, what: str) -> int | None:
    """Tell what has happened; return the exit code, None where the wait goes on."""
    from coord.cli import woken  # noqa: PLC0415  # with the packages it takes, and only now

    code = {_OPEN: woken.opened, _NEWS: woken.news, _ORPHAN: woken.orphaned}.get(what)
    said = woken.AWAKE if code is None else code(wait)
    if said == woken.AWAKE:
        awake(wait)
    if said is not None:
        wait.drop()
    return said


def awake(wait: Asleep) -> NoReturn:
    """Become the whole program again, which judges by all that there is to know."""
    if wait.fd >= 0:
        os.set_inheritable(wait.fd, True)
    state = FIELD.join((repr(wait.end), str(wait.fd), wait.session))
    environ = {**os.environ, RESUMED: state}
    os.execve(sys.executable, wait.program, environ)  # noqa: S606  # as we were started


def _top(wait: Asleep, bell: Bell) -> str:
    """Look at the newest event, if there is a new one: is it the end, nothing, or in doubt?"""
    newest = ""
    while os.path.lexists(wait.event):
        newest = wait.event
        folder, name = os.path.split(newest)
        wait.event = os.path.join(folder, f"{int(name) + 1:0{len(name)}d}")
    if not newest:
        return ""
    bell.expect(wait.event)
    try:
        state = _read(newest)["state"]
        line, offers = state["line"], state.get("offers", ())
        offered = any(wait.instance in one["to"] for one in offers) and wait.instance
        if not line:
            return _OPEN
        mine = bool(wait.instance) and line[0]["instance"] == wait.instance
        if mine and not any(one.get("run") for one in line if one["instance"] == wait.instance):
            return _OPEN
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return _AWAKE
    return _AWAKE if mine else _NEWS if offered else ""


def _offers(wait: Asleep, judged: set[str]) -> bool:
    """Tell whether there is news that nobody should sleep through, and that was not judged yet."""
    try:
        names = set(os.listdir(wait.news)) - judged if wait.news else set()
    except OSError:
        return False
    judged |= names
    return any(_kind(os.path.join(wait.news, name)) in {"offered", "circle"} for name in names)


def _kind(path: str) -> object:
    try:
        return _read(path)["kind"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def _read(path: str) -> dict[str, Any]:
    import json  # noqa: PLC0415  # 1 MB, once something has happened

    from coord.base import peerfile  # noqa: PLC0415  # likewise

    found: dict[str, Any] = json.loads(peerfile.read(path, _MOST))
    return found


def _has_ended(pid: int, start: str) -> bool:
    """Tell whether a process above has ended, as coord.liveness.process does for 2 MB more."""
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, *fields = file.read().rpartition(b") ")[2].split()
    except ProcessLookupError:
        return True
    except (OSError, ValueError):  # another user's, hidden, or no /proc
        return False
    return state in _DEAD or fields[_START] != os.fsencode(start)


def _beat(wait: Asleep) -> None:
    """Give a sign of life, as coord.liveness.signs does; none where the worker has signed off."""
    try:
        os.utime(wait.seen, follow_symlinks=False)
        seen = os.stat(wait.seen, follow_symlinks=False).st_mtime_ns
        fd = os.open(wait.sign, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    try:
        there = os.read(fd, _MOST)
        at = there.find(_SEEN)
        if there.startswith(_SIGN) and at > 0:
            os.pwrite(fd, b"%020d" % seen, at + len(_SEEN))
    except OSError:
        pass
    finally:
        os.close(fd)
