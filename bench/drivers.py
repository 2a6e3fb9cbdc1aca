"""What joining costs: many conflicted logs, one log of a million records, a large changelog.

The floor is a driver that does nothing: git starts a shell for each path. Each side is a repository
of its own, made alike but for the driver; they take turns within a round.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import Ratio, interleaved, ratio, report, resident, scratch

PYTHON = os.path.realpath(sys.executable)
MANY, LINES, MILLION, APPENDED = 300, 2_040, 1_000_000, 1_000
RSS_BOUND = 16.0  # mebibytes
DRIVER = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from coord.drivers.entry import main
main()
"""


class Side:
    """A repository whose logs go to one merge driver, with ``side`` to merge into ``main``."""

    def __init__(self, path: Path, merge: str, logs: int, lines: int, appended: int) -> None:
        self.path = path
        self.env = scratch(path)
        self.git("config", "merge.floor.driver", "exit 0")
        (path / ".gitattributes").write_text(f"*.log merge={merge}\n")
        base = "".join(f"{stamp(1, number)} record {number}\n" for number in range(lines))
        self._commit(logs, base)
        self.git("branch", "side")
        self._commit(logs, base + tail("main", appended))
        self.git("switch", "-q", "side")
        self._commit(logs, base + tail("side", appended))
        self.git("switch", "-q", "main")

    def _commit(self, logs: int, text: str) -> None:
        for number in range(logs):
            (self.path / f"{number}.log").write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "change")

    def git(self, *args: str) -> None:
        """Run git in silence and insist on success."""
        quiet = subprocess.DEVNULL
        argv = ["git", *args]
        subprocess.run(argv, cwd=self.path, env=self.env, check=True, stdout=quiet, stderr=quiet)

    def merge(self) -> None:
        """Merge the two branches, and commit."""
        self.git("merge", "-q", "--no-edit", "side")

    def reset(self) -> None:
        """Take the merge back."""
        self.git("reset", "-q", "--hard", "main@{1}")


def stamp(day: int, number: int) -> str:
    """Return an instant of a day."""
    minute, second = divmod(number, 60)
    return f"2026-01-{day:02}T{minute // 60 % 24:02}:{minute % 60:02}:{second:02}Z"


def tail(who: str, appended: int) -> str:
    """Return the records that one side appends."""
    return "".join(f"{stamp(2, number)} {who} {number}\n" for number in range(appended))


def merges(sides: dict[str, Side], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each side's merge by round."""
    turns = {}
    for name, side in sides.items():
        turns[name] = side.merge
        turns[f"{name}, taken back"] = side.reset
    return interleaved(turns, rounds)


def installed(folder: Path, logs: int, lines: int, appended: int) -> Side:
    """Return a side with our driver, from coord-install."""
    side = Side(folder / "ours", "coord-log", logs, lines, appended)
    subprocess.run(["coord-install"], cwd=side.path, env=side.env, check=True, capture_output=True)
    return side


def many_logs(folder: Path, rounds: int, logs: int) -> list[Ratio]:
    """Return what a merge of many conflicted logs costs."""
    folder.mkdir()
    size = (logs, LINES, 1)
    sides = {name: Side(folder / name, name, *size) for name in ("floor", "union")}
    times = merges({**sides, "ours": installed(folder, *size)}, rounds)
    what = f"merge of {logs} conflicted logs, beside"
    return [
        ratio(f"{what} a driver that does nothing", times["ours"], times["floor"], 2.5),
        ratio(f"{what} the built-in union", times["ours"], times["union"]),
    ]


def one_large_log(folder: Path, rounds: int, lines: int) -> list[Ratio]:
    """Return what a merge of one large log costs, and what its driver holds in memory."""
    folder.mkdir()
    size = (1, lines, APPENDED)
    union, ours = Side(folder / "union", "union", *size), installed(folder, *size)
    times = merges({"union": union, "ours": ours}, rounds)
    what = f"merge of one log of {lines:,} records, beside union"
    held = [bytes_held(ours, folder) / 2**20 for _ in range(rounds)]
    return [
        ratio(what, times["ours"], times["union"], 0.6),
        ratio("  its driver's resident memory, in MiB", held, [1.0] * rounds, RSS_BOUND),
    ]


def bytes_held(side: Side, folder: Path) -> int:
    """Return the bytes that the driver holds at most, when it joins the log of `side`."""
    names = []
    for name, rev in (("O", "main~1"), ("A", "main"), ("B", "side")):
        with (folder / name).open("wb") as file:
            argv = ["git", "show", f"{rev}:0.log"]
            subprocess.run(argv, cwd=side.path, env=side.env, check=True, stdout=file)
        names.append(str(folder / name))
    return resident(driver("log", names), side.path)


def driver(kind: str, names: list[str]) -> list[str]:
    """Return the command by which the driver of a kind joins three files."""
    library = subprocess.run(
        [sys.executable, "-c", "import coord, os; print(os.path.dirname(coord.__path__[0]))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    return [PYTHON, "-I", "-S", "-c", DRIVER, library, "drivers", kind, "real", *names, "0.log"]


def a_changelog(folder: Path, rounds: int, megabytes: int) -> list[Ratio]:
    """Return what a changelog costs whose unreleased section both sides extend, and ten of it."""
    folder.mkdir()
    turns = {}
    for times in (1, 10):
        place = folder / str(times)
        place.mkdir()
        turns[str(times)] = Changelog(place, times * megabytes).join
    found = interleaved(turns, rounds)
    what = f"join of a changelog of {megabytes} MB"
    return [
        ratio(f"{what}, in seconds", found["1"], [1.0] * rounds, 0.5 * megabytes),
        ratio(f"{what[:-4]}{10 * megabytes} MB, beside that", found["10"], found["1"], 12.0),
    ]


class Changelog:
    """Three versions of a changelog, each side with an entry of its own at the top."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        entry = "- an entry about something that was changed for a reason, by somebody (#{})\n"
        rows = range(megabytes * 1_000_000 // len(entry))
        old = "".join(
            f"\n## {number // 40}.0\n\n{entry.format(number)}"
            if number % 40 == 0
            else entry.format(number)
            for number in reversed(rows)
        )
        for name, own in (("O", ""), ("A", "- of main\n"), ("B", "- of side\n")):
            text = f"# Changes\n\n## Unreleased\n\n{own}- first\n{old}"
            (folder / name).write_text(text)
        self._ours = folder / "A"
        self._before = self._ours.read_bytes()
        self._argv = driver("changelog", [str(folder / name) for name in "OAB"])

    def join(self) -> None:
        """Join them; ours is put back first, which costs a write."""
        self._ours.write_bytes(self._before)
        subprocess.run(self._argv, check=True, cwd=self._ours.parent)


def rows(scale: float = 1.0) -> list[Ratio]:
    """Return every promise, measured; a smaller `scale` takes fewer rounds and records."""
    rounds = max(3, round(9 * scale))
    with tempfile.TemporaryDirectory(prefix="coord-bench-") as name:
        return [
            *many_logs(Path(name) / "many", rounds, max(10, round(MANY * scale))),
            *one_large_log(Path(name) / "large", rounds, max(1_000, round(MILLION * scale))),
            *a_changelog(Path(name) / "changelog", rounds, 1),
        ]


def main() -> None:
    """Print the promises."""
    report(rows(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0))


if __name__ == "__main__":
    main()
