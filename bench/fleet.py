"""What the fleet's habits cost, and whether they hold.

The mirror of a million moves; sixteen processes that ship at once; where twenty workers are sent
that wake together.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from coord.cli.main import main as git_coord
from coord.fleet.ledger import Move, header, line, parsed
from coord.settings import config
from measure import interleaved, scratch

RECORDS, ROUNDS = 1_000_000, 15
PROCESSES, EACH = 16, 100
WAKERS, LANES = 20, ("social", "docs", "care")


class Repo:
    """A scratch repository, used by commands."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.env = scratch(path)
        self.run("git", "commit", "-q", "--allow-empty", "-m", "start")
        self.run("git", "coord", "pin", "--actor", "ada")

    def run(self, *argv: str, cwd: Path | None = None) -> str:
        """Run a command and return what it printed."""
        done = subprocess.run(
            argv, cwd=cwd or self.path, env=self.env, check=True, capture_output=True, text=True
        )
        return done.stdout

    def ledger(self, records: int, kinds: tuple[str, ...]) -> int:
        """Write a ledger of so many moves, of all `kinds` by turns; return its size."""
        path = self.path / config.MOVES
        path.parent.mkdir(exist_ok=True)
        with path.open("wb") as file:
            file.write(header(Move))
            for number in range(records):
                at = f"2026-01-{number * 28 // records + 1:02d}T{number % 24:02d}:00:00.000000Z"
                kind = kinds[number % len(kinds)]
                move = Move(at, "ada", "0f25582c", kind, "", "", "what was done", f"{number:08x}")
                file.write(line(move))
        return path.stat().st_size


def say(what: str, figures: str) -> None:
    """Print one line of the report."""
    sys.stdout.write(f"{what:<52} {figures}\n")
    sys.stdout.flush()


def kept(*, promise: bool) -> str:
    """Return the verdict on a promise."""
    return "kept" if promise else "MISSED"


def mirror(folder: Path) -> None:
    """Print what the mirror of a long ledger costs over that of a short one."""
    warm, cold, short = (Repo(folder / name) for name in ("warm", "cold", "short"))
    size = warm.ledger(RECORDS, config.KINDS)
    cold.ledger(RECORDS, config.KINDS[:-1])  # one kind is looked for as far back as it goes
    short.ledger(12, config.KINDS)
    sides = {"warm": warm, "cold": cold, "short": short}
    times = interleaved(
        {name: lambda repo=repo: repo.run("git-coord", "mirror") for name, repo in sides.items()},
        ROUNDS,
    )
    base = statistics.median(times["short"])
    say(f"git coord mirror of {RECORDS} moves, {size >> 20} MiB", f"start-up {base * 1e3:.0f} ms")
    for name, what in (("warm", "every kind shipped lately"), ("cold", "one kind never shipped")):
        over = statistics.median(times[name]) - base
        verdict = kept(promise=over <= 0.05)
        say(f"  {what}", f"{over * 1e3:+6.1f} ms over start-up  ≤ 50 ms {verdict}")


def ships(folder: Path) -> None:
    """Print how many whole records sixteen processes leave that all ship at once."""
    repo = Repo(folder / "ships")
    context = multiprocessing.get_context("fork")
    racers = [context.Process(target=_ship, args=(repo, number)) for number in range(PROCESSES)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    first, *lines = (repo.path / config.MOVES).read_bytes().split(b"\n")
    whole = {parsed(each, Move) for each in lines} - {None}
    right = first + b"\n" == header(Move) and len(whole) == len(lines) - 1 == PROCESSES * EACH
    say(
        f"{PROCESSES} processes ship {EACH} moves each",
        f"{len(whole)} whole records of {len(lines) - 1} lines, one header {kept(promise=right)}",
    )


def _ship(repo: Repo, number: int) -> None:
    """Run ``git coord ship`` again and again in this process: all of it but the start-up."""
    os.chdir(repo.path)
    os.environ.update(repo.env)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    for count in range(EACH):
        git_coord(["ship", "new", f"{number} {count}"], standalone_mode=False)


def wakes(folder: Path) -> None:
    """Print where twenty workers are sent that wake at the same moment, three lanes overdue."""
    repo = Repo(folder / "wakes")
    text = "".join(f'[lane.{name}]\nevery = "1d"\n' for name in LANES)
    (repo.path / config.FILE).write_text(text)
    repo.run("git", "add", "-A")
    repo.run("git", "commit", "-q", "-m", "lanes")
    homes = [folder / f"w{number}" for number in range(WAKERS)]
    for number, home in enumerate(homes):
        words = ("add", str(home), "-b", f"b{number}", "--actor", f"w-{number:04x}")
        repo.run("git", "coord", "worktree", *words)
    started = [
        subprocess.Popen(
            ["git", "coord", "wake", "--no-stagger", "--json"],
            cwd=home,
            env=repo.env,
            stdout=subprocess.PIPE,
        )
        for home in homes
    ]
    counts = Counter(json.loads(one.communicate()[0])["suggestion"]["name"] for one in started)
    sent = ", ".join(f"{name} {counts[name]}" for name in LANES)
    right = set(counts) == set(LANES)
    say(f"{WAKERS} wakes, {len(LANES)} overdue lanes", f"sent to: {sent}  {kept(promise=right)}")


def main() -> None:
    """Print the promises."""
    with tempfile.TemporaryDirectory(prefix="coord-bench-") as name:
        mirror(Path(name))
        ships(Path(name))
        wakes(Path(name))


if __name__ == "__main__":
    main()
