"""How long ``git coord doctor`` takes for many worktrees, and in how many commands it ends.

Each worktree has a derived file and a log; every hook is fired in the first eight, one in each of
the others.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import Ratio, interleaved, ratio, report, scratch

WORKTREES = 40
FILES = {
    ".gitattributes": "[attr]coord-derived -merge\n[attr]coord-log -merge\n"
    "schema.json coord-derived\nmoves.tsv coord-log\n",
    ".coord.toml": '[derived."schema.json"]\nregenerate = "make schema"\n',
    "schema.json": "{}\n",
    "moves.tsv": "",
}


class Fleet:
    """An installed repository with `count` linked worktrees, pinned by their hook or not."""

    def __init__(self, path: Path, count: int, *, pinned: bool) -> None:
        self.path = path
        self.env = scratch(path)
        for name, text in FILES.items():
            (path / name).write_text(text)
        self.run("git", "add", "-A")
        self.run("git", "commit", "-q", "-m", "start")
        if pinned:
            self.run("coord-install")
        for number in range(count):
            self.run("git", "worktree", "add", "-q", f"../{path.name}-{number}")
        self.run("coord-install")

    def run(self, *argv: str) -> str:
        """Run a command, whatever its exit status, and return what it printed."""
        done = subprocess.run(
            argv, cwd=self.path, env=self.env, check=False, capture_output=True, text=True
        )
        return done.stdout

    def look(self) -> None:
        """Run the doctor as a person does."""
        self.run("git", "coord", "doctor")

    def commands(self) -> int:
        """Return how many different commands mend what is found."""
        document = json.loads(self.run("git", "coord", "doctor", "--json"))
        return len({finding["run"] for finding in document["findings"]})


def rows(scale: float = 1.0) -> list[Ratio]:
    """Return every promise, measured; a smaller `scale` takes fewer rounds and worktrees."""
    rounds, count = max(3, round(7 * scale)), max(2, round(WORKTREES * scale))
    with tempfile.TemporaryDirectory(prefix="coord-bench-") as name:
        pinned = Fleet(Path(name) / "pinned", count, pinned=True)
        unpinned = Fleet(Path(name) / "unpinned", count, pinned=False)
        times = interleaved({"pinned": pinned.look, "unpinned": unpinned.look}, rounds)
        one = [1.0] * rounds
        return [
            ratio(f"doctor with {count} pinned worktrees, in seconds", times["pinned"], one, 3.0),
            ratio("  when none of them is pinned", times["unpinned"], one, 3.0),
            ratio("  and the commands that mend them", [unpinned.commands()] * rounds, one, 1.0),
        ]


def main() -> None:
    """Print the promises."""
    report(rows(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0))


if __name__ == "__main__":
    main()
