"""Replay the merges of real changelogs: git's text merge, git's union, and the join, by outcome.

    python bench/replay_logs.py [--most N] [--seed N] [--wrong FOLDER] CLONE…

A merge counts where both parents had changed the file since their one base, differently. Of each
clone at most N are taken, at random. What people committed then is what each outcome is held
against; blank lines and what lines trail are of no account. A *content* is a line with the titles
of the sections it stands below.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from coord.drivers import document, tree
from coord.drivers.join import Refused
from coord.drivers.law import joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Contents = Counter[tuple[tuple[bytes, ...], bytes]]
    Strategy = Callable[["Merge"], bytes | None]

#: Where changelogs are, from the top of a repository.
PATHS = [
    f"{name}{ending}"
    for name in (
        *("CHANGELOG", "Changelog", "ChangeLog", "changelog", "CHANGES", "Changes", "HISTORY"),
        *("History", "NEWS", "docs/changelog", "docs/CHANGELOG", "doc/changelog", "docs/changes"),
        *("activerecord/CHANGELOG", "actionpack/CHANGELOG", "activesupport/CHANGELOG"),
    )
    for ending in (".md", ".rst", ".txt", ".markdown", "")
]
WORDS = (
    *("as committed", "order only", "sound", "refused"),
    *("misplaced", "doubled", "lost", "undone"),
)


class Merge(NamedTuple):
    """A merge of history: three texts, and what was committed."""

    name: str
    base: bytes
    ours: bytes
    theirs: bytes
    committed: bytes


class Clone:
    """A repository that is only read."""

    def __init__(self, folder: str) -> None:
        self.name = os.path.basename(os.path.dirname(os.path.abspath(folder)))
        self._folder = folder

    def git(self, *args: str, feed: bytes = b"") -> bytes:
        """Return the stdout of a git that may fail."""
        argv = ["git", "-C", self._folder, "-c", "core.fsmonitor=false", *args]
        return subprocess.run(argv, input=feed, capture_output=True, check=False).stdout

    def merges(self, most: int, seed: int) -> Iterator[Merge]:
        """Yield at most `most` of the merges that count, chosen by `seed`."""
        found = list(self._candidates())
        random.Random(seed).shuffle(found)
        taken = 0
        for path, merge, ours, theirs in found:
            if taken == most:
                return
            bases = self.git("merge-base", "--all", f"{merge}^1", f"{merge}^2").decode().split()
            if len(bases) != 1:
                continue
            before, committed = self._blobs([f"{bases[0]}:{path}", f"{merge}:{path}"])
            if not before or not committed or before in {ours, theirs}:
                continue
            texts = [self.git("cat-file", "blob", blob) for blob in (before, ours, theirs)]
            texts.append(self.git("cat-file", "blob", committed))
            if not any(b"\0" in text or b"\n<<<<<<< " in text for text in texts):
                taken += 1
                yield Merge(f"{self.name} {merge[:12]} {path}", *texts)

    def _candidates(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield path, merge and the blobs of two parents that differ."""
        merges = self.git("rev-list", "--min-parents=2", "--max-parents=2", "HEAD").decode().split()
        for path in PATHS:
            names = [f"{merge}^{parent}:{path}" for merge in merges for parent in (1, 2)]
            blobs = self._blobs(names)
            for merge, ours, theirs in zip(merges, blobs[::2], blobs[1::2], strict=True):
                if ours and theirs and ours != theirs:
                    yield path, merge, ours, theirs

    def _blobs(self, names: list[str]) -> list[str]:
        """Return the ids of blobs; "" for what is none."""
        answer = self.git("cat-file", "--batch-check", feed="\n".join(names).encode() + b"\n")
        rows = (line.split() for line in answer.decode(errors="replace").splitlines())
        return [row[0] if row[1:2] == ["blob"] else "" for row in rows]


