"""What the board costs: racing claims, one claim, one command, and ten thousand scopes at once.

The store is compared with what one would use instead, in the same run: SQLite, a transaction a
record (``BEGIN IMMEDIATE``), and one JSON file under ``filelock``. Each promise is printed with
what was measured; nothing is compared across runs.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sqlite3
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from coord.board import claims, events
from coord.board.events import Place
from coord.identity.pin import now
from coord.identity.whoami import Identity
from coord.stores.directory import Directory
from measure import interleaved, ratio, report, resident

if TYPE_CHECKING:
    from collections.abc import Callable

RACERS, KEYS, ALONE, SCOPES, ROUNDS = 50, 200, 500, 10_000, 15
# The whole JSON file is written at each create, so its race is cut to end within the minute.
SLOW_KEYS = 20
NOTE = b"x" * 200


class Engine(Protocol):
    """A way of creating a record once."""

    def create(self, key: str, value: bytes) -> bytes:
        """Create `key` unless it exists; return the value that is there then."""


class Files:
    """The directory store."""

    def __init__(self, folder: str) -> None:
        self._store = Directory(os.path.join(folder, "board"))

    def create(self, key: str, value: bytes) -> bytes:
        """Create by temp, fsync, link."""
        return self._store.create(f"claims/s-{key}/00000001", value).value


class Database:
    """SQLite as one would set it up to lose nothing: WAL and full synchronisation."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, "board.sqlite")
        self._open: sqlite3.Connection | None = None

    def create(self, key: str, value: bytes) -> bytes:
        """Create in a transaction that takes the write lock first."""
        base = self._connected()
        base.execute("BEGIN IMMEDIATE")
        base.execute("INSERT OR IGNORE INTO record VALUES (?, ?)", (key, value))
        (found,) = base.execute("SELECT value FROM record WHERE key = ?", (key,)).fetchone()
        base.execute("COMMIT")
        return bytes(found)

    def _connected(self) -> sqlite3.Connection:
        if self._open is None:
            self._open = sqlite3.connect(self._path, timeout=600, isolation_level=None)
            self._open.execute("PRAGMA journal_mode = WAL")
            self._open.execute("PRAGMA synchronous = FULL")
            self._open.execute("CREATE TABLE IF NOT EXISTS record (key PRIMARY KEY, value)")
        return self._open


class LockedFile:
    """One JSON file, rewritten under filelock."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, "board.json")

    def create(self, key: str, value: bytes) -> bytes:
        """Create by reading and writing the whole file."""
        from filelock import FileLock  # noqa: PLC0415  # the extra `bench`

        with FileLock(f"{self._path}.lock"):
            known = self._read()
            if key not in known:
                known[key] = value.decode()
                with open(f"{self._path}.tmp", "w", encoding="utf-8") as file:
                    json.dump(known, file)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(f"{self._path}.tmp", self._path)
            return known[key].encode()

    def _read(self) -> dict[str, str]:
        try:
            with open(self._path, encoding="utf-8") as file:
                found: dict[str, str] = json.load(file)
                return found
        except FileNotFoundError:
            return {}


ENGINES: dict[str, Callable[[str], Engine]] = {
    "board (files)": Files,
    "SQLite BEGIN IMMEDIATE": Database,
    "filelock + JSON": LockedFile,
}


class Attempt(NamedTuple):
    """One create of a racer."""

    key: str
    mine: bytes
    got: bytes
    seconds: float


def spread(seconds: list[float]) -> str:
    """Return p50 and p99 in milliseconds."""
    cuts = sorted(seconds)
    p50, p99 = statistics.median(cuts), cuts[int(len(cuts) * 0.99) - 1]
    return f"p50 {p50 * 1e3:8.2f} ms   p99 {p99 * 1e3:8.2f} ms"


def say(what: str, figures: str) -> None:
    """Print one line of the report."""
    sys.stdout.write(f"{what:<40} {figures}\n")
    sys.stdout.flush()


def kept(*, promise: bool, text: str) -> str:
    """Return a promise with its verdict."""
    return f"  {text} {'kept' if promise else 'MISSED'}"


def race(engine: Callable[[str], Engine], folder: str, keys: int) -> tuple[list[Attempt], float]:
    """Let all racers create the same keys at once; return every attempt, and how long it took."""
    context = multiprocessing.get_context("fork")
    start, results = context.Barrier(RACERS + 1), context.SimpleQueue()

    def body(number: int) -> None:
        one, found = engine(folder), []
        start.wait()
        try:
            for key in range(keys):
                mine = b"%d %s %s" % (number, os.urandom(8).hex().encode(), NOTE)
                begin = time.perf_counter()
                got = one.create(str(key), mine)
                found.append(Attempt(str(key), mine, got, time.perf_counter() - begin))
        finally:
            results.put(found)  # an engine that gave up ("database is locked") ends no bench

    racers = [context.Process(target=body, args=(number,)) for number in range(RACERS)]
    for racer in racers:
        racer.start()
    start.wait()
    begin = time.perf_counter()
    attempts = [attempt for _ in racers for attempt in results.get()]
    took = time.perf_counter() - begin
    for racer in racers:
        racer.join()
    return attempts, took


def races() -> None:
    """Print who won: one a key, and nobody read an empty record."""
    say(f"{RACERS} processes race for the same keys", "")
    for name, engine in ENGINES.items():
        keys = SLOW_KEYS if engine is LockedFile else KEYS
        with tempfile.TemporaryDirectory() as folder:
            attempts, took = race(engine, folder, keys)
        winners = {(attempt.key, attempt.mine) for attempt in attempts if won(attempt)}
        empty = sum(not attempt.got for attempt in attempts)
        right = len(winners) == len({key for key, _ in winners}) == keys and not empty
        verdict = kept(promise=right, text="one winner a key, 0 empty reads")
        times = spread([attempt.seconds for attempt in attempts])
        say(f"  {name}", f"{times}   {len(attempts) / took:7.0f}/s, {keys} keys{verdict}")


def won(attempt: Attempt) -> bool:
    """Tell whether the record is the racer's own."""
    return attempt.got == attempt.mine


