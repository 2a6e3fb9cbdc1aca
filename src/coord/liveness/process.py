"""Who runs us: the ancestors of this process, told apart from later ones with their numbers.

``git`` stays as parent of ``git-coord``, so the worker is never the direct parent: the walk goes
up. Hot path: ``/proc`` is read where there is one (20 µs a process), else ``ps`` is asked once.
A ``/proc`` whose numbers are not ours (a sandbox that sees its host's) shows us no ancestors.
"""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING

from coord.base.frozen import NamedTuple
from coord.liveness import machine
from coord.liveness.programs import CARRIERS, SHELLS, SUPERVISORS

if TYPE_CHECKING:
    from collections.abc import Callable

_DEAD = frozenset("ZXx")
_DEPTH = 100
_DIGITS = 10  # of a number, at most
_MOST = 1 << 31  # kill(2) takes no more, and means other things by 0 and less


class Link:
    """One process in the chain upwards.

    Attributes:
        pid: its number.
        parent: its parent's number.
        start: its start time, as the system counts it.
        name: what it calls itself, such as ``claude`` or ``make.sh``.
        program: the file it runs, such as ``node`` or ``dash``.
        state: its state, one letter of proc(5).
    """

    # No NamedTuple: making the class would cost every command 0.15 ms.
    __slots__ = ("name", "parent", "pid", "program", "start", "state")

    def __init__(  # noqa: PLR0917  # as proc(5) counts them
        self, pid: int, parent: int, start: str, name: str, program: str, state: str = ""
    ) -> None:
        self.pid = pid
        self.parent = parent
        self.start = start
        self.name = name
        self.program = program
        self.state = state

    @property
    def carries(self) -> bool:
        """Whether it only starts what others asked for: git, a shell, make, sudo."""
        # npm calls itself `npm exec`, or `npm run build`.
        return self.program in CARRIERS or self.name.partition(" ")[0] in CARRIERS

    @property
    def supervises(self) -> bool:
        """Whether it is an init or the like: what it starts goes its own way."""
        return self.program in SUPERVISORS or self.name in SUPERVISORS


class Process(NamedTuple):
    """A process for the record: a later one with its number is not taken for it.

    Attributes:
        host: machine name.
        boot: what numbers are relative to (:func:`coord.liveness.machine.boot`).
        pid: its number.
        start: its start time, as the system counts it.
        name: what it calls itself.
    """

    host: str
    boot: str
    pid: int
    start: str
    name: str

    @property
    def has_ended(self) -> bool:
        """Whether it is proved to have ended: same host, boot and namespaces, and it is not there.

        Of another host, boot or container nothing is known, so it is not said to have ended.
        """
        return self.is_here and has_ended(self.pid, self.start)

    @property
    def is_here(self) -> bool:
        """Whether it is one of our machine, boot and namespaces, so that it can be looked for."""
        return self.host == machine.host() and self.boot == machine.boot() != ""


def ancestors(pid: int | None = None) -> list[Link]:
    """Return the processes above this one (or above `pid`), the parent first, as far as we may see.

    With ``hidepid=1`` ``/proc`` lists another user's process, and lets nobody else read it.
    """
    look = _look()
    chain: list[Link] = []
    above = os.getppid() if pid is None else _parent(look, pid)
    while above > 0 and len(chain) < _DEPTH:
        try:
            link = look(above)
        except PermissionError:
            break
        if link is None:
            break
        chain.append(link)
        above = link.parent
    return chain


def worker(chain: list[Link]) -> Link | None:
    """Return the process that works here: the nearest that does not carry another's commands.

    Harnesses start each command in a shell of its own, which is gone a moment later. What an init
    or a terminal's server has started, or taken in, works for itself: then it is the outermost
    below that, and never git. The first process of a container may be an agent: it is one unless
    what it seems to have started is a script, no single command (``sh -c``).
    """
    below = list(itertools.takewhile(lambda link: not link.supervises, chain))
    named = next((link for link in below if not link.carries), None)
    if named is not None and not (named.pid == 1 and _is_script(below)):
        return named
    started = [link for link in below if link.pid != 1 and link.program != "git"]
    return started[-1] if started else None


def _is_script(chain: list[Link]) -> bool:
    """Tell whether the outermost below the first process is a shell that runs a script."""
    shell = next((link for link in reversed(chain) if link.pid != 1), None)
    if shell is None or shell.program not in SHELLS:
        return False
    try:
        with open(f"/proc/{shell.pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")[1:-1]
    except OSError:
        return False
    return bool(words) and not any(
        word.startswith(b"-") and not word.startswith(b"--") and b"c" in word for word in words[:2]
    )


