"""What the board's tests share: pinned workers, their processes, and JSON answers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coord.cli import slumber

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harness.repo import Repo

MARK = "COORD_TEST_MARK"


def worker(repo: Repo, path: Path, branch: str, actor: str) -> Repo:
    """Return a new linked worktree with its own pinned worker."""
    done = repo.coord("worktree", "add", str(path), "-b", branch, "--actor", actor)
    assert done.code == 0, done.err
    return repo.at(path)


def silence(repo: Repo, seconds: float) -> None:
    """Set all signs of life of a worktree back, as if nobody had been there for so long."""
    then = time.time() - seconds
    sessions = (path for path in repo.private("coord-sessions").rglob("*") if path.is_file())
    for path in (repo.private("coord-seen"), *sessions):
        if path.exists():
            os.utime(path, (then, then))


def answer(repo: Repo, *args: str, code: int = 0) -> dict[str, Any]:
    """Run ``git coord … --json``, insist on its exit code, return the document."""
    done = repo.coord(*args, "--json")
    assert done.code == code, f"exit {done.code}\n{done.out}\n{done.err}"
    document: dict[str, Any] = json.loads(done.out)
    assert document["schema"] == 1
    return document


def scope(repo: Repo, name: str) -> dict[str, Any]:
    """Return the row of one scope on the board."""
    rows = answer(repo, "board")["claims"]
    found: dict[str, Any] = next(row for row in rows if row["scope"] == name)
    return found


def actor(repo: Repo, name: str) -> dict[str, Any]:
    """Return the entry of one actor on the roll."""
    listed = answer(repo, "board")["actors"]
    found: dict[str, Any] = next(entry for entry in listed if entry["actor"] == name)
    return found


def eventually(test: Callable[[], object], seconds: float = 60) -> bool:
    """Tell whether `test` comes true in time, of which a busy machine may take much."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if test():
            return True
        time.sleep(0.05)
    return False


def asleep(pid: int) -> bool:
    """Tell whether a process, or one below it, is a wait that is sure to last (Linux)."""
    try:
        if slumber.CODE.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
            return True
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return False
    return any(asleep(int(child)) for child in below)


SESSION = ("git-coord", "session", "--")

# A worker as a harness starts one: it runs commands, and lives on between them.
_WORKER = """
import subprocess, sys, time
for line in sys.stdin:
    done = subprocess.run(line, shell=True, capture_output=True, text=True)
    print(repr((done.returncode, done.stdout, done.stderr)), flush=True)
"""


class Live:
    """A living worker process in a worktree, told what to run.

    `program` is a Python; by a link of another name it is an agent of that name.
    """

    def __init__(self, repo: Repo, program: str, before: tuple[str, ...] = ()) -> None:
        self.mark = uuid.uuid4().hex
        self.process = subprocess.Popen(
            [*before, program, "-c", _WORKER],
            cwd=repo.path,
            env={**repo.env, MARK: self.mark},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def run(self, line: str) -> tuple[int, str, str]:
        """Run a shell line to its end and return (status, stdout, stderr)."""
        self.start(line)
        assert self.process.stdout is not None
        found: tuple[int, str, str] = eval(self.process.stdout.readline())  # noqa: S307  # ours
        return found

    def start(self, line: str) -> None:
        """Run a shell line without waiting for it."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def kill(self) -> None:
        """End the worker alone with SIGKILL: its children are left to themselves."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        """End the worker as its session does: what is left of it is waited for."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()

    def children(self) -> list[int]:
        """Return the processes that came of this worker, and are still there."""
        return [pid for pid in marked(self.mark) if pid != self.process.pid]


@contextmanager
def living(
    repo: Repo, program: str = sys.executable, before: tuple[str, ...] = ()
) -> Iterator[Live]:
    """Start a worker, by a command `before` it, and at the end leave no process of it behind."""
    live = Live(repo, program, before)
    try:
        yield live
    finally:
        for pid in marked(live.mark):
            os.kill(pid, signal.SIGKILL)
        live.process.wait()
        for stream in (live.process.stdin, live.process.stdout):
            if stream is not None:
                stream.close()


def marked(mark: str) -> list[int]:
    """Return the processes that have `mark` in their environment (Linux)."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    if f"{MARK}={mark}".encode() in file.read().split(b"\0"):
                        found.append(int(name))
            except OSError:
                continue
    return found
