"""Our two commands without the start of Python: forked from a process that has loaded all of it.

What is so started is a process of its own, with its own environment, folder, streams and end, and
runs what the command runs. It leaves out git, the alias and the imports: 80 of 100 ms, and the
suite starts it 15,000 times. `Repo.run("git", "coord", …)` starts the real command.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, NoReturn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# The words that begin a command, its script and the module that the script runs.
_COMMANDS = (
    (("git", "coord"), "git-coord", "coord.cli.main"),
    (("coord-install",), "coord-install", "coord.cli.install"),
)
_SCRIPTS = sysconfig.get_path("scripts")

# Python reads them before the first line of ours: what has others is really started.
_AT_START = ("LC_", "LANG", "PYTHON")
_NUMBER = 4  # bytes


class Command(NamedTuple):
    """What is run: module and words of the process."""

    module: str
    argv: tuple[str, ...]


def command(words: tuple[str, ...], env: Mapping[str, str]) -> Command | None:
    """Return what `words` start; None where that may be another version, or another Python."""
    other = "COORD_TEST_EARLIER" in env or not env.get("PATH", "").startswith(f"{_SCRIPTS}:")
    read = {name: env[name] for name in env if name.startswith(_AT_START)}
    if other or read != {"LC_ALL": "C.UTF-8"}:
        return None
    for typed, script, module in _COMMANDS:
        if words[: len(typed)] == typed:
            return Command(module, (os.path.join(_SCRIPTS, script), *words[len(typed) :]))
    return None


class Forker:
    """The process that forks, for one caller at a time."""

    def __init__(self) -> None:
        self._free = threading.Lock()
        self._link, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-E", __file__, str(theirs.fileno())],
                env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def run(
        self, made: Command, cwd: Path, env: Mapping[str, str], stdin: bytes, timeout: float
    ) -> subprocess.CompletedProcess[bytes] | None:
        """Run a command as `subprocess.run` would; None while another thread runs one.

        Raises:
            subprocess.TimeoutExpired: it took longer than `timeout` seconds, and was killed.
        """
        if not self._free.acquire(blocking=False):
            return None
        with contextlib.ExitStack() as stack:
            stack.callback(self._free.release)
            files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
            fds = [file.fileno() for file in files]
            os.pwrite(fds[0], stdin, 0)
            try:
                code = self._wait(self._ask(made, cwd, env, fds), made.argv, timeout)
            except BaseException:  # a test that is cut off leaves an answer that nobody takes
                self._end()
                raise
            out, err = (os.pread(fd, os.fstat(fd).st_size, 0) for fd in fds[1:])
        return subprocess.CompletedProcess(made.argv, code, out, err)

    def _end(self) -> None:
        forker.cache_clear()
        self._link.close()
        self._process.kill()
        self._process.wait()

    def _ask(self, made: Command, cwd: Path, env: Mapping[str, str], fds: list[int]) -> int:
        text = json.dumps([made, str(cwd), dict(env)]).encode()
        socket.send_fds(self._link, [_packed(len(text))], fds)
        self._link.sendall(text)
        return _number(self._link)

    def _wait(self, pid: int, argv: Sequence[str], timeout: float) -> int:
        self._link.settimeout(timeout)
        try:
            return _number(self._link)
        except BaseException as error:
            os.kill(pid, signal.SIGKILL)
            if isinstance(error, TimeoutError):
                raise subprocess.TimeoutExpired(argv, timeout) from None
            raise


@cache
def forker() -> Forker:
    """Return the one of this process of tests."""
    return Forker()


def _packed(number: int) -> bytes:
    return number.to_bytes(_NUMBER, "big", signed=True)


def _number(link: socket.socket) -> int:
    return int.from_bytes(_exactly(link, _NUMBER), "big", signed=True)


def _exactly(link: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = link.recv(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def _serve(link: socket.socket) -> None:
    """Fork for each command that is asked for, one after the other, until nobody can ask."""
    _load()
    gc.freeze()  # no collection of a child's writes to all that we hold
    while True:
        head, fds, _, _ = socket.recv_fds(link, _NUMBER, 3)
        if not head:
            return
        (module, argv), cwd, env = json.loads(_exactly(link, int.from_bytes(head, "big")))
        pid = os.fork()
        if pid == 0:
            link.close()
            _become(Command(module, argv), cwd, env, fds)
        for fd in fds:
            os.close(fd)
        link.sendall(_packed(pid))
        _, status = os.waitpid(pid, 0)
        link.sendall(_packed(os.waitstatus_to_exitcode(status)))


def _load() -> None:
    import coord  # noqa: PLC0415  # the tests of start-up import this module, and not that

    for found in pkgutil.walk_packages(coord.__path__, "coord."):
        if not found.name.endswith(("__main__", ".unpack")):  # which do something as they load
            importlib.import_module(found.name)


def _become(made: Command, cwd: str, env: dict[str, str], fds: list[int]) -> NoReturn:
    """Be the command: set all that a start sets, and end as Python does."""
    for number, fd in enumerate(fds):
        os.dup2(fd, number)
        os.close(fd)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    sys.argv = list(made.argv)
    sys.orig_argv = [sys.executable, *made.argv]
    code: object = 1
    try:
        importlib.import_module(made.module).run()
    except SystemExit as end:
        code = end.code or 0
    except BaseException:  # noqa: BLE001  # as Python ends by what nobody caught
        sys.excepthook(*sys.exc_info())
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(code if isinstance(code, int) else 1)  # 40 ms are saved of taking all modules apart


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
