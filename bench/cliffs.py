"""What should cost what a change costs: a dimension a row, each at n, twice and four times that.

CPU of the whole tree of processes, the least of a few runs, less what git needs without hooks;
the most memory that one process held; and the exponent of the growth. ``python bench/cliffs.py
[NAME…]``, of the names of `ROWS`; a number instead of a name is the scale, 1 by default.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import measure
from coord.board import eventjson
from coord.board.events import Event, State
from coord.identity import pin
from coord.stores import keys, unchanged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROUNDS = 2
APPENDED = 1_000
HEAD = "# Log\n\n```\n## TIME WHO\n```\n\n"  # of a journal
BARE = ("-c", "core.hooksPath=/dev/null")
BLOCKS = ("blocks", "headed")
_WHO = "committer Ada <a@example.com> 1700000000 +0000\ndata 1\nx\n"
_ATTRIBUTES = (
    "[attr]coord-log -merge\n*.tsv coord-log\n[attr]coord-once -merge\n*.once coord-once\n"
)


class Cost(NamedTuple):
    """CPU seconds, and the most mebibytes that one process held."""

    seconds: float
    mebibytes: float


def stamp(second: int) -> str:
    """Return an instant."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1.5e9 + second))


def record(number: int, who: str, shape: str, of: int) -> str:
    """Return one entry of a log."""
    if shape in BLOCKS:
        return f"## {stamp(number)} {who} entry {number}\n\n- did something {number}\n- more\n\n"
    second = number * 7919 % of if shape == "unsorted" else number
    return f"{stamp(second)}\t{who}\tmove number {number}\n"


class Repo:
    """A repository of one size, in which commands are measured."""

    def __init__(self, path: Path, *entries: str, install: bool = True) -> None:
        self.path = path
        self.env = measure.scratch(path)
        self.git("config", "gc.auto", "0")
        declared = "".join(entries)
        self.feed(
            f"commit refs/heads/main\n{_WHO}{inline('.gitattributes', _ATTRIBUTES)}{declared}"
        )
        self.git("reset", "-q", "--hard")
        if install:
            self.run("coord-install")

    def run(self, *argv: str, stdin: bytes = b"") -> None:
        """Run a command in silence and insist on success."""
        done = subprocess.run(
            argv, cwd=self.path, env=self.env, input=stdin, check=False, capture_output=True
        )
        if done.returncode:
            raise SystemExit(f"{argv}: {done.stderr.decode()}")

    def told(self, *argv: str) -> str:
        """Return what a command prints."""
        return subprocess.run(
            argv, cwd=self.path, env=self.env, check=True, capture_output=True, text=True
        ).stdout.strip()

    def git(self, *args: str) -> None:
        """Run git."""
        self.run("git", *args)

    def feed(self, stream: str) -> None:
        """Import a stream of commits."""
        self.run("git", "fast-import", "--quiet", stdin=stream.encode())

    def cost(self, *argv: str) -> Cost:
        """Run a command, insist on success, and return what it cost."""
        seconds, held = measure.cost(argv, self.path, self.env)
        return Cost(seconds, held / 2**20)


def inline(path: str, text: str) -> str:
    """Return the entry of a file in a stream."""
    return f"M 100644 inline {path}\ndata {len(text)}\n{text}\n"


def least(act: Callable[[bool], Cost]) -> tuple[Cost, Cost]:
    """Return the least of some rounds, with hooks and without."""
    with_hooks = [act(True) for _ in range(ROUNDS)]
    return min(with_hooks), min(act(False) for _ in range(ROUNDS))


def log(folder: Path, size: int, shape: str) -> Repo:
    """Return a repository whose log of `size` entries both sides have grown at the end."""
    head = HEAD if shape == "headed" else ""
    text = head + "".join(record(number, "base", shape, size) for number in range(size))
    rule = '[log."*.tsv"]\nstart = "## "\n' if shape in BLOCKS else ""
    repo = Repo(folder, inline("log.tsv", text), inline(".coord.toml", rule) if rule else "")
    for branch, who, odd in (("side", "theirs", 0), ("main", "ours", 1)):
        numbers = [size + 2 * number + odd for number in range(APPENDED)]
        grown = text + "".join(record(number, who, shape, size) for number in numbers)
        if head:
            grown = head + record(0, f"{who} early", shape, size) + grown[len(head) :]
        if shape == "early":
            lines = grown.split("\n", 6)
            grown = "\n".join(
                [*lines[: 4 + odd], record(3, f"{who} early", shape, size)[:-1], *lines[4 + odd :]]
            )
        entries = inline("log.tsv", grown) + inline(f"of-{who}", who)
        repo.feed(f"commit refs/heads/{branch}\n{_WHO}from refs/heads/main^0\n{entries}")
    repo.git("reset", "-q", "--hard")
    return repo


