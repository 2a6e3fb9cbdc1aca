"""One Python for all the logs that a git process merges, asked by the drivers that come later.

A driver is started once a path, and starting Python is nine tenths of what it costs. So the first
leaves a mark in the private git dir: the pid of the git that waits for it. The second finds it, and
its Python forks a joiner: a process that holds two pipes and nothing else, and ends with git.

    coord-joins   GIT [JOINER ASK SAY]   pids, and numbers of fds

The joiner calls itself ``coord GIT``, which no process does by chance that comes to have its pid.
A later driver opens the pipes as ``/proc/JOINER/fd/ASK`` and ``…/SAY`` (`drivers/sh/join`): they
have no names that a copy, a peer or another container could meet, and end with the joiner. ::

    NONCE KIND %O %A %B %P   →   NONCE joined | NONCE own

`own`: %A is as it was, and the driver starts a Python of its own, which says what there is to say.
Of a joiner that is gone before it says either, %A tells: it is replaced by the join, or as it was.
"""

from __future__ import annotations

import posix

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from collections.abc import Callable
    from select import poll as Poll  # noqa: N812

    from coord.drivers.logfile import Files

    Opened = Callable[[str, list[str], str], Files]  # kind, %O %A %B, %P

_MOST = 1 << 20  # bytes of the three files: of a larger join, starting Python is a small part
_ASKS = 1_000  # what leaks, or counts against a limit, ends with the process; another is forked
_LINE = 4_096  # bytes that a pipe takes at once
_TICK, _TICKS = 2_000, 30  # milliseconds of silence until it looks around, and how many it bears


def stay(given: bytes, opened: Opened) -> None:
    """Fork a joiner where none lives.

    Args:
        given: ``GIT MARK``, as the driver's sh puts it into ``COORD_JOINS``.
        opened: opens what is to be joined.

    Raises:
        OSError: there can be no joiner, here or at all.
    """
    git, _, mark = given.partition(b" ")
    said = _words(mark)
    lives = len(said) > 1 and _name(said[1]) == _own(git)
    if said[:1] == [git] and not lives and _name(git).startswith(b"git"):
        _fork(git, mark, opened)


def _fork(git: bytes, mark: bytes, opened: Opened) -> None:
    watch = posix.pidfd_open(int(git))
    ask, _, _, say = pipes = (*posix.pipe(), *posix.pipe())
    _write(posix.open(b"/proc/self/comm", posix.O_WRONLY), _own(git))  # what is forked keeps it
    joiner = posix.fork()
    if not joiner:
        try:
            _let_go({watch, *pipes})
            _answer(b"/proc/%s/cwd" % git, mark, (watch, ask, say), opened)
        finally:
            posix._exit(0)  # noqa: SLF001 - never back to what the driver still has to do
    _leave(mark, b"%s %d %d %d" % (git, joiner, ask, say))


def _let_go(kept: set[int]) -> None:
    """Hold nothing of git's: its terminal, the pipe that its sh reads to the end, locks, mounts."""
    null = posix.open(b"/dev/null", posix.O_RDWR)
    for fd in range(3):
        posix.dup2(null, fd)
    for fd in map(int, posix.listdir("/proc/self/fd")):
        try:
            if fd not in {0, 1, 2, *kept}:
                posix.close(fd)
        except OSError:  # it was what listed them
            pass
    posix.setsid()
    posix.chdir("/")


def _answer(top: bytes, mark: bytes, fds: tuple[int, int, int], opened: Opened) -> None:
    """Join what is asked in the folder `top`, where git runs; return when nobody will ask more."""
    import gc  # noqa: PLC0415 - each driver would pay for both
    import select  # noqa: PLC0415

    gc.enable()
    watch, ask, told = fds
    posix.set_blocking(told, False)
    poll = select.poll()
    poll.register(watch, select.POLLIN)
    poll.register(ask, select.POLLIN)
    own = mark if mark.startswith(b"/") else b"%s/%s" % (top, mark)
    for _ in range(_ASKS):
        if not _is_asked(poll, watch, own):
            return
        line = posix.read(ask, _LINE).decode(errors="surrogateescape").removesuffix("\n")
        nonce, *asked = line.split(" ", 5)
        posix.chdir(top)
        is_joined = _is_joined(asked, opened)
        posix.chdir("/")  # nothing is held once the driver goes on
        posix.write(told, f"{nonce} {'joined' if is_joined else 'own'}\n".encode())


def _is_asked(poll: Poll, watch: int, mark: bytes) -> bool:
    """Wait; tell whether there is a line, and not git's end, a long silence or another's mark."""
    for _ in range(_TICKS):
        ready = dict(poll.poll(_TICK))
        if ready:
            return watch not in ready
        if _words(mark)[1:2] != [b"%d" % posix.getpid()]:
            return False
    return False


def _is_joined(asked: list[str], opened: Opened) -> bool:
    """Join one log, and tell whether it is joined."""
    try:
        kind, *names, path = asked
        if sum(posix.stat(name).st_size for name in names) > _MOST:
            return False
        files = opened(kind, names, path)
        files.write(files.joined(virtual=False))
    except Exception:  # noqa: BLE001 - the driver's own Python will meet it, and says it
        return False
    return True


def _words(mark: bytes) -> list[bytes]:
    """Return what the mark says; nothing where there is none."""
    try:
        file = posix.open(mark, posix.O_RDONLY | posix.O_NOFOLLOW | posix.O_NONBLOCK)
    except FileNotFoundError:
        return []
    try:
        return posix.read(file, _LINE).split()
    finally:
        posix.close(file)


def _leave(mark: bytes, text: bytes) -> None:
    """Put a new file there, never written into: nobody reads half of it for long."""
    try:
        posix.unlink(mark)
    except FileNotFoundError:
        pass
    _write(posix.open(mark, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL, 0o600), text + b"\n")


def _write(file: int, text: bytes) -> None:
    posix.write(file, text)
    posix.close(file)


def _own(git: bytes) -> bytes:
    return b"coord " + git


def _name(pid: bytes) -> bytes:
    """Return what a process calls itself; nothing of one that is gone."""
    try:
        file = posix.open(b"/proc/%s/comm" % pid, posix.O_RDONLY)
    except FileNotFoundError:
        return b""
    try:
        return posix.read(file, _LINE).rstrip()
    finally:
        posix.close(file)
