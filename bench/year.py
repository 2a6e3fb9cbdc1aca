"""What a board answers like that is a year old: ``python bench/year.py [PART [lived]]``.

A million events of 50,000 scopes, 100,000 messages, 5,000 workers whose worktrees are gone, 1,000
names that acted in the main worktree, with 10 declared sessions each, 10,000 identifiers; or a part
of that, by default a tenth. They are written in the store's own format, without waiting for the
disk, and aged; the sweep comes twice, a month apart, since that is how long a worker is kept.
Or the year is lived, event by event (bench/lived.py), and swept by verbs alone, then by the doctor.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lived import Life, Year

from coord.board import actors, eventjson, inbox, messages
from coord.board.events import Event, Place, State
from coord.board.messages import Message, Party
from coord.identity import pin
from coord.liveness import beats, clone, process, sessionfile, signs
from coord.stores import keys
from coord.stores.directory import Directory
from measure import Ratio, cost, report, scratch

if TYPE_CHECKING:
    from collections.abc import Iterator

BOUND, ROUNDS = 1.5, 9
SERIES = "coordination/ids/adr/adr-#"
YEAR, DAY = 365 * 86400, 86400
VERBS = (
    "board", "wake --no-stagger", "inbox", "list", "id next adr", "claim one", "release one",
    "send help bob words", "doctor",
)  # fmt: skip


class Size(NamedTuple):
    """What lies on a board, and beside it in the main worktree's git dir."""

    files: int
    size: int
    beside: int


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
        self.run(
            "git", "worktree", "add", "-q", "-b", "bob", str(path.with_name(f"{path.name}-bob"))
        )

    def run(self, *argv: str) -> str:
        """Run a command and return what it printed."""
        done = subprocess.run(
            argv, cwd=self.path, env=self.env, check=True, capture_output=True, text=True
        )
        return done.stdout

    def records(self) -> int:
        """Return how many records the board has."""
        return self.measured().files

    def measured(self) -> Size:
        """Return how much there is."""
        sizes = [os.lstat(path).st_size for path in _files(self.root)]
        beside = (f"{self.common}/coord-{name}" for name in ("sessions", "instances"))
        return Size(len(sizes), sum(sizes), sum(len(_files(folder)) for folder in beside))

    def sweep(self) -> None:
        """Sweep the board until nothing is left to take, whatever else the doctor says."""
        said = "there may be more"
        while "there may be more" in said:
            said = subprocess.run(
                ("git", "coord", "doctor", "--sweep"),
                cwd=self.path, env=self.env, check=False, capture_output=True, text=True,
            ).stderr  # fmt: skip


def _files(folder: str) -> list[str]:
    return [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]


def live(repo: Repo, year: Year) -> None:
    """Let a year pass on the board of `repo`."""
    with _unsynced():
        store, made = Directory(repo.root), clone.own(repo.common)
        workers = _came(repo, store, year.workers)
        for number in range(year.scopes):
            _worked_on(repo, f"task:number {number}", workers, number, year.events, made)
        me = pin.read(repo.common)
        _written_to(store, me.instance if me else "", workers, year.messages)
        _acted(repo, store, year)
        for number in range(1, year.numbers + 1):
            value = json.dumps({"schema": 1, "actor": "w", "at": pin.now(), "nonce": number})
            store.create(keys.number(keys.series(SERIES), number), value.encode())
    _aged(repo.root, keys.claim("task:parser"), keys.claim("task:cache"))
    _aged(f"{repo.common}/coord-instances")
    me = pin.read(repo.common)
    _aged(
        f"{repo.common}/{sessionfile.FOLDER}", f"{sessionfile.FOLDER}/{me.instance if me else ''}"
    )


def _came(repo: Repo, store: Directory, number: int) -> list[str]:
    """Let workers come, whose worktrees are gone."""
    made = [pin.uuid() for _ in range(number)]
    for instance in made:
        name = f"w-{instance[:8]}"
        known = actors.Actor(name, instance, f"worktrees/{name}", "h", pin.now())
        actors.enrol(store, known, repo.common)
    return made


