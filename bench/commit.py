"""What the hooks cost: commits, branch switches and new worktrees, beside bare git.

Every side is a repository of its own, made alike; the sides take turns within a round, so that a
busy machine slows them all. Forty worktrees slow git down by themselves, so a commit among forty
pinned ones is held against one among forty that are not.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import NamedTuple

from measure import Ratio, interleaved, ratio, report

ROUNDS, MANY_FILES, WORKTREES = 60, 100_000, 40


class More(NamedTuple):
    """A promise in milliseconds: how much more `what` takes, by round."""

    what: str
    median: float
    low: float
    high: float
    bound: float

    def line(self) -> str:
        """Return the promise as one line of the report."""
        verdict = "kept" if self.median <= self.bound else "MISSED"
        spread = f"({self.low:.1f}–{self.high:.1f})"
        return f"{self.what:<58} {self.median:5.1f}ms {spread}  ≤ {self.bound:g} ms {verdict}"


class Side:
    """A worktree of a scratch repository, driven by the real git in a clean environment."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.number = 0
        self.env = {
            "PATH": f"{sysconfig.get_path('scripts')}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(path.parent),
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    @classmethod
    def made(
        cls,
        path: Path,
        *,
        files: int = 20,
        log: bool = True,
        hooks: bool = False,
        worktrees: int = 0,
    ) -> Side:
        """Return the main worktree of a new repository that declares a log, or none."""
        side = cls(path)
        path.mkdir()
        for words in ("init -q -b main", "config user.name Ada", "config user.email a@example.com"):
            side.git(*words.split())
        for number in range(files):
            file = path / f"d{number // 1000}" / f"f{number}"
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"{number}\n")
        (path / "log.tsv").write_text("one\n")
        if log:
            (path / ".gitattributes").write_text("[attr]coord-log -merge\n*.tsv coord-log\n")
        side.git("add", "-A")
        side.git("commit", "-q", "-m", "start")
        side.git("branch", "other")
        if hooks:
            side.run("coord-install")
        for _ in range(worktrees):
            side.add_worktree()
        return side

    def linked(self) -> Side:
        """Return its first linked worktree."""
        return Side(self.path.parent / f"{self.path.name}-w1")

    def run(self, *argv: str) -> None:
        """Run a command in silence and insist on success."""
        quiet = subprocess.DEVNULL
        subprocess.run(argv, cwd=self.path, env=self.env, check=True, stdout=quiet, stderr=quiet)

    def git(self, *args: str) -> None:
        """Run git."""
        self.run("git", *args)

    def commit(self) -> None:
        """Commit one changed file that nothing guards."""
        self.number += 1
        (self.path / "d0/f0").write_text(f"{self.number}\n")
        self.git("commit", "-q", "-a", "-m", "change")

    def switch_twice(self) -> None:
        """Switch to another branch and back."""
        self.git("checkout", "-q", "other")
        self.git("checkout", "-q", "main")

    def add_worktree(self) -> None:
        """Add a worktree on a branch of its own."""
        self.number += 1
        path = f"{self.path}-w{self.number}"
        self.git("worktree", "add", "-q", "-b", f"w{self.number}", path)


def commits(folder: Path, rounds: int) -> list[Ratio]:
    """Return what commits and switches cost in a small repository, alone and among 40 worktrees."""
    bare, ours = Side.made(folder / "bare"), Side.made(folder / "ours", hooks=True)
    plain = Side.made(folder / "plain", hooks=True, log=False)
    crowd = Side.made(folder / "crowd", worktrees=WORKTREES)
    fleet = Side.made(folder / "fleet", hooks=True, worktrees=WORKTREES)
    times = interleaved(
        {
            "bare": bare.commit,
            "ours": ours.commit,
            "plain": plain.commit,
            "crowd": crowd.linked().commit,
            "pinned": fleet.linked().commit,
            "crowd main": crowd.commit,
            "fleet main": fleet.commit,
            "bare switch": bare.switch_twice,
            "our switch": ours.switch_twice,
        },
        rounds,
    )
    among = f"the same, {WORKTREES} pinned worktrees"
    return [
        ratio("commit, all hooks, nothing guarded staged", times["ours"], times["bare"], 2.0),
        ratio("the same, no log declared", times["plain"], times["bare"], 2.0),
        ratio(f"{among}, in one of them", times["pinned"], times["crowd"], 2.3),
        ratio(f"{among}, in the main one", times["fleet main"], times["crowd main"], 2.3),
        ratio("two branch switches", times["our switch"], times["bare switch"], 1.5),
    ]


def commits_among_many_files(folder: Path, rounds: int, files: int) -> list[Ratio]:
    """Return what a commit costs in a repository of many files."""
    bare = Side.made(folder / "many", files=files)
    ours = Side.made(folder / "many-ours", files=files, hooks=True)
    times = interleaved({"bare": bare.commit, "ours": ours.commit}, rounds)
    return [ratio(f"commit, {files:,} files", times["ours"], times["bare"], 1.5)]


def new_worktrees(folder: Path, rounds: int) -> list[More]:
    """Return how many milliseconds a pin adds to ``git worktree add``."""
    bare, ours = Side.made(folder / "add"), Side.made(folder / "add-ours", hooks=True)
    times = interleaved({"bare": bare.add_worktree, "ours": ours.add_worktree}, rounds)
    more = [(a - b) * 1000 for a, b in zip(times["ours"], times["bare"], strict=True)]
    what = "git worktree add with its pin, more than without"
    return [More(what, statistics.median(more), min(more), max(more), 20)]


def rows(scale: float = 1.0) -> list[Ratio | More]:
    """Return every promise, measured; a smaller `scale` takes fewer rounds and files."""
    rounds = max(3, round(ROUNDS * scale))
    with tempfile.TemporaryDirectory(prefix="coord-bench-") as name:
        folder = Path(name)
        return [
            *commits(folder, rounds),
            *commits_among_many_files(folder, max(3, rounds // 4), round(MANY_FILES * scale)),
            *new_worktrees(folder, rounds // 2),
        ]


def main() -> None:
    """Print the promises."""
    report(rows(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0))  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