def merge_file(*options: str) -> Strategy:
    """Return git's own merge of three texts, with options of ``git merge-file``."""

    def strategy(merge: Merge) -> bytes | None:
        with tempfile.TemporaryDirectory(prefix="coord-bench-") as folder:
            names = [os.path.join(folder, name) for name in ("ours", "base", "theirs")]
            for name, text in zip(names, (merge.ours, merge.base, merge.theirs), strict=True):
                with open(name, "wb") as file:
                    file.write(text)
            argv = ["git", "merge-file", "-p", "-q", *options, *names]
            done = subprocess.run(argv, capture_output=True, check=False)
        return None if done.returncode else done.stdout

    return strategy


def ours(join: Callable[[bytes, bytes, bytes], bytes]) -> Strategy:
    """Return what a join of three texts comes to."""

    def strategy(merge: Merge) -> bytes | None:
        try:
            return join(merge.base, merge.ours, merge.theirs)
        except Refused:
            return None

    return strategy


CHANGELOG = "as a changelog"
STRATEGIES = {
    "git's text merge": merge_file(),
    "git's union": merge_file("--union"),
    "as a log of lines": ours(partial(joined, "log", None)),
    "as a journal of blocks": ours(partial(document.join, edits=False)),
    CHANGELOG: ours(partial(joined, "changelog", None)),
}


def contents(text: bytes) -> Contents:
    """Return how often each content stands in a text."""
    return Counter(tree.contents(text, None))


def outcome(result: bytes | None, merge: Merge) -> str:
    """Return the word for one replayed merge, which a strategy refused where it is None."""
    if result is None:
        return "refused"
    if _lines(result) == _lines(merge.committed):
        return "as committed"
    held, committed = contents(result), contents(merge.committed)
    if held == committed:
        return "order only"
    faults = _faults(held, *map(contents, (merge.base, merge.ours, merge.theirs)))
    return next((word for word in WORDS if word in faults), "sound")


def _lines(text: bytes) -> list[bytes]:
    return [line.rstrip() for line in text.replace(b"\r", b"").split(b"\n") if line.strip()]


def _faults(held: Contents, base: Contents, ours: Contents, theirs: Contents) -> set[str]:
    """Return what is wrong with a result, whatever was committed."""
    faults = set()
    for content in held | ours | theirs:
        most = max(ours[content], theirs[content])
        least = min(ours[content], theirs[content])
        if not content[1]:
            if held[content] > max(most, 1):
                faults.add("doubled")
        elif held[content] > most:
            faults.add("doubled" if most else "misplaced")
        elif held[content] < most and most > base[content]:
            if held[content] <= max(base[content], least):
                faults.add("lost")
        elif content in held and not least and most <= base[content] and base[content]:
            faults.add("undone")
    return faults


def replay(merges: list[Merge], wrong: str | None) -> dict[str, Counter[str]]:
    """Return how often each strategy came out how; what ours has wrong goes into a folder."""
    table: dict[str, Counter[str]] = {name: Counter() for name in STRATEGIES}
    for number, merge in enumerate(merges):
        for name, strategy in STRATEGIES.items():
            result = strategy(merge)
            word = outcome(result, merge)
            table[name][word] += 1
            if wrong and name == CHANGELOG and word in WORDS[4:] and result is not None:
                _keep(os.path.join(wrong, f"{word} {number}"), merge, result)
    return table


def _keep(folder: str, merge: Merge, result: bytes) -> None:
    os.makedirs(folder)
    for name, text in (*merge._asdict().items(), ("result", result)):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--most", type=int, default=22, help="merges of one clone")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--wrong", help="a new folder for the merges that the join has wrong")
    parser.add_argument("clones", nargs="+")
    args = parser.parse_args()
    found = {clone: list(Clone(clone).merges(args.most, args.seed)) for clone in args.clones}
    merges = [merge for some in found.values() for merge in some]
    table = replay(merges, args.wrong)
    out = [f"{len(merges)} merges of {sum(map(bool, found.values()))} repositories", ""]
    out.append(f"| strategy | {' | '.join(WORDS)} |")
    out.append("|---" * (1 + len(WORDS)) + "|")
    for name, counts in table.items():
        out.append(f"| {name} | {' | '.join(str(counts[word]) for word in WORDS)} |")
    sys.stdout.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