def _acted(repo: Repo, store: Directory, year: Year) -> None:
    """Let names act in the main worktree, and sessions begin and end there."""
    with subprocess.Popen(["true"]) as child:
        over = process.of(child.pid)
    for number in range(year.names):
        name, instance = f"n-{number}", pin.uuid()
        known = actors.Actor(name, instance, ".", "h", pin.now())
        actors.enrol(store, known, repo.common)
        path = Path(repo.common, beats.MINTED, name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{instance}\n")
        signs.leave(repo.common, instance, signs.alone(over), 0)
    me = pin.read(repo.common)
    for _ in range(year.sessions):
        made = sessionfile.begin(repo.common, "session", me.instance if me else "")
        made.over(all_of_it=True)
        made.close()


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
    """Let every record but those of the scopes `but` be forty days old, and every folder."""
    then = time.time() - 40 * DAY
    kept = tuple(os.path.join(root, one) for one in but)
    for folder, _, files in os.walk(root):
        for name in ("", *files) if not folder.startswith(kept) else ():
            os.utime(os.path.join(folder, name), (then, then))


def rows(scale: float = 1.0) -> list[Ratio]:
    """Return every promise, measured; a smaller `scale` lives a part of the year."""
    with tempfile.TemporaryDirectory(prefix="coord-bench-") as name:
        new, old = Repo(Path(name) / "new"), Repo(Path(name) / "old")
        live(old, Year.part(scale))
        _say("a new board", new.measured())
        _say("a year", old.measured())
        for verb in VERBS[:4]:
            sys.stdout.write(f"  git coord {verb:<30} {_seconds(old, verb):6.2f} s\n")
        for when in ("swept", "swept again, a month later"):
            _swept(old, when)
            old.run("git", "coord", "session", "--", "true")
            _aged(f"{old.root}/gone")
        found = [_compared(new, old, verb) for verb in VERBS]
        _came(old, Directory(old.root), Year.part(scale).workers // 6)
        _say("with all who went in two months", old.measured())
        later = [_compared(new, old, verb)._replace(bound=None) for verb in VERBS[:4]]
        return [*found, *later]


def lived(scale: float = 1.0) -> list[Ratio]:
    """Return what verbs cost where they alone have swept, and where the doctor has as well."""
    with tempfile.TemporaryDirectory(prefix="coord-bench-") as name:
        new, old = Repo(Path(name) / "new"), Repo(Path(name) / "old")
        life = Life(old.common, str(old.path), Year.part(scale))
        begin = time.perf_counter()
        with _unsynced():
            life.pass_by(lambda said: _say(said, old.measured()))
        _say("a new board", new.measured())
        _say(f"a year, lived in {time.perf_counter() - begin:.0f} s", old.measured())
        found = [_compared(new, old, verb) for verb in VERBS]
        _swept(old, "swept")
        return [*found, *(_compared(new, old, verb) for verb in VERBS)]


def _swept(repo: Repo, when: str) -> None:
    begin = time.perf_counter()
    repo.sweep()
    _say(f"{when}, in {time.perf_counter() - begin:.1f} s", repo.measured())


@contextmanager
def _unsynced() -> Iterator[None]:
    """Wait for no disk, for a block: only to set up what is measured."""
    sync, os.fsync = os.fsync, lambda _: None  # type: ignore[assignment]
    try:
        yield
    finally:
        os.fsync = sync


def _say(what: str, size: Size) -> None:
    words = f"{size.files:>9} records, {size.size / 1e6:8.2f} MB, {size.beside:>6} files beside"
    sys.stdout.write(f"{what:<40} {words}\n")


def _seconds(repo: Repo, verb: str) -> float:
    begin = time.perf_counter()
    repo.run("git-coord", *verb.split())
    return time.perf_counter() - begin


def _compared(new: Repo, old: Repo, verb: str) -> Ratio:
    """Compare the least CPU of many, taken in turn; the doctor's remarks are no failure."""
    words = ("sh", "-c", 'git-coord "$@" || test $? = 1', "sh", *verb.split())
    pairs = [[cost(words, one.path, one.env)[0] for one in (old, new)] for _ in range(ROUNDS + 1)]
    each = [theirs / ours for theirs, ours in pairs[1:]]
    olds, news = zip(*pairs, strict=True)
    what = f"git coord {verb}, {min(news) * 1e3:.0f} ms, a year old"
    return Ratio(what, min(olds) / min(news), min(each), max(each), BOUND)


def main() -> None:
    """Print the promises."""
    measured = lived if sys.argv[2:] == ["lived"] else rows
    report(measured(float(sys.argv[1]) if len(sys.argv) > 1 else 0.1))


if __name__ == "__main__":
    main()