def alone() -> None:
    """Print what one create costs in one process, engines taking turns."""
    say("one process, create of 200 bytes", "")
    with tempfile.TemporaryDirectory() as folder:
        sides = {name: engine(folder) for name, engine in ENGINES.items()}
        number = iter(range(10**9))
        times = interleaved(
            {
                name: lambda one=one: one.create(str(next(number)), NOTE)
                for name, one in sides.items()
            },
            ALONE,
        )
        times["one write and fsync, for scale"] = [_synced(folder, n) for n in range(ALONE)]
        times["whole claim, decided and published"] = [_claimed(folder, n) for n in range(ALONE)]
    for name, seconds in times.items():
        bound = statistics.median(seconds) <= 0.001
        text = kept(promise=bound, text="p50 ≤ 1 ms") if name in list(ENGINES)[:1] else ""
        say(f"  {name}", spread(seconds) + text)


def _synced(folder: str, number: int) -> float:
    fd = os.open(os.path.join(folder, f"synced-{number}"), os.O_WRONLY | os.O_CREAT)
    os.write(fd, NOTE)
    begin = time.perf_counter()
    os.fsync(fd)
    took = time.perf_counter() - begin
    os.close(fd)
    return took


def _claimed(folder: str, number: int) -> float:
    begin = time.perf_counter()
    claim(Directory(os.path.join(folder, "claimed")), f"task:{number}", f"i-{number % 40}")
    return time.perf_counter() - begin


def claim(store: Directory, scope: str, instance: str) -> None:
    """Claim `scope` in process."""
    me = Identity(f"worker-{instance}", instance, "pinned", 2)
    mine = Place(me.actor, instance, f"feat-{instance}", now(), intent="why")
    claims.change(store, scope, me, lambda at: events.joined(at, mine, lambda _: False))


class Scratch:
    """A repository with two pinned workers, in a clean environment."""

    def __init__(self, folder: str) -> None:
        self.path = Path(folder, "r")
        self.env = {
            "PATH": f"{sysconfig.get_path('scripts')}:/usr/local/bin:/usr/bin:/bin",
            "HOME": folder,
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        self.path.mkdir()
        for words in ("init -q -b main", "config user.name Ada", "config user.email a@example.com"):
            self.run("git", *words.split())
        self.run("git", "commit", "-q", "--allow-empty", "-m", "start")
        self.run("git", "coord", "worktree", "add", "../w", "-b", "feat", "--actor", "w-0001")
        self.run("git", "coord", "pin", "--actor", "r-0001")

    def run(self, *argv: str) -> None:
        """Run a command in the main worktree and insist on success."""
        subprocess.run(argv, cwd=self.path, env=self.env, check=True, capture_output=True)

    def peak(self, *argv: str) -> float:
        """Return the peak memory of a command in mebibytes."""
        return resident(argv, self.path, self.env) / 2**20


def commands() -> None:
    """Print what a claim costs as a command, beside the least a click program can cost."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Scratch(folder)
        number = iter(range(10**9))
        times = interleaved(
            {
                "click": lambda: scratch.run(sys.executable, "-c", "import click"),
                "own": lambda: scratch.run("git-coord", "claim", f"n{next(number)}"),
                "new": lambda: scratch.run("git", "coord", "claim", f"n{next(number)}"),
                "again": lambda: scratch.run("git", "coord", "claim", "n0"),
            },
            ROUNDS,
        )
    report(
        [
            ratio("git-coord claim, beside import click", times["own"], times["click"], 2.0),
            ratio("git coord claim, beside import click", times["new"], times["click"], 2.0),
            ratio("the same claim again", times["again"], times["click"], 2.0),
        ]
    )


def crowd() -> None:
    """Print what a board of ten thousand scopes costs to show."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Scratch(folder)
        store = Directory(str(scratch.path / ".git" / "coord" / "board"))
        sync, os.fsync = os.fsync, lambda _: None  # type: ignore[assignment]  # only to set it up
        for number in range(SCOPES):
            claim(store, f"task:number {number}", f"i-{number % 40}")
        os.fsync = sync
        times = interleaved(
            {
                "text": lambda: scratch.run("git", "coord", "board"),
                "json": lambda: scratch.run("git", "coord", "board", "--json"),
                "wait": lambda: scratch.run("git", "coord", "claim", "one more"),
            },
            5,
        )
        peak = scratch.peak("git-coord", "board", "--json")
    say(f"a board of {SCOPES} scopes", f"peak memory {peak:.0f} MiB")
    for name, text in (("text", "git coord board"), ("json", "git coord board --json")):
        verdict = kept(promise=statistics.median(times[name]) <= 0.5, text="≤ 0.5 s")
        say(f"  {text}", f"{statistics.median(times[name]):.2f} s{verdict}")
    say("  git coord claim there", f"{statistics.median(times['wait']):.2f} s")


def main() -> None:
    """Print the promises."""
    alone()
    races()
    commands()
    crowd()


if __name__ == "__main__":
    main()
