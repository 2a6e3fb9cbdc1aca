"""How long identifiers take among many branches, each with a number of its own.

Half of the branches are local, half of a remote; all have the same 200 older identifiers, so that
every branch has a folder that no other one has. What git alone needs to look at them all is beside.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from measure import Ratio, interleaved, ratio, report, scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BRANCHES, OLDER = 750, 200
_WHO = "committer Ada <a@example.com> 1700000000 +0000\ndata 1\nx\n"


def history(branches: int) -> Iterator[str]:
    """Yield a stream for ``git fast-import``."""
    yield f"commit refs/heads/main\nmark :1\n{_WHO}"
    yield from map(claim, range(1, OLDER + 1))
    for number in range(1, branches):
        kind = "heads" if number % 2 else "remotes/origin"
        yield f"commit refs/{kind}/b{number}\n{_WHO}from :1\n{claim(OLDER + number)}"


def claim(number: int) -> str:
    """Return the entry of one identifier."""
    text = f'id = "HW-{number:04}"\nactor = "worker-{number % 7}"\nnonce = "{number:016x}"\n'
    path = f"coordination/ids/HW/HW-{number:04}.toml"
    return f"M 100644 inline {path}\ndata {len(text)}\n{text}\n"


class Clone:
    """A clone with many branches."""

    def __init__(self, path: Path, branches: int) -> None:
        self.path = path
        self.env = scratch(path)
        stream = "".join(history(branches)).encode()
        self.run("git", "fast-import", "--quiet", stdin=stream)
        self.run("git", "pack-refs", "--all")
        self.run("git", "reset", "-q", "--hard")

    def run(self, *argv: str, stdin: bytes = b"") -> None:
        """Run a command, and insist that it succeeds."""
        quiet = subprocess.DEVNULL
        subprocess.run(
            argv, cwd=self.path, env=self.env, input=stdin, check=True, stdout=quiet, stderr=quiet
        )

    def git_alone(self) -> None:
        """List the folder of every branch, a process a branch."""
        listing = "git for-each-ref --format='%(objectname)' refs/heads refs/remotes"
        each = "while read -r id; do git ls-tree -r --name-only $id coordination/ids; done"
        self.run("sh", "-c", f"{listing} | {each}")


def rows(scale: float = 1.0) -> list[Ratio]:
    """Return every promise, measured; a smaller `scale` takes fewer rounds and branches."""
    rounds, count = max(3, round(7 * scale)), max(2, round(BRANCHES * scale))
    with tempfile.TemporaryDirectory(prefix="coord-bench-") as name:
        clone = Clone(Path(name) / "clone", count)
        sides: dict[str, Callable[[], object]] = {
            "next": partial(clone.run, "git-coord", "id", "next", "HW"),
            "check": partial(clone.run, "git-coord", "id", "check"),
            "git": clone.git_alone,
        }
        times = interleaved(sides, rounds)
        one = [1.0] * rounds
        return [
            ratio(f"id next among {count} branches, in seconds", times["next"], one, 1.0),
            ratio(f"id check of {count} branches, in seconds", times["check"], one),
            ratio("id next over git ls-tree, a branch at a time", times["next"], times["git"], 1.0),
        ]


def main() -> None:
    """Print the promises."""
    report(rows(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0))


if __name__ == "__main__":
    main()
