"""What the push guard and its repair cost, on histories made by one worktree under another name.

The guard is measured as git calls it: the hook file, with the lines of a push on stdin. Beside it
stands the least that any judgement has to do, ``git rev-list --format`` over the same commits.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from measure import Ratio, interleaved, ratio, report, resident, scratch

OUTGOING, MENDED = 10_000, 1_000
RSS_BOUND = 150.0  # mebibytes
FORMAT = "--format=%H %P%x00%an%x00%ae%x00%cn%x00%ce"
NULL = "0" * 40


class Worker:
    """A pinned repository with `count` commits of its own, signed as `who`, on branch main."""

    def __init__(self, path: Path, count: int, *, pinned: bool) -> None:
        self.path = path
        self.env = scratch(path)
        self.run("coord-install")
        self.git("coord", "pin", "--actor", "worker")
        who = f"{self.git('config', 'user.name')} <{self.git('config', 'user.email')}>"
        self._grow(count, who if pinned else "Some Peer <peer@example.com>")
        self.tip = self.git("rev-parse", "main")

    def _grow(self, count: int, who: str) -> None:
        """Write a line of commits, and the reflog that `git commit` would have written."""
        stamp = f"{who} 2000000000 +0000"
        lines = []
        for number in range(count):
            lines += ["commit refs/heads/main", f"mark :{number + 1}", f"committer {stamp}"]
            lines += ["data 6", "commit", *([] if number == 0 else [f"from :{number}"])]
            lines += ["M 100644 inline f", f"data {len(str(number))}", str(number)]
        marks = self.path.parent / f"{self.path.name}.marks"
        self.run("git", "fast-import", "--quiet", f"--export-marks={marks}", stdin="\n".join(lines))
        pairs = [line.split() for line in marks.read_text().splitlines()]
        ids = [commit for _, commit in sorted((int(mark[1:]), commit) for mark, commit in pairs)]
        log = zip([NULL, *ids], ids, strict=False)
        text = "".join(f"{old} {new} {stamp}\tcommit: commit\n" for old, new in log)
        (self.path / ".git" / "logs" / "HEAD").write_text(text)
        self.git("reset", "-q", "--hard")

    def run(self, *argv: str, stdin: str | None = None) -> str:
        """Run a command, insist on success, and return what it printed."""
        done = subprocess.run(
            argv, cwd=self.path, env=self.env, check=True, capture_output=True, text=True,
            input=stdin,
        )  # fmt: skip
        return done.stdout.strip()

    def git(self, *args: str) -> str:
        """Run git."""
        return self.run("git", *args)

    @property
    def push(self) -> str:
        """The shell command that calls the hook as a first push of main does."""
        line = f"refs/heads/main {self.tip} refs/heads/main {NULL}"
        return f"echo '{line}' | .git/hooks/pre-push origin ../origin.git"

    def judge(self) -> None:
        """Run the hook."""
        self.run("sh", "-c", self.push)

    def list(self) -> None:
        """List the outgoing commits as any judgement has to."""
        with (self.path.parent / "listing").open("w") as file:
            argv = ["git", "rev-list", FORMAT, "main", "--not", "--remotes"]
            subprocess.run(argv, cwd=self.path, env=self.env, check=True, stdout=file)

    def resident(self) -> float:
        """Return the most that the hook, or a child of it, holds in memory, in MiB."""
        return resident(("sh", "-c", self.push), self.path, self.env) / 2**20

    def mend(self) -> None:
        """Mend all commits."""
        self.git("coord", "reauthor", "--outgoing")

    def take_back(self) -> None:
        """Put the branch back where it was."""
        self.git("update-ref", "refs/heads/main", self.tip)


def guard(folder: Path, rounds: int, count: int) -> list[Ratio]:
    """Return what judging a push of `count` commits costs."""
    right = Worker(folder / "right", count, pinned=True)
    wrong = Worker(folder / "wrong", count, pinned=False)
    times = interleaved({"list": right.list, "right": right.judge, "wrong": wrong.judge}, rounds)
    held = [wrong.resident() for _ in range(rounds)]
    what = f"push of {count:,} commits, beside git rev-list --format"
    return [
        ratio(what, times["right"], times["list"], 2.0),
        ratio("  when all are by somebody else", times["wrong"], times["list"], 2.0),
        ratio("  resident memory, in MiB", held, [1.0] * rounds, RSS_BOUND),
    ]


def repair(folder: Path, rounds: int, count: int) -> list[Ratio]:
    """Return how long `reauthor` takes for `count` commits."""
    worker = Worker(folder / "mended", count, pinned=False)
    times = interleaved({"mend": worker.mend, "back": worker.take_back}, rounds)
    what = f"reauthor of {count:,} commits, in seconds"
    return [ratio(what, times["mend"], [1.0] * rounds, 0.5)]


def rows(scale: float = 1.0) -> list[Ratio]:
    """Return every promise, measured; a smaller `scale` takes fewer rounds and commits."""
    rounds = max(3, round(7 * scale))
    with tempfile.TemporaryDirectory(prefix="coord-bench-") as name:
        return [
            *guard(Path(name), rounds, max(100, round(OUTGOING * scale))),
            *repair(Path(name), rounds, max(100, round(MENDED * scale))),
        ]


def main() -> None:
    """Print the promises."""
    report(rows(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0))


if __name__ == "__main__":
    main()
