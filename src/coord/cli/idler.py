"""A wait asleep: the process of ``git coord wait`` once it is sure that there is something to wait for.

It is the same process with another program (``exec``), of the standard library alone: without click
and the rest it takes a third of the memory, and as long as nothing happens no processor time. It
judges what happens by the bare record; whatever is not plainly nothing or plainly the end is for
the whole program, which it becomes again.
"""

from __future__ import annotations

import _signal as signal  # `signal` makes enums of it: a megabyte
import os
import sys
import time

from coord.board.bell import Bell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

CODE = "import sys; sys.path.insert(0, sys.argv.pop(1)); from coord.cli.idler import main; main()"
RESUMED = "COORD_WAIT"
"""What a wait that was asleep tells the whole program: its end, by the monotonic clock, its lock."""
FIELD, PAIR = "\x1e", "\x1f"
_ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
_DEAD = frozenset({b"Z", b"X", b"x"})
_START = 18  # field 22 of proc(5), counted after the state
_MOST = 1 << 20  # bytes of a record, as coord.board.recordfile has it
_AWAKE, _OPEN, _NEWS, _ORPHAN = "awake", "open", "news", "orphan"


class Asleep:
    """What a wait is for, as its command line says.

    Attributes:
        event: the file of the next event of the scope.
        news: the folder of what the worker is to be told, empty where nobody is certain.
        scope: canonical scope.
        instance: who waits, empty where that is not certain.
        within: the runs it was started from, by nonce.
        end: when its time is up, by the monotonic clock.
        every: seconds between signs of life.
        fd: the lock of the wait, -1 where it has none.
        session: the file that is locked.
        signs: the files that a sign of life renews.
        above: (pid, start) of the processes whose end ends the wait, nearest first.
        as_json: how to answer.
        program: the whole program with its arguments.
    """

    def __init__(self, words: list[str]) -> None:
        self.event, self.news, self.scope, self.instance, within, end, every, fd = words[:8]
        self.session, signs, above, as_json, *self.program = words[8:]
        self.within = within.split()
        self.end, self.every, self.fd = float(end), float(every), int(fd)
        self.signs = signs.split(FIELD)
        pairs = (one.split(PAIR) for one in above.split(FIELD) if one)
        self.above = [(int(pid), start) for pid, start in pairs]
        self.as_json = as_json == "json"

    def words(self) -> list[str]:
        """Return what :class:`Asleep` is made of again."""
        return [
            self.event, self.news, self.scope, self.instance, " ".join(self.within),
            repr(self.end), repr(self.every), str(self.fd), self.session, FIELD.join(self.signs),
            FIELD.join(f"{pid}{PAIR}{start}" for pid, start in self.above),
            "json" if self.as_json else "text", *self.program,
        ]  # fmt: skip

    @property
    def board(self) -> str:
        """The folder of the board."""
        return os.path.dirname(os.path.dirname(os.path.dirname(self.event)))

    def drop(self) -> None:
        """Take away the lock of the wait."""
        if self.fd >= 0:
            try:
                os.unlink(self.session)
            except OSError:
                pass
            os.close(self.fd)
            self.fd = -1


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
        wait.drop()
        signal.signal(ended.number, signal.SIG_DFL)
        os.kill(os.getpid(), ended.number)
        code = 128 + ended.number
    sys.exit(code)


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
    os.execve(sys.executable, wait.program, {**os.environ, RESUMED: state})


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
    """Give a sign of life; it makes none where the worker has signed off."""
    for path in wait.signs:
        try:
            os.utime(path, follow_symlinks=False)
        except OSError:
            continue