def merge_commit(folder: Path, size: int, shape: str) -> tuple[Cost, Cost]:
    """Return what the commit of a merge costs, of which the driver joined the log."""
    repo = log(folder, size, shape)

    def act(hooks: bool) -> Cost:
        repo.git("reset", "-q", "--hard", "start")
        repo.git("merge", "-q", "--no-commit", "side")
        return repo.cost("git", *(() if hooks else BARE), "commit", "-q", "-m", "merge")

    repo.git("tag", "start")
    return least(act)


def merge(folder: Path, size: int, shape: str) -> tuple[Cost, Cost]:
    """Return what a merge costs with our driver, and with the union of git."""
    repo = log(folder, size, shape)
    repo.git("tag", "start")

    def act(ours: bool) -> Cost:
        (repo.path / ".git/info/attributes").write_text(
            "*.tsv merge=coord-log\n" if ours else "*.tsv merge=union\n"
        )
        repo.git("reset", "-q", "--hard", "start")
        return repo.cost("git", "merge", "-q", "--no-commit", "side")

    return least(act)


def append(folder: Path, size: int, threshold: str = "") -> tuple[Cost, Cost]:
    """Return what a commit costs that appends one line to a log."""
    repo = log(folder, size, "lines")
    repo.git("tag", "start")
    if threshold:
        repo.git("config", "core.bigFileThreshold", threshold)

    def act(hooks: bool) -> Cost:
        repo.git("reset", "-q", "--hard", "start")
        with (repo.path / "log.tsv").open("a") as file:
            file.write("one more\n")
        repo.git("add", "log.tsv")
        return repo.cost("git", *(() if hooks else BARE), "commit", "-q", "-m", "append")

    return least(act)


def once(folder: Path, size: int) -> tuple[Cost, Cost]:
    """Return what a commit costs that changes write-once files of its own branch."""
    repo = Repo(folder, inline("other", "x"))
    claims = [inline(f"{number}.once", "one") for number in range(size)]
    repo.feed(f"commit refs/heads/mine\n{_WHO}from refs/heads/main^0\n{''.join(claims)}")
    repo.git("switch", "-q", "mine")
    start = repo.told("git", "rev-parse", "HEAD")

    def act(hooks: bool) -> Cost:
        repo.git("reset", "-q", "--hard", start)
        for number in range(size):
            (repo.path / f"{number}.once").write_text("two")
        repo.git("add", "-A")
        return repo.cost("git", *(() if hooks else BARE), "commit", "-q", "-m", "change")

    return least(act)


def refs(folder: Path, size: int) -> tuple[Cost, Cost]:
    """Return what a commit costs that takes a line out of a log, among many loose refs."""
    repo = Repo(folder, inline("log.tsv", "one\ntwo\n"))
    mine = inline("log.tsv", "one\ntwo\nthree\n")
    repo.feed(f"commit refs/heads/mine\n{_WHO}from refs/heads/main^0\n{mine}")
    repo.git("switch", "-q", "mine")
    tip = (repo.path / ".git/refs/heads/main").read_text()
    for number in range(size):
        place = repo.path / f".git/refs/heads/b{number % 100}"
        place.mkdir(exist_ok=True)
        (place / str(number)).write_text(tip)
    start = repo.told("git", "rev-parse", "HEAD")

    def act(hooks: bool) -> Cost:
        repo.git("reset", "-q", "--hard", start)
        (repo.path / "log.tsv").write_text("one\ntwo\n")
        repo.git("add", "-A")
        return repo.cost("git", *(() if hooks else BARE), "commit", "-q", "-m", "change")

    return least(act)


