"""What commands cost in processes, fsyncs and opened files: counted by strace, so exact.

A process that has imported the package serves: for each command it forks, and the verb goes on in
that child, so that the start of Python, the same for all of them, is not paid a hundred times.
What git calls (hooks, drivers) starts as it does for everybody.
"""

from __future__ import annotations

import gc
import json
import os
import re
import subprocess
import sys
from typing import IO, TYPE_CHECKING, NamedTuple, NoReturn, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from types import ModuleType

#: Calls that are counted; strace stops at no other (``--seccomp-bpf``).
STARTS, SYNCS, OPENS = (
    ("clone", "clone3", "fork", "vfork"),
    ("fsync", "fdatasync"),
    ("open", "openat"),
)
_CALL = re.compile(r"(\d+) +(\w+)\((.*)")
_PATH = re.compile(r'"((?:[^"\\]|\\.)*)"')
_FOLDER = os.path.dirname(os.path.abspath(__file__))


class Cost(NamedTuple):
    """How many of each a command needs, it and all that it starts."""

    processes: int
    fsyncs: int
    files: int

    def per(self, more: int, other: Cost) -> Cost:
        """Return what each of `more` items costs, rounded up, from the cost without them."""
        return Cost(*(-((before - now) // more) for now, before in zip(self, other, strict=True)))


class Ended(NamedTuple):
    """A command that has ended: its number, its status, CPU seconds of it and its children."""

    number: int
    code: int
    cpu: float
    output: str


class Server:
    """Runs commands, ``coord VERB`` and ``coord-install`` in forks of itself; below `folder`."""

    def __init__(self, folder: Path, env: Mapping[str, str], under: Sequence[str] = ()) -> None:
        self.folder = folder
        self._number = -1
        self._process = subprocess.Popen(
            [*under, sys.executable, "-c", "import counted; counted.serve()"],
            env={**env, "PYTHONPATH": _FOLDER},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, argv: Sequence[str], cwd: Path) -> Ended:
        """Run a command."""
        asked, answers = cast("IO[str]", self._process.stdin), cast("IO[str]", self._process.stdout)
        asked.write(json.dumps([list(argv), str(cwd), str(self.folder)]) + "\n")
        asked.flush()
        code, cpu = json.loads(answers.readline())
        self._number += 1
        with open(self.folder / "output", encoding="utf-8", errors="replace") as output:
            return Ended(self._number, code, cpu, output.read())

    def end(self) -> None:
        """Let it go."""
        self._process.communicate("")


class Counter(Server):
    """A server under strace. Files are counted below `folder`, and by relative names."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self._log = folder / "strace.log"
        calls = ",".join((*STARTS, *SYNCS, *OPENS))
        options = f"-f -qq --seccomp-bpf -e signal=none -e trace={calls} -o {self._log}"
        super().__init__(folder, env, ["strace", *options.split()])

    def costs(self) -> list[Cost]:
        """End the server, and return what was counted of each command."""
        self.end()
        with open(self._log, encoding="utf-8", errors="replace") as lines:
            return _counted(lines, str(self.folder))


def _counted(lines: Iterable[str], folder: str) -> list[Cost]:
    """Return the costs of what the server started, one by one, from the lines of strace.

    So all that stands behind such a start, and before the next one, belongs to it.
    """
    commands: list[list[int]] = []
    server = ""
    for pid, call, rest in (found.groups() for found in map(_CALL.match, lines) if found):
        server = server or pid
        if call in STARTS and pid == server:
            commands.append([1, 0, 0])
        elif not commands:
            continue
        elif call in STARTS:
            commands[-1][0] += "CLONE_THREAD" not in rest
        elif call in SYNCS:
            commands[-1][1] += 1
        elif call in OPENS:
            commands[-1][2] += _is_below(rest, folder)
    return [Cost(*found) for found in commands]


def _is_below(arguments: str, folder: str) -> bool:
    """Tell whether a file is the repository's; which folders of objects there are is chance."""
    path = _PATH.search(arguments)
    if path is None or "objects/" in path[1]:
        return False
    return path[1][:1] != "/" or path[1].startswith(folder + "/")


def serve() -> None:
    """Run each command of stdin, a JSON line each, and answer with a line."""
    sys.path.remove(_FOLDER)
    del os.environ["PYTHONPATH"]
    from coord.cli import install, main, verbs  # noqa: PLC0415  # imported once, before the forks

    for module, _ in verbs.VERBS.values():
        __import__(f"coord.cli.{module}")
    gc.disable()  # it would touch, and so copy, all that the children share
    for line in sys.stdin:
        argv, cwd, folder = json.loads(line)
        child = os.fork()
        if not child:
            _become(argv, cwd, folder, main if argv[0] == "coord" else install)
        _, status, usage = os.wait4(child, 0)
        answer = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _become(argv: list[str], cwd: str, folder: str, entry: ModuleType) -> NoReturn:
    """Run a command in place of this child of the server."""
    os.chdir(cwd)
    for number, name, mode in ((0, os.devnull, os.O_RDONLY), (1, f"{folder}/output", 577)):
        os.dup2(os.open(name, mode), number)
    os.dup2(1, 2)
    if argv[0] not in {"coord", "coord-install"}:
        os.execvp(argv[0], argv)  # noqa: S606
    sys.argv = ["git-coord" if argv[0] == "coord" else argv[0], *argv[1:]]
    try:
        entry.run()
    except SystemExit as ending:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ending.code if isinstance(ending.code, int) else int(ending.code is not None))
