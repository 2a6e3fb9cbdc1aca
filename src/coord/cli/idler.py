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

from coord.cli.lookout import AGAIN, Lookout
from coord.cli.slumber import FIELD, RESUMED, Asleep, beside
from coord.stores.bell import Bell

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
_MOST = 1 << 20  # bytes of a record, as coord.stores.recordfile has it
_ODD = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)
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
    holder = _holder(wait, beside(wait.event, -1), None)
    while True:
        happened, newest = _top(wait, bell)
        happened = happened or (_NEWS if _offers(wait, judged) else "")
        code = _said(wait, happened) if happened else None
        if code is not None:
            return code
        holder = _holder(wait, newest, holder) if newest else holder
        left = wait.end - time.monotonic()
        if left <= 0 or bell.rest(min(left, AGAIN, wait.every)) == "ended":
            if bell.ended is not None:
                wait.ended = f"{wait.names[bell.ended]} (pid {wait.above[bell.ended][0]})"
            code = _said(wait, _AWAKE if left <= 0 else _ORPHAN)
            return 1 if code is None else code
        if os.path.lexists(f"{wait.common_dir}/hooks/coord/store"):  # the board is elsewhere by now
            awake(wait)
        seen = None
        if time.monotonic() - beaten >= wait.every:
            beaten = time.monotonic()
            seen = _beat(wait)
        if holder is not None and holder.look(seen, wait.expires):
            wait.known = " ".join(holder.known)
            awake(wait)


def _holder(wait: Asleep, event: str, before: Lookout | None) -> Lookout | None:
    """Look out for the end of whom an event names as holder; what has rung of it rings no more."""
    try:
        found = Lookout(wait.common_dir, _read(event)["state"]["line"][0], _has_ended)
    except _ODD:
        return None
    if before is None:
        found.known = set(wait.known.split())
    elif found.of == before.of:
        found.known = before.known
    return found


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
    state = FIELD.join((repr(wait.end), str(wait.fd), wait.session, wait.told, wait.known))
    environ = {**os.environ, RESUMED: state}
    os.execve(sys.executable, wait.program, environ)  # noqa: S606  # as we were started


def _top(wait: Asleep, bell: Bell) -> tuple[str, str]:
    """Look at the newest event, if there is a new one: is it the end, nothing, or in doubt?

    Returns that, and the event where the wait goes on from it.
    """
    newest = ""
    while os.path.lexists(wait.event):
        newest = wait.event
        wait.event = beside(newest, 1)
    if not newest:
        return "", ""
    bell.expect(wait.event)
    try:
        state = _read(newest)["state"]
        line, offers = state["line"], state.get("offers", ())
        offered = any(wait.instance in one["to"] for one in offers) and wait.instance
        if not line:
            return _OPEN, newest
        mine = bool(wait.instance) and line[0]["instance"] == wait.instance
        if mine and not any(one.get("run") for one in line if one["instance"] == wait.instance):
            return _OPEN, newest
    except _ODD:
        return _AWAKE, newest
    return _AWAKE if mine else _NEWS if offered else "", newest


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


def _beat(wait: Asleep) -> float | None:
    """Give a sign of life, as coord.liveness.signs does; none where the worker has signed off.

    Returns when, by the clock of the file system.
    """
    try:
        os.utime(wait.seen, follow_symlinks=False)
        seen = os.stat(wait.seen, follow_symlinks=False).st_mtime_ns
    except OSError:
        return None
    try:
        fd = os.open(wait.sign, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return seen / 1e9
    try:
        there = os.read(fd, _MOST)
        at = there.find(_SEEN)
        if there.startswith(_SIGN) and at > 0:
            os.pwrite(fd, b"%020d" % seen, at + len(_SEEN))
    except OSError:
        pass
    finally:
        os.close(fd)
    return seen / 1e9