def of(pid: int) -> Process:
    """Return a process that was started here as it is kept in a record."""
    return recorded(_look()(pid) or Link(pid, 0, "", "", ""))


def recorded(link: Link) -> Process:
    """Return `link` as it is kept in a record."""
    return Process(machine.host(), machine.boot(), link.pid, link.start, link.name)


def told(one: Process) -> str:
    """Return a process as files keep it; what its number is relative to stands elsewhere there."""
    return f"{one.pid} {one.start.replace(' ', '_') or '-'} {' '.join(one.name.split()) or '-'}"


def heard(text: str, host: str, boot: str) -> Process | None:
    """Return the process in `text`, as :func:`told` wrote it; None where there is none."""
    pid, _, rest = text.partition(" ")
    start, _, name = rest.partition(" ")
    if not (pid.isascii() and pid.isdecimal() and len(pid) <= _DIGITS and name):
        return None
    return Process(host, boot, int(pid), "" if start == "-" else start.replace("_", " "), name)


def own() -> Process:
    """Return this very process as it is kept in a record, whoever's ``/proc`` we see."""
    seen = _read("self") if os.path.isdir("/proc/self") else _look()(os.getpid())
    link = seen or Link(0, 0, "", "", "")
    return Process(machine.host(), machine.boot(), os.getpid(), link.start, link.name)


def watched(chain: list[Link], session: int, pid: int = 0) -> list[Link]:
    """Return the ancestors of `pid` whose death ends a wait: up to session leader and worker.

    A harness may give each command a session of its own, so the leader alone is too near. Shells
    between the two do not count: a session of its own is how a wait is to outlive them.
    """
    leader = _place(chain, session)
    working = worker(chain)
    last = _place(chain, working.pid if working else 0)
    if last <= leader or not (leader or session == pid):
        return chain[: max(leader, last)]
    return [*chain[:leader], chain[last - 1]]


def is_adopted(chain: list[Link], session: int, pid: int) -> bool:
    """Tell whether whoever started process `pid` had ended before we looked.

    Then the system's first process has taken it in, its session has lost its leader, and no more
    than git stands between. Without the second, it may have been started so (a service).
    """
    led = session in {0, pid} or any(link.pid == session for link in chain)
    return not led and {link.pid for link in chain if link.program != "git"} <= {1}


def has_ended(pid: int, start: str) -> bool:
    """Tell whether a process of our own namespaces is proved to have ended.

    The system knows no such number, or our own ``/proc`` shows another process there, or a zombie.
    What ``/proc`` does not show proves nothing: it may be hidden (``hidepid``).
    """
    if not 0 < pid < _MOST:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:  # it is there, and another user's
        pass
    try:
        link = _look()(pid, zombies=True)
    except PermissionError:
        return False
    if link is None:
        return False
    return link.state in _DEAD or bool(start and link.start and link.start != start)


def _look() -> Callable[..., Link | None]:
    if os.path.isdir("/proc"):
        return _proc if machine.proc_is_ours() else _hidden
    return _ps()


def _parent(look: Callable[..., Link | None], pid: int) -> int:
    link = look(pid)
    return link.parent if link is not None else 0


def _place(chain: list[Link], pid: int) -> int:
    return next((at for at, link in enumerate(chain, 1) if link.pid == pid), 0)


def _hidden(_: int, *, zombies: bool = False) -> Link | None:
    """Find nothing: the numbers of this ``/proc`` are not ours."""
    del zombies
    return None


def _proc(pid: int, *, zombies: bool = False) -> Link | None:
    link = _read(pid)
    return None if link is None or (link.state in _DEAD and not zombies) else link


def _read(pid: int | str) -> Link | None:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The name stands in parentheses and may hold any, so the fields are counted from the last.
    number, _, tail = text.partition(" (")
    name, _, rest = tail.rpartition(") ")
    state, parent, *fields = rest.split()
    return Link(int(number), int(parent), fields[_START], name, _program(pid) or name, state)


_START = 17  # field 22 of proc(5), counted after the state and the parent


def _program(pid: int | str) -> str:
    """Return the program a process runs; a script with ``#!/bin/sh`` is its shell."""
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe")).removesuffix(" (deleted)")
    except OSError:
        return ""


def _ps() -> Callable[..., Link | None]:
    """Return a look-up in one snapshot of all processes, for systems without ``/proc``."""
    from coord.liveness import withoutproc  # noqa: PLC0415  # only where there is no /proc

    found = withoutproc.processes()

    def look(pid: int, *, zombies: bool = False) -> Link | None:
        if pid not in found:
            return None
        parent, state, start, name = found[pid]
        dead = state in _DEAD and not zombies
        return None if dead else Link(pid, parent, start, name, name, state)

    return look
