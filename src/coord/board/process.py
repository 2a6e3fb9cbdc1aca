"""Who runs us: the ancestors of this process, told apart from later ones with their numbers.

``git`` stays as parent of ``git-coord``, so the worker is never the direct parent: the walk goes
up. Hot path: ``/proc`` is read where there is one (20 µs a process), else ``ps`` is asked once.
"""

from __future__ import annotations

import functools
import itertools
import os
from typing import TYPE_CHECKING, NamedTuple

from coord.board.programs import CARRIERS, SHELLS, SUPERVISORS

if TYPE_CHECKING:
    from collections.abc import Callable

_DEAD = frozenset("ZXx")
_DEPTH = 100


class Link:
    """One process in the chain upwards.

    Attributes:
        pid: its number.
        parent: its parent's number.
        start: its start time, as the system counts it.
        name: what it calls itself, such as ``claude`` or ``make.sh``.
        program: the file it runs, such as ``node`` or ``dash``.
    """

    # No NamedTuple: making the class would cost every command 0.15 ms.
    __slots__ = ("name", "parent", "pid", "program", "start")

    def __init__(self, pid: int, parent: int, start: str, name: str, program: str) -> None:
        self.pid = pid
        self.parent = parent
        self.start = start
        self.name = name
        self.program = program

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
        boot: what numbers are relative to (:func:`boot`).
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
    def is_dead(self) -> bool:
        """Whether it surely is gone: same host, same boot, and not there any more.

        Of another host, boot or container nothing is known, so it is not called dead.
        """
        return self.is_here and not is_alive(self.pid, self.start)

    @property
    def is_here(self) -> bool:
        """Whether it is one of this machine, boot and container, so that it can be looked for."""
        return self.host == os.uname().nodename and self.boot == boot()


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
    return Process(os.uname().nodename, boot(), link.pid, link.start, link.name)


def own() -> Process:
    """Return this very process as it is kept in a record."""
    return of(os.getpid())


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


def is_alive(pid: int, start: str) -> bool:
    """Tell whether the very process is still there; a zombie is not."""
    link = _look()(pid)
    return link is not None and link.start == start


@functools.cache
def boot() -> str:
    """Return what numbers of processes are relative to: this boot, and this pid namespace."""
    return f"{_boot_id()} {_namespace()}".rstrip()


def _boot_id() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return _asked("sysctl", "-n", "kern.boottime").partition("}")[0].lstrip("{ ")


def _namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _look() -> Callable[[int], Link | None]:
    return _proc if os.path.isdir("/proc/self") else _ps()


def _parent(look: Callable[[int], Link | None], pid: int) -> int:
    link = look(pid)
    return link.parent if link is not None else 0


def _place(chain: list[Link], pid: int) -> int:
    return next((at for at, link in enumerate(chain, 1) if link.pid == pid), 0)


def _proc(pid: int) -> Link | None:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The name stands in parentheses and may hold any, so the fields are counted from the last.
    name, _, rest = text.partition("(")[2].rpartition(") ")
    state, parent, *fields = rest.split()
    if state in _DEAD:
        return None
    return Link(pid, int(parent), fields[_START], name, _program(pid) or name)


_START = 17  # field 22 of proc(5), counted after the state and the parent


def _program(pid: int) -> str:
    """Return the program a process runs; a script with ``#!/bin/sh`` is its shell."""
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe")).removesuffix(" (deleted)")
    except OSError:
        return ""


def _ps() -> Callable[[int], Link | None]:
    """Return a look-up in one snapshot of all processes, for systems without ``/proc``."""
    found: dict[int, Link] = {}
    for line in _asked("ps", "-axo", "pid=,ppid=,stat=,lstart=,comm=").splitlines():
        fields = line.split(None, 8)
        if len(fields) > 8 and fields[2][0] not in _DEAD:  # noqa: PLR2004  # lstart is five words
            pid, name = int(fields[0]), os.path.basename(fields[8]).lstrip("-")
            found[pid] = Link(pid, int(fields[1]), " ".join(fields[3:8]), name, name)
    return found.get


def _asked(*argv: str) -> str:
    import subprocess  # noqa: PLC0415  # only where there is no /proc

    try:
        done = subprocess.run(
            argv, capture_output=True, check=False, env={**os.environ, "LC_ALL": "C"}
        )
    except OSError:
        return ""
    return done.stdout.decode("utf-8", "replace")
