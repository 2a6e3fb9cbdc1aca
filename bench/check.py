"""``git coord check`` over thousands of commits: time, growth and memory.

The history is of the worst kind: all append to one log, so that its versions weigh the square of
their number. Of eight commits the sixth appends, the seventh does on a side branch, and the eighth,
which merges it, again; every fifth adds a write-once file, every sixteenth regenerates an artifact
together with its input. Making the histories takes longer than checking them.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

from measure import interleaved, ratio, report

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = (2_500, 5_000, 10_000)
ROUNDS = 3
_ATTRIBUTES = (
    "[attr]coord-derived -merge\n[attr]coord-log -merge\n[attr]coord-once -merge\n"
    "*.tsv coord-log\nschema.json coord-derived\ncoordination/ids/** coord-once\n"
)
_CONFIG = '[derived."schema.json"]\nregenerate = "make schema"\ninputs = ["src/*.proto"]\n'
_WHO = "Ada <ada@example.com>"


def history(commits: int) -> Iterator[str]:
    """Yield a fast-import stream of `commits` commits, a clean history.

    The side branch leaves before the sixth commit of eight.
    """
    log, side_log = "at\tactor\tsummary\n", ""
    side: dict[str, str] = {}
    for number in range(1, commits + 1):
        place = number % 8
        files = _files(number)
        if place == 7:
            side_log, side = log.removesuffix(_record(number - 1)) + _record(number), files
            files = {**files, "moves.tsv": side_log}
            parents = [number - 2]
        elif place == 0:
            log += _record(number - 1) + _record(number)
            files = {**side, **files, "moves.tsv": log}
            parents = [number - 2, number - 1]
        else:
            if place == 6:
                log += _record(number)
                files = {**files, "moves.tsv": log}
            parents = [number - 1] if number > 1 else []
        yield from _commit(number, parents, files)


def _record(number: int) -> str:
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(_at(number)))
    return f"{at}\tworker-{number % 7}\tmove {number}\n"


def _at(number: int) -> int:
    return 1_700_000_000 + 60 * number


def _files(number: int) -> dict[str, str]:
    files = {f"src/module_{number % 8}.py": f"x = {number}\n"}
    if number == 1:
        files |= {".gitattributes": _ATTRIBUTES, ".coord.toml": _CONFIG}
    if number % 5 == 0:
        files[f"coordination/ids/adr/{number:05}.toml"] = f'nonce = "{number}"\n'
    if number % 16 == 1:
        files |= {"src/a.proto": f"{number}\n", "schema.json": f"{{{number}}}\n"}
    return files


def _commit(number: int, parents: list[int], files: dict[str, str]) -> Iterator[str]:
    at = _at(number)
    yield f"commit refs/heads/main\nmark :{number}\nauthor {_WHO} {at} +0000\n"
    yield f"committer {_WHO} {at} +0000\ndata <<END\ncommit {number}\n\n"
    yield f"Signed-off-by: {_WHO}\nEND\n"
    for word, parent in zip(("from", "merge"), parents, strict=False):
        yield f"{word} :{parent}\n"
    for path, text in files.items():
        yield f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}\n"


def made(folder: str, commits: int) -> str:
    """Make a repository of that history, packed as a clone would have it."""
    path = os.path.join(folder, str(commits))
    subprocess.run(["git", "init", "-q", "-b", "main", path], check=True)
    with subprocess.Popen(
        ["git", "fast-import", "--quiet"], cwd=path, stdin=subprocess.PIPE
    ) as child:
        assert child.stdin is not None  # noqa: S101
        for text in history(commits):
            child.stdin.write(text.encode())
        child.stdin.close()
    subprocess.run(["git", "reset", "-q", "--hard"], cwd=path, check=True)
    return path


def check(path: str) -> None:
    """Run ``git coord check`` over the whole history, which is clean."""
    subprocess.run(["git-coord", "check", "main"], cwd=path, check=True, stdout=subprocess.DEVNULL)


def walk(path: str) -> None:
    """Walk the same history with git alone, every change of every commit."""
    subprocess.run(
        ["git", "log", "--raw", "-m", "--format=%H%n%B"],
        cwd=path,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def main() -> None:
    """Print the promises."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {size: made(folder, size) for size in SIZES}
        sides = {str(size): (lambda path=path: check(path)) for size, path in paths.items()}
        sides["git log"] = lambda: walk(paths[SIZES[-1]])
        times = interleaved(sides, ROUNDS)
    small, middle, large = (times[str(size)] for size in SIZES)
    rows = [
        ratio("check: 5,000 commits over 2,500 (linear: 2)", middle, small, 2.6),
        ratio("check: 10,000 commits over 5,000 (linear: 2)", large, middle, 2.6),
        ratio("check of 10,000 commits over git log --raw -m of them", large, times["git log"]),
    ]
    report(rows)
    seconds = " ".join(f"{size}: {min(times[str(size)]):.2f} s" for size in SIZES)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    sys.stdout.write(f"seconds, best of {ROUNDS}: {seconds}; largest child: {peak:.0f} MB\n")


if __name__ == "__main__":
    main()
