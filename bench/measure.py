"""Timing shared by the benches: interleaved rounds, medians, ratios with their spread."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import sysconfig
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path


# Linux counts to a child what its parent held when it started it, so a small one has to start it.
_METER = """
import os, sys
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, usage = os.wait4(child, 0)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))
sys.exit(os.waitstatus_to_exitcode(status))
"""


class Ratio(NamedTuple):
    """One promise: `what` was measured, median ratio with lowest and highest round, its `bound`."""

    what: str
    median: float
    low: float
    high: float
    bound: float | None = None

    def line(self) -> str:
        """Return the promise as one line of the report."""
        verdict = (
            ""
            if self.bound is None
            else f"  ≤ {self.bound:g} " + ("kept" if self.median <= self.bound else "MISSED")
        )
        return f"{self.what:<58} {self.median:6.2f}× ({self.low:.2f}–{self.high:.2f}){verdict}"


def resident(argv: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None) -> int:
    """Return the most bytes that a command, or a child it waits for, holds in memory.

    Raises:
        subprocess.CalledProcessError: the command failed.
    """
    return cost(argv, cwd, env)[1]


def cost(argv: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None) -> tuple[float, int]:
    """Return CPU seconds of a command and all that it waits for, and the most bytes one held.

    Raises:
        subprocess.CalledProcessError: the command failed.
    """
    meter = [os.path.realpath(sys.executable), "-I", "-S", "-c", _METER, *argv]
    told = subprocess.run(meter, cwd=cwd, env=env, check=True, capture_output=True).stdout.split()
    return float(told[0]), int(told[1])


def scratch(path: Path) -> dict[str, str]:
    """Make an empty repository at `path`, and return the environment to use it in."""
    env = {
        "PATH": f"{sysconfig.get_path('scripts')}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(path.parent),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    path.mkdir()
    for words in ("init -q -b main", "config user.name Ada", "config user.email a@example.com"):
        subprocess.run(["git", *words.split()], cwd=path, env=env, check=True)
    return env


def interleaved(
    sides: Mapping[str, Callable[[], object]], rounds: int, warmup: int = 1
) -> dict[str, list[float]]:
    """Return the seconds of each side in each round; the sides take turns within a round."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(warmup + rounds):
        for name, act in sides.items():
            begin = time.perf_counter()
            act()
            if number >= warmup:
                times[name].append(time.perf_counter() - begin)
    return times


def ratio(what: str, ours: list[float], base: list[float], bound: float | None = None) -> Ratio:
    """Return the ratio of medians, with the lowest and highest ratio of a single round."""
    rounds = [a / b for a, b in zip(ours, base, strict=True)]
    median = statistics.median(ours) / statistics.median(base)
    return Ratio(what, median, min(rounds), max(rounds), bound)


def report(rows: list[Ratio]) -> None:
    """Print the promises, a line each."""
    for row in rows:
        sys.stdout.write(row.line() + "\n")
        sys.stdout.flush()
