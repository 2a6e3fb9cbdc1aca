"""A child process from start to end, without ``subprocess``, whose import costs a hook 10 ms.

``posix_spawn`` cannot change the folder: whoever needs one says so in the arguments (``git -C``).
"""

from __future__ import annotations

import errno
import os
import select
import sys
import time

from coord.base.frozen import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_CHUNK = 1 << 16
# The same on Linux and macOS; `signal` makes enums of them, 4 ms.
SIGKILL, _SIGPIPE, _SIGXFSZ = 9, 13, 25
#: Python ignores these two, and what is ignored stays so across an exec.
DEFAULTED = (_SIGPIPE, _SIGXFSZ)


class Pipe(NamedTuple):
    """Both ends of a pipe."""

    read: int
    write: int


class Limits(NamedTuple):
    """What each process of a child may take, where the system can be told so (Linux).

    Of memory it is what is written to that counts: a runtime may reserve a thousand times as much.

    Attributes:
        data: bytes of memory.
        cpu: seconds of a processor; None for any, as for what starts a helper that stays.
        size: bytes of a file that it writes; None for any, likewise.
    """

    data: int
    cpu: int | None = None
    size: int | None = None


def run(
    argv: Sequence[str],
    env: Mapping[str, str],
    stdin: bytes | None = None,
    within: float | None = None,
    most: int | None = None,
    *,
    limits: Limits | None = None,
) -> tuple[int, bytes, bytes]:
    """Run a command to its end; return its status (or minus a signal), stdout and stderr.

    Raises:
        TimeoutError: it took more than `within` seconds, and was killed.
        OverflowError: it said more than `most` bytes, and was killed.
        OSError: it is not on the PATH of `env`, or cannot be started.
    """
    program = found(argv[0], env)
    feed = None if stdin is None else Pipe(*os.pipe())
    out, err = Pipe(*os.pipe()), Pipe(*os.pipe())
    try:
        pid = os.posix_spawn(
            program, list(argv), env, file_actions=wired(feed, out, err), setsigdef=DEFAULTED
        )
    except OSError:
        for end in (*out, *err, *(feed or ())):
            os.close(end)
        raise
    for end in (out.write, err.write, *(feed[:1] if feed else ())):
        os.close(end)
    if limits is not None:
        limit(pid, limits)
    try:
        ends = (feed and feed.write, out.read, err.read)
        answers = _exchanged(ends, stdin or b"", within, most)
    except BaseException:
        os.kill(pid, SIGKILL)  # nobody reads on, as after Ctrl-C
        os.waitpid(pid, 0)
        raise
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), *answers


def limit(pid: int, limits: Limits) -> None:
    """Have a child that has just been started, and what it starts, end where it takes too much."""
    import resource  # noqa: PLC0415  # for those alone who read what others wrote

    if not hasattr(resource, "prlimit"):
        return
    wanted = (
        (resource.RLIMIT_DATA, limits.data),
        (resource.RLIMIT_CPU, limits.cpu),
        (resource.RLIMIT_FSIZE, limits.size),
        (resource.RLIMIT_CORE, 0),  # what ends so leaves nothing
    )
    for kind, most in wanted:
        if most is not None:
            try:
                _, hard = resource.prlimit(pid, kind)
                soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
                resource.prlimit(pid, kind, (soft, hard))
            except OSError:  # it has ended
                return


def found(name: str, env: Mapping[str, str]) -> str:
    """Return the file of a command by the PATH of `env`; posix_spawnp looks at our own."""
    for folder in env.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)


def wired(feed: Pipe | None, out: Pipe, err: Pipe) -> list[tuple[object, ...]]:
    """Return what gives a child its three ends; it reads nothing where there is no `feed`."""
    stdin = (
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
        if feed is None
        else (os.POSIX_SPAWN_DUP2, feed.read, 0)
    )
    return [stdin, (os.POSIX_SPAWN_DUP2, out.write, 1), (os.POSIX_SPAWN_DUP2, err.write, 2)]


def _exchanged(
    ends: tuple[int | None, int, int], feed: bytes, within: float | None, most: int | None
) -> tuple[bytes, bytes]:
    """Feed and read side by side, for a full pipe on one side would stop the other; close all."""
    into, out, err = ends
    left = sys.maxsize if most is None else most
    read: dict[int, list[bytes]] = {out: [], err: []}
    open_ends = {out, err}
    poll = select.poll()
    poll.register(out, select.POLLIN)
    poll.register(err, select.POLLIN)
    rest = memoryview(feed)
    limit = None if within is None else time.monotonic() + within
    if into is not None:
        os.set_blocking(into, False)
        poll.register(into, select.POLLOUT)
        open_ends.add(into)
    try:
        while open_ends:
            for end, _ in poll.poll() if limit is None else _ready(poll, limit):
                if end == into:
                    rest = _written(end, rest)
                    ended = not rest
                else:
                    read[end].append(os.read(end, _CHUNK))
                    ended = not read[end][-1]
                    left -= len(read[end][-1])
                    if left < 0:
                        raise OverflowError(most)
                if ended:
                    poll.unregister(end)
                    open_ends.remove(end)
                    os.close(end)
    finally:
        for end in open_ends:
            os.close(end)
    return b"".join(read[out]), b"".join(read[err])


def _ready(poll: select.poll, limit: float) -> list[tuple[int, int]]:
    ready = poll.poll(max(0.0, limit - time.monotonic()) * 1000)
    if not ready:
        raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
    return ready


def _written(end: int, rest: memoryview) -> memoryview:
    """Write what a pipe takes and return the rest; a reader that has gone wants none of it."""
    try:
        return rest[os.write(end, rest) :] if rest else rest
    except BlockingIOError:
        return rest
    except BrokenPipeError:
        return rest[:0]
