"""What a board answers like that has lived a year and was swept: ``python bench/year.py [PART]``.

A million events of 50,000 scopes, 100,000 messages, 5,000 workers whose worktrees are gone, or a
part of that, by default a tenth. They are written in the store's own format, without waiting for
the disk, and aged.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from coord.board import actors, eventjson, inbox, keys, messages
from coord.board.directory import Directory
from coord.board.events import Event, Place, State
from coord.board.messages import Message, Party
from coord.identity import pin
from coord.liveness import clone
from measure import interleaved, ratio, report, scratch

if TYPE_CHECKING:
    from measure import Ratio

SCOPES, EVENTS, MESSAGES, WORKERS = 50_000, 20, 100_000, 5_000
BOUND, ROUNDS = 1.5, 7
YEAR, DAY = 365 * 86400, 86400
VERBS = ("board", "wake --no-stagger", "inbox", "list", "claim one", "release one")


class Year(NamedTuple):
    """How much a board has lived through."""

    scopes: int
    events: int
    messages: int
    workers: int

    @classmethod
    def part(cls, scale: float) -> Year:
        """Return a part of the whole year."""
        scopes, sent, workers = (max(2, round(n * scale)) for n in (SCOPES, MESSAGES, WORKERS))
        return cls(scopes, EVENTS, sent, workers)


class Repo:
    """A repository with a pinned worker, who holds something."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.env = scratch(path)
        self.common = str(path / ".git")
        self.root = os.path.join(self.common, "coord", "board")
        self.run("git", "commit", "-q", "--allow-empty", "-m", "start")
        self.run("coord-install")
        self.run("git", "coord", "pin", "--actor", "ada")
        self.run("git", "coord", "claim", "parser", "cache")

    def run(self, *argv: str) -> str:
        """Run a command and return what it printed."""
        done = subprocess.run(
            argv, cwd=self.path, env=self.env, check=True, capture_output=True, text=True
        )
        return done.stdout

    def records(self) -> int:
        """Return how many records the board has."""
        return sum(len(files) for _, _, files in os.walk(self.root))


def live(repo: Repo, year: Year) -> None:
    """Let a year pass on the board of `repo`."""
    sync, os.fsync = os.fsync, lambda _: None  # type: ignore[assignment]  # only to set it up
    try:
        store, made = Directory(repo.root), clone.own(repo.common)
        workers = [pin.uuid() for _ in range(year.workers)]
        for number, instance in enumerate(workers):
            name = f"w-{number}"
            known = actors.Actor(name, instance, f"worktrees/{name}", "h", pin.now())
            actors.enrol(store, known, repo.common)
        for number in range(year.scopes):
            _worked_on(repo, f"task:number {number}", workers, number, year.events, made)
        me = pin.read(repo.common)
        _written_to(store, me.instance if me else "", workers, year.messages)
    finally:
        os.fsync = sync
    _aged(repo.root, keys.claim("task:parser"), keys.claim("task:cache"))


def _worked_on(  # noqa: PLR0917  # a scope's facts
    repo: Repo, scope: str, workers: list[str], first: int, events: int, made: str
) -> None:
    folder = keys.claim(scope)
    os.makedirs(os.path.join(repo.root, folder))
    after = None
    for seq in range(1, events + 1):
        instance = workers[(first + seq // 2) % len(workers)]
        mine = Place("w", instance, "feat", pin.now(), intent="why", clone=made)
        state = State((seq + 1) // 2, (mine,) if seq % 2 else ())
        kind, nonce = "claim" if seq % 2 else "release", os.urandom(8).hex()
        event = Event(seq, nonce, after, kind, scope, "w", instance, pin.now(), state)
        Path(repo.root, keys.event(folder, seq)).write_bytes(eventjson.encode(event))
        after = nonce


def _written_to(store: Directory, me: str, workers: list[str], number: int) -> None:
    begin, to = time.time() - YEAR, Party("ada", me)
    shown = []
    for at in range(number):
        moment = begin + at * (YEAR - 40 * DAY) / number
        name = f"{int(moment * 1e6):014x}-{at:08x}"
        sender = Party("w", workers[at % len(workers)])
        one = Message(name, "help", sender, to, None, None, f"words {at}", pin.at(moment))
        store.create(f"{keys.messages(me)}/{name}", messages.encode(one))
        shown.append(one)
    for start in range(0, number, 1000):
        inbox.mark_read(store, me, shown[start : start + 1000])


def _aged(root: str, *but: str) -> None:
    """Let every record but those of the scopes `but` be forty days old."""
    then = time.time() - 40 * DAY
    kept = tuple(os.path.join(root, one) for one in but)
    for folder, _, files in os.walk(root):
        for name in files if not folder.startswith(kept) else ():
            os.utime(os.path.join(folder, name), (then, then))


def rows(scale: float = 1.0) -> list[Ratio]:
    """Return every promise, measured; a smaller `scale` lives a part of the year."""
    with tempfile.TemporaryDirectory(prefix="coord-bench-") as name:
        new, old = Repo(Path(name) / "new"), Repo(Path(name) / "old")
        live(old, Year.part(scale))
        before = {verb: _seconds(old, verb) for verb in VERBS[:4]}
        records, begin = old.records(), time.perf_counter()
        subprocess.run(
            ("git", "coord", "doctor", "--sweep"),
            cwd=old.path, env=old.env, check=False, capture_output=True,
        )  # fmt: skip
        took, left = time.perf_counter() - begin, old.records()
        sys.stdout.write(f"{records} records swept to {left} in {took:.1f} s\n")
        for verb, seconds in before.items():
            sys.stdout.write(f"  before it, git coord {verb:<40} {seconds:6.2f} s\n")
        return [_compared(new, old, verb) for verb in VERBS]


def _seconds(repo: Repo, verb: str) -> float:
    begin = time.perf_counter()
    repo.run("git-coord", *verb.split())
    return time.perf_counter() - begin


def _compared(new: Repo, old: Repo, verb: str) -> Ratio:
    words = ("git-coord", *verb.split())
    times = interleaved({"new": lambda: new.run(*words), "old": lambda: old.run(*words)}, ROUNDS)
    return ratio(f"git coord {verb}, a year old beside new", times["old"], times["new"], BOUND)


def main() -> None:
    """Print the promises."""
    report(rows(float(sys.argv[1]) if len(sys.argv) > 1 else 0.1))


if __name__ == "__main__":
    main()
