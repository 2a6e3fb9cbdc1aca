"""Kill -9 at a point of time, or at a system call: of a command and of all that it started."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from harness.repo import Repo

#: How often each kind of command is killed; ``COORD_KILL_ROUNDS=200`` for a night.
ROUNDS = int(os.environ.get("COORD_KILL_ROUNDS", "1"))
# The part of its time in which a command does something: Python's start is left out.
BUSY = (0.3, 1.02)
# Whatever changes a disk. A file that was just created shows at the next of these calls.
CHANGING = (
    "write,pwrite64,writev,fsync,fdatasync,ftruncate,link,linkat,symlink,symlinkat,unlink,unlinkat,"
    "rename,renameat,renameat2,mkdir,mkdirat,rmdir,chmod,fchmod,fchmodat,utimensat"
)


@dataclass
class Stage:
    """A folder that is set up again before each round, at the same place: worktrees know it."""

    folder: Path
    kept: Path = field(init=False)

    def __post_init__(self) -> None:
        self.kept = self.folder.with_name(f"{self.folder.name}.kept")
        shutil.copytree(self.folder, self.kept, symlinks=True)

    def again(self) -> None:
        """Bring the folder back to what it was."""
        shutil.rmtree(self.folder)
        shutil.copytree(self.kept, self.folder, symlinks=True)


@dataclass
class Tally:
    """How the rounds of one kind ended, by a word for each state that was found."""

    kind: str
    states: dict[str, int] = field(default_factory=dict)

    def count(self, state: str) -> None:
        """Count one round."""
        self.states[state] = self.states.get(state, 0) + 1

    def show(self) -> None:
        """Print one line, for ``pytest -rP``."""
        total = sum(self.states.values())
        found = ", ".join(f"{number} {state}" for state, number in sorted(self.states.items()))
        print(f"KILLED {self.kind}: {total} ({found})")


def at_random(repo: Repo, command: str, stage: Stage, rounds: int = ROUNDS) -> Iterator[bool]:
    """Run a shell line again and again, killed at random moments; yield whether it was."""
    chance = random.Random(command)  # noqa: S311  # the same moments each time
    started = time.monotonic()
    killed(repo, command, 60)
    lasts = time.monotonic() - started
    for _ in range(rounds):
        stage.again()
        yield killed(repo, command, chance.uniform(*BUSY) * lasts)


def killed(repo: Repo, command: str, seconds: float) -> bool:
    """Run a shell line in a process group of its own; kill all of it after so long."""
    child = subprocess.Popen(
        ["sh", "-c", command],
        cwd=repo.path,
        env=dict(repo.env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        child.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        _gone(child.pid)
        return True
    return False


def _gone(group: int) -> None:
    """Wait until nobody of a process group is left: orphans are reaped by somebody else."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)


def at_every_call(
    repo: Repo, argv: Sequence[str], stage: Stage, points: int | None = None
) -> Iterator[int]:
    """Run a command again and again, killed by strace at its N-th call that changes a disk.

    With `points`, at so many calls, evenly spread; otherwise at each one. The first run, which is
    not killed, only lists them. strace counts the calls of each name apart.
    """
    log = stage.folder.with_name("strace.log")
    assert _traced(repo, argv, ("-o", str(log), "-e", f"trace={CHANGING}")) == 0
    with open(log, encoding="utf-8", errors="replace") as file:
        names = [line.partition("(")[0] for line in file if "(" in line]
    calls = [(name, names[: at + 1].count(name)) for at, name in enumerate(names)]
    step = 1 if points is None else max(1, len(calls) // points)
    for name, number in calls[::step]:
        stage.again()
        inject = f"inject={name}:signal=KILL:when={number}"
        if _traced(repo, argv, ("-o", os.devnull, "-e", inject)):
            yield number


def _traced(repo: Repo, argv: Sequence[str], options: Sequence[str]) -> int:
    done = subprocess.run(
        ["strace", "-qq", *options, *argv],
        cwd=repo.path,
        env=dict(repo.env),
        capture_output=True,
        check=False,
    )
    return done.returncode
