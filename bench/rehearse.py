"""What a rehearsal costs beside as many bare ``git merge-tree --write-tree`` of the same commits.

The bare ones are run by one shell, the leanest way there is. A rehearsal is measured as people type
it, with the order and without, which alone is half of it here. Main has moved on meanwhile. On
"plain" branches no guarded file meets another one; on "guarded" ones every merge joins a log and
refuses a derived file, on both sides of the ratio.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from measure import Ratio, interleaved, ratio, report, scratch

BRANCHES, FOLDERS, FILES, MOVED = 38, 200, 25, 1_000
BOUND = 1.5
RULES = "*.tsv coord-log\n*.lock coord-derived\n"
BARE = "while read ours theirs; do git merge-tree --write-tree $ours $theirs; done; true"


class Queue:
    """A repository with branches off main, and the pairs that merging them in order meets."""

    def __init__(self, path: Path, count: int, *, guarded: bool) -> None:
        self.path = path
        self.env = scratch(path)
        self.run("coord-install")
        self._write(".gitattributes", RULES)
        self._write("moves.tsv", "2026-01-01T00:00:00Z start\n")
        self._write("api.lock", "0\n")
        for number in range(FOLDERS * FILES):
            self._write(f"{number % FOLDERS}/{number // FOLDERS}", f"{number}\n" * 40)
        self._commit("start")
        self.branches = [self._branch(number, guarded=guarded) for number in range(count)]
        self.run("git", "switch", "-q", "main")
        for number in range(MOVED):
            self._write(f"{number % FOLDERS}/{number // FOLDERS}", f"{number} moved on\n" * 40)
        self._commit("moved on")
        self.pairs = "".join(self._pairs())
        self.run("git", "gc", "-q")

    def _branch(self, number: int, *, guarded: bool) -> str:
        self.run("git", "switch", "-q", "-c", f"feat/{number}", "main")
        for folder in range(3):
            self._write(f"{(number + folder) % FOLDERS}/{number}-new", f"{number}\n" * 40)
            self._write(
                f"{(number + folder) % FOLDERS}/{FILES - 1 - folder}", f"by {number}\n" * 40
            )
        if guarded:
            self._write("api.lock", f"{number + 1}\n")
            with (self.path / "moves.tsv").open("a") as log:
                log.write(f"2026-01-02T00:00:{number % 60:02}Z {number}\n")
        self._commit(str(number))
        self.run("git", "coord", "finish")
        return f"feat/{number}"

    def _pairs(self) -> list[str]:
        """Return ``OURS THEIRS`` lines, from really merging; ours of what is refused."""
        self.run("git", "switch", "-q", "--detach", "main")
        lines = []
        for branch in self.branches:
            lines.append(f"{self.run('git', 'rev-parse', 'HEAD')} {branch}\n")
            off = "git -c core.hooksPath=/dev/null"
            self.run(
                "sh",
                "-c",
                f"{off} merge -q {branch} || {{ git add -A; {off} commit -q --no-edit; }}",
            )
        self.run("sh", "-c", "rm -rf .git/coord-refused")
        return lines

    def _write(self, name: str, text: str) -> None:
        path = self.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def _commit(self, message: str) -> None:
        self.run("git", "add", "-A")
        self.run("git", "commit", "-q", "-m", message)

    def run(self, *argv: str, stdin: str = "") -> str:
        """Run a command, insist on success, and return what it printed."""
        done = subprocess.run(
            argv, cwd=self.path, env=self.env, check=True, capture_output=True, text=True,
            input=stdin,
        )  # fmt: skip
        return done.stdout.strip()

    def bare(self) -> None:
        """Merge every pair, each in a process."""
        self.run("sh", "-c", BARE, stdin=self.pairs)

    def ordered(self) -> None:
        """Show the order, which a rehearsal does first."""
        self.run("git", "coord", "merge-order", "--onto", "main")

    def rehearsed(self) -> None:
        """Rehearse every branch; exit 1 tells of refused files."""
        self.run("sh", "-c", "git coord merge-order --onto main --rehearse || test $? = 1")


def rows(scale: float = 1.0) -> list[Ratio]:
    """Return every promise, measured; a smaller `scale` takes fewer rounds."""
    rounds = max(3, round(9 * scale))
    made = []
    with tempfile.TemporaryDirectory(prefix="coord-bench-") as name:
        for kind in ("plain", "guarded"):
            queue = Queue(Path(name) / kind, BRANCHES, guarded=kind == "guarded")
            times = interleaved(
                {"bare": queue.bare, "order": queue.ordered, "ours": queue.rehearsed}, rounds
            )
            alone = [a - b for a, b in zip(times["ours"], times["order"], strict=True)]
            what = f"rehearsal of {BRANCHES} {kind} branches, beside merge-tree"
            made.append(ratio(what, alone, times["bare"], BOUND))
            made.append(
                ratio("  with the order and the start of Python", times["ours"], times["bare"])
            )
    return made


def main() -> None:
    """Print the promises."""
    report(rows(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0))


if __name__ == "__main__":
    main()
