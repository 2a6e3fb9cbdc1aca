"""What a merge order costs: to compute, and as a command that reads the board and asks git.

Each branch claims five artifacts, each artifact is claimed by five branches in line, and every
branch has a commit of its own. Twice as many branches should cost about twice as much.
"""

from __future__ import annotations

import itertools
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from coord.board import done, eventjson
from coord.board.events import Event, Place, State
from coord.order.arrange import FINISHED, RUNNING, Candidate, arranged
from coord.stores import keys
from coord.stores.directory import Directory
from measure import interleaved, scratch

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = (2_500, 5_000, 10_000)
WIDTH = 5
SINCE = "2026-01-01T00:00:00.000000Z"


def footprints(count: int) -> dict[str, list[str]]:
    """Return the artifacts of each branch: five of as many as there are branches."""
    chance = random.Random(count)
    artifacts = [f"gen/{number % 100}/{number}.json" for number in range(count)] * WIDTH
    chance.shuffle(artifacts)
    return {
        f"feat/{number}": sorted(set(artifacts[number * WIDTH : (number + 1) * WIDTH]))
        for number in range(count)
    }


def lines(prints: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the line of each artifact: whoever claims first stands first."""
    found: dict[str, list[str]] = {}
    for branch, artifacts in prints.items():
        for artifact in artifacts:
            found.setdefault(artifact, []).append(branch)
    return found


def computed(count: int) -> float:
    """Return the seconds that the order of `count` branches takes, in process."""
    prints = footprints(count)
    branches = [
        Candidate(name, RUNNING if number % 4 == 3 else FINISHED, tuple(artifacts), SINCE)
        for number, (name, artifacts) in enumerate(prints.items())
    ]
    queues = list(lines(prints).values())
    begin = time.perf_counter()
    answer = arranged(branches, queues)
    took = time.perf_counter() - begin
    if len(answer.order) != count:
        raise AssertionError(len(answer.order))
    return took


class Crowd:
    """A repository with `count` branches, all claimed, three in four of them finished."""

    def __init__(self, path: Path, count: int) -> None:
        self.path = path
        self.env = scratch(path)
        prints = footprints(count)
        stream = b"".join(part.encode() for part in _history(prints))
        subprocess.run(
            ["git", "fast-import", "--quiet"], cwd=path, env=self.env, input=stream, check=True
        )
        self.run("git", "reset", "-q", "--hard")
        self.run("git", "pack-refs", "--all")
        tips = self.run("git", "for-each-ref", "--format=%(refname:short) %(objectname)")
        self._claim(prints, dict(line.split(" ") for line in tips.splitlines()))
        self.run("git-coord", "merge-order")  # pins nothing, but warms the files

    def run(self, *argv: str) -> str:
        """Run a command and insist on success."""
        ended = subprocess.run(
            argv, cwd=self.path, env=self.env, check=True, capture_output=True, text=True
        )
        return ended.stdout

    def _claim(self, prints: dict[str, list[str]], tips: dict[str, str]) -> None:
        store = Directory(str(self.path / ".git" / "coord" / "board"))
        sync, os.fsync = os.fsync, lambda _: None  # type: ignore[assignment]  # only to set it up
        for number, branch in enumerate(prints):
            state = State(1, (_place(branch),))
            if number % 4 != 3:
                state = state._replace(finished_at=SINCE, finished_tip=tips[branch])
            _publish(store, done.scope_of(branch), state)
        for artifact, line in lines(prints).items():
            _publish(store, f"artifact:{artifact}", State(1, tuple(map(_place, line))))
        os.fsync = sync


def _place(branch: str) -> Place:
    return Place("worker", f"instance-{branch}", branch, SINCE)


def _publish(store: Directory, scope: str, state: State) -> None:
    event = Event(1, os.urandom(8).hex(), None, "claim", scope, "worker", "i", SINCE, state)
    store.create(keys.event(keys.claim(scope), 1), eventjson.encode(event))


def _history(prints: dict[str, list[str]]) -> Iterator[str]:
    """Yield a fast-import stream: a base with all artifacts, and one commit a branch."""
    who = "committer Ada <a@example.com> 1700000000 +0000\ndata 1\nx\n"
    yield "blob\nmark :1\ndata 2\n0\n\nblob\nmark :2\ndata 2\n1\n\n"
    yield f"commit refs/heads/main\nmark :3\n{who}"
    yield from (f"M 100644 :1 {path}\n" for path in sorted(set(itertools.chain(*prints.values()))))
    for branch, artifacts in prints.items():
        yield f"\ncommit refs/heads/{branch}\n{who}from :3\n"
        yield from (f"M 100644 :2 {path}\n" for path in artifacts)


def say(what: str, seconds: float, bound: float | None = None) -> None:
    """Print one line of the report."""
    verdict = "" if bound is None else f"  ≤ {bound:g} s {'kept' if seconds <= bound else 'MISSED'}"
    sys.stdout.write(f"{what:<58} {seconds:6.2f} s{verdict}\n")
    sys.stdout.flush()


def grown(what: str, seconds: dict[int, float]) -> None:
    """Print how the time grew from the smallest to the largest size, as a power of the size."""
    first, last = min(seconds), max(seconds)
    times, sizes = seconds[last] / seconds[first], last / first
    sys.stdout.write(f"{what:<58} {times:6.2f}× for {sizes:g}× the branches\n")


def main(scale: float) -> None:
    """Print the promises; a smaller `scale` takes fewer branches."""
    sizes = [max(4, round(size * scale)) for size in SIZES]
    order = {size: statistics.median(computed(size) for _ in range(5)) for size in sizes}
    for size, seconds in order.items():
        say(f"the order of {size} branches × {WIDTH} artifacts", seconds, 1.0)
    grown("  growth", order)
    with tempfile.TemporaryDirectory(prefix="coord-bench-") as folder:
        crowds = {size: Crowd(Path(folder) / str(size), size) for size in sizes}
        times = interleaved(
            {
                str(size): lambda one=crowd: one.run("git-coord", "merge-order", "--json")
                for size, crowd in crowds.items()
            },
            3,
        )
    command = {size: statistics.median(times[str(size)]) for size in sizes}
    for size, seconds in command.items():
        say(f"git coord merge-order, {size} branches, {2 * size} scopes", seconds)
    grown("  growth", command)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