def ids(folder: Path, size: int, *verb: str) -> tuple[Cost, Cost]:
    """Return what a verb on identifiers costs, and what git needs to list them.

    The first round reads what the claims say and keeps it; the others, one of which is the least,
    read what is kept.
    """
    entries = []
    for number in range(1, size + 1):
        text = f'id = "HW-{number:04}"\nactor = "worker-{number % 7}"\nnonce = "{number:016x}"\n'
        entries.append(inline(f"coordination/ids/HW/HW-{number:04}.toml", text))
    repo = Repo(folder, *entries)
    listing = ("git", "ls-tree", "-r", "--name-only", "HEAD", "coordination/ids")

    def act(ours: bool) -> Cost:
        return repo.cost("git-coord", *verb) if ours else repo.cost(*listing)

    return least(act)


def freed(folder: Path, size: int) -> tuple[Cost, Cost]:
    """Return what a look at a board costs on which scopes were freed, and a verb that reads none.

    The first look notes what it need not read again, once nothing has changed for a minute.
    """
    repo = Repo(folder, inline("file", ""))
    repo.git("coord", "pin", "--actor", "ada")
    repo.git("coord", "claim", "task:held")
    root = repo.path / ".git/coord/board"
    for number in range(size):
        scope = f"task:number {number}"
        prefix = keys.claim(scope)
        (root / prefix).mkdir()
        free = Event(1, f"{number:016x}", None, "release", scope, "w", "i", pin.now(), State(1))
        (root / keys.event(prefix, 1)).write_bytes(eventjson.encode(free))
    time.sleep(unchanged.RACY + 1)
    repo.cost("git-coord", "board")
    return least(lambda ours: repo.cost("git-coord", "board" if ours else "whoami"))


def worktrees(folder: Path, size: int) -> tuple[Cost, Cost]:
    """Return what the doctor costs where there are worktrees, and what git needs to list them."""
    entries = inline("schema.json", "{}"), inline("log.tsv", "one\n")
    repo = Repo(folder, *entries)
    for number in range(size):
        repo.git("worktree", "add", "-q", f"../w{number}")
    listing = ("git", "worktree", "list")
    return least(lambda ours: repo.cost("git-coord", "doctor") if ours else repo.cost(*listing))


#: name → what it is, the size at scale 1, and what measures it
ROWS: dict[str, tuple[str, int, Callable[[Path, int], tuple[Cost, Cost]]]] = {
    "A": ("merge commit, lines", 250_000, lambda at, n: merge_commit(at, n, "unsorted")),
    "Ab": ("merge commit, blocks", 125_000, lambda at, n: merge_commit(at, n, "blocks")),
    "B": ("append commit, lines", 250_000, append),
    "B2": ("the same, above the threshold", 250_000, lambda at, n: append(at, n, "1m")),
    "C": ("log driver, an early line", 250_000, lambda at, n: merge(at, n, "early")),
    "Ch": ("log driver, blocks below code", 25_000, lambda at, n: merge(at, n, "headed")),
    "Cc": ("merge commit, an early line", 250_000, lambda at, n: merge_commit(at, n, "early")),
    "F": ("board, freed scopes", 12_500, freed),
    "J": ("doctor, worktrees", 100, worktrees),
    "K": ("write-once gate, own files", 100, once),
    "Ln": ("id next, ids", 25_000, lambda at, n: ids(at, n, "id", "next", "HW")),
    "Ll": ("id list, ids", 25_000, lambda at, n: ids(at, n, "id", "list", "HW")),
    "Lc": ("id check, ids", 25_000, lambda at, n: ids(at, n, "id", "check")),
    "M": ("log gate, loose refs", 12_500, refs),
}


def rows(asked: list[str], scale: float) -> Iterator[str]:
    """Yield a line for each size of each dimension asked for."""
    for name in asked or ROWS:
        what, size, act = ROWS[name]
        before = 0.0
        for times in (1, 2, 4):
            number = max(1, round(size * scale * times))
            with tempfile.TemporaryDirectory(prefix="coord-bench-") as folder:
                ours, bare = act(Path(folder, "repo"), number)
            more = ours.seconds - bare.seconds
            grown = math.log2(more / before) if before > 0 and more > 0 else math.nan
            before = more
            yield (
                f"{name:<3} {what:<32} {number:>9,}  {ours.seconds:7.2f} s, {more:+7.2f} s over "
                f"{bare.seconds:.2f}  {ours.mebibytes:7.1f} MiB ({bare.mebibytes:.1f})  "
                f"exponent {grown:.2f}"
            )


def main() -> None:
    """Print the table."""
    words = sys.argv[1:]
    scales = [float(word) for word in words if word[0].isdigit()]
    for line in rows([word for word in words if word in ROWS], *(scales or [1.0])):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
