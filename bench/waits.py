"""What waiting costs: a hundred idle waits together, and how soon one sees an offer or a release.

``python bench/waits.py [WAITS] [ROUNDS]``: 100 waits, 10 rounds by default. Memory is PSS (shared
pages count for each their part), of Python and of the ``git`` that started it. That there is no
inotify is played by a user namespace that grants none. On a busy machine: ``chrt -f 5 python …``.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from coord.board import claims
from coord.cli import slumber
from coord.stores.directory import Directory
from measure import scratch

if TYPE_CHECKING:
    from collections.abc import Sequence

WAITS, ROUNDS, IDLE = 100, 10, 10.0
CPU, MEMORY = 5.0, 6.0  # percent of one core together, MB each
_WITHOUT = "echo 0 > /proc/sys/user/max_inotify_instances; exec git coord wait x --timeout 60s"
WAYS = {
    "inotify": (0.1, ("git", "coord", "wait", "x", "--timeout", "60s")),
    "polling": (0.25, ("unshare", "-U", "-r", "sh", "-c", _WITHOUT)),
}


class Fleet(NamedTuple):
    """A repository with a holder and one who waits."""

    env: dict[str, str]
    holder: Path
    waiter: Path

    def coord(self, who: Path, *words: str) -> str:
        """Run ``git coord`` as `who` and return its answer."""
        done = subprocess.run(
            ["git", "coord", *words], cwd=who, env=self.env, check=True, capture_output=True
        )
        return done.stdout.decode()

    def start(self, argv: Sequence[str]) -> subprocess.Popen[bytes]:
        """Start a wait, and return it once it sleeps."""
        wait = subprocess.Popen(
            argv, cwd=self.waiter, env=self.env,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        while not any(map(is_asleep, family(wait.pid))):
            time.sleep(0.01)
        return wait


def main() -> None:
    """Print each promise with what was measured."""
    waits, rounds = (int(word) for word in [*sys.argv[1:], WAITS, ROUNDS][:2])
    with tempfile.TemporaryDirectory() as folder:
        fleet = made(Path(folder))
        crowd(fleet, waits)
        for way, (bound, argv) in WAYS.items():
            for what in ("release", "handoff"):
                seconds = [seen(fleet, way, argv, what) for _ in range(rounds)]
                told(way, what, seconds, bound)


def made(folder: Path) -> Fleet:
    """Make the repository."""
    path = folder / "repo"
    env = scratch(path)
    fleet = Fleet(env, path, folder / "w")
    subprocess.run(
        ["git", "commit", "-q", "--allow-empty", "-m", "x"], cwd=path, env=env, check=True
    )
    subprocess.run(["coord-install"], cwd=path, env=env, check=True, capture_output=True)
    fleet.coord(path, "pin", "--actor", "r-0001")
    fleet.coord(path, "worktree", "add", str(fleet.waiter), "-b", "w", "--actor", "w-0001")
    return fleet


def crowd(fleet: Fleet, waits: int) -> None:
    """Measure many waits while nothing happens."""
    fleet.coord(fleet.holder, "claim", "x")
    fleet.coord(fleet.waiter, "claim", "x")
    argv = ("git", "coord", "wait", "x", "--timeout", "1h")
    running = [fleet.start(argv) for _ in range(waits)]
    pids = [pid for wait in running for pid in family(wait.pid)]
    time.sleep(1)
    before, begin = sum(map(ticks, pids)), time.monotonic()
    time.sleep(IDLE)
    spent = (sum(map(ticks, pids)) - before) / os.sysconf("SC_CLK_TCK")
    percent = spent / (time.monotonic() - begin) * 100
    each = sum(map(memory, pids)) / waits / 1e6
    say(
        f"{waits} idle waits, {len(pids)} processes",
        f"{percent:5.2f} % of a core {kept(percent <= CPU)}   "
        f"{each:5.2f} MB each {kept(each <= MEMORY)}",
    )
    begin = time.monotonic()
    fleet.coord(fleet.holder, "release", "x")
    for wait in running:
        wait.wait()
    say("  all of them woken by one release", f"{time.monotonic() - begin:5.2f} s")
    fleet.coord(fleet.waiter, "release", "x")


def seen(fleet: Fleet, way: str, argv: Sequence[str], what: str) -> float:
    """Return the seconds from the record of a release or an offer to the end of the wait for it.

    Raises:
        ValueError: the kernel tells a wait that is to poll, or does not tell the other.
    """
    fleet.coord(fleet.holder, "claim", "x")
    fleet.coord(fleet.waiter, "claim", "x")
    wait = fleet.start(argv)
    time.sleep(0.3)
    if any(map(is_told, family(wait.pid))) != (way == "inotify"):
        raise ValueError(way)
    words = ["release", "x"] if what == "release" else ["handoff", "w-0001", "--scope", "x"]
    act = subprocess.Popen(
        ["git", "coord", *words], cwd=fleet.holder, env=fleet.env,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    wait.wait()
    ended = time.time()
    act.wait()
    store = Directory(str(fleet.holder / ".git" / "coord" / "board"))
    newest = claims.history(store, "task:x")[-1]
    rec = store.read(f"claims/s-task=3ax/{newest.seq:08d}")
    if what == "handoff":
        fleet.coord(fleet.holder, "release", "x")
    fleet.coord(fleet.waiter, "release", "x")
    return ended - (rec.at or 0.0) if rec is not None else float("inf")


def told(way: str, what: str, seconds: list[float], bound: float) -> None:
    """Print how soon waits ended."""
    middle, worst = statistics.median(seconds), max(seconds)
    say(
        f"a {what} ends the wait for it, {way}",
        f"median {middle * 1e3:4.0f} ms ({min(seconds) * 1e3:.0f}–{worst * 1e3:.0f})"
        f"   ≤ {bound * 1e3:.0f} {kept(middle <= bound)}",
    )


def family(pid: int) -> list[int]:
    """Return a process and all that came of it."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            below = [int(word) for word in file.read().split()]
    except OSError:
        return []
    return [pid, *(one for child in below for one in family(child))]


def is_asleep(pid: int) -> bool:
    """Tell whether a process is a wait that has become the small program."""
    try:
        return slumber.CODE.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def is_told(pid: int) -> bool:
    """Tell whether the kernel tells a process of new files."""
    folder = f"/proc/{pid}/fd"
    return any("inotify" in os.readlink(f"{folder}/{fd}") for fd in os.listdir(folder))


def ticks(pid: int) -> int:
    """Return the processor time of a process, in clock ticks."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2].split()
    return int(fields[11]) + int(fields[12])


def memory(pid: int) -> int:
    """Return the PSS of a process in bytes."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def kept(promise: object) -> str:
    """Return the verdict on a promise."""
    return "kept" if promise else "MISSED"


def say(what: str, figures: str) -> None:
    """Print one line of the report."""
    sys.stdout.write(f"{what:<46} {figures}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    main()
