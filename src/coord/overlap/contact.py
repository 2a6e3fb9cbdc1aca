"""Where branches have in fact changed the same files since their merge base, and which lines."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, NamedTuple

from coord.base.cquote import c_unquoted
from coord.guard import guarded
from coord.overlap import forks
from coord.repo import git, tracking

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from coord.overlap.forks import Fork
    from coord.repo.worktree import Worktree

# A diff a file and a side: beyond that the names alone are told.
LOOKED_INTO = 20
_AT_ONCE = 400  # paths in one command line
_HEADS = "refs/heads/"
_DIFF = (
    *("diff-tree", "--stdin", "--always", "-r", "--no-renames", "--no-ext-diff"),
    *("--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"),
)
# What a diff says begins lines of its own: those of a file are behind "+", "-" or "\\".
_HEADER = re.compile(r"\n[0-9a-f]{40,64}(?=\n)")
_PATCH = re.compile(r"^diff --git ", re.MULTILINE)
_NAMED = re.compile(r"^(?:---|\+\+\+) (.*)$", re.MULTILINE)
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)
_Side = tuple[str, str]  # a base and a tip


class Region(NamedTuple):
    """Lines of the merge base that both sides have changed or written beside; counted from 1."""

    start: int
    end: int


class Hunk(NamedTuple):
    """What one side has changed in the base: `size` lines from `start`, or none, after `start`."""

    start: int
    size: int

    @property
    def before(self) -> int:
        """The line of the base after which it begins."""
        return self.start - 1 if self.size else self.start

    @property
    def after(self) -> int:
        """The line of the base after which it ends."""
        return self.before + self.size

    def touches(self, other: Hunk) -> bool:
        """Tell whether no line stands between two hunks: a merge joins only others."""
        return self.before <= other.after and other.before <= self.after


class Touched(NamedTuple):
    """One file that both branches have changed; `regions` is None where lines do not tell."""

    path: str
    regions: tuple[Region, ...] | None


class Contact(NamedTuple):
    """Two branches, their merge base, and what both have changed since.

    Logs are none of it: their driver joins what both have appended.
    """

    branches: tuple[str, str]
    base: str
    files: tuple[Touched, ...]

    @property
    def unsettled(self) -> list[Touched]:
        """The files that a merge would not settle by itself, as far as somebody has looked."""
        return [one for one in self.files if one.regions != ()]


class _Met(NamedTuple):
    """A fork, which of the paths differ now, and all that both sides have changed, in order."""

    fork: Fork
    differ: set[str]
    paths: list[str]


def contacts(here: Worktree, names: Iterable[str], afar: Collection[str] = ()) -> list[Contact]:
    """Return the pairs of branches that have changed the same files.

    A handful of git children, however many branches there are.

    Args:
        here: where git is asked.
        names: the branches.
        afar: those of them that are other clones': of these, what was last fetched counts.
    """
    tips = _tips(here, set(names) - set(afar)) | _fetched(here, afar)
    borne: dict[str, list[str]] = {}
    for name in sorted(tips):
        borne.setdefault(tips[name], []).append(name)
    found = _changed(here, forks.forks(here, borne))
    kinds = guarded.kinds(here, {path for _, _, paths in found for path in paths})
    seen = list(_looked_into(here, found, kinds))
    named = (
        Contact((min(pair), max(pair)), fork.base, files)
        for fork, files in seen
        for pair in itertools.product(*(borne[tip] for tip in fork.tips))
    )
    return sorted(named, key=lambda one: one.branches)


def _tips(here: Worktree, names: Iterable[str]) -> dict[str, str]:
    wanted = set(names)
    listing = git.tell("for-each-ref", "--format=%(objectname) %(refname)", _HEADS, cwd=here.cwd)
    pairs = (line.split(" ", 1) for line in listing.text.split("\n") if line)
    tips = {full.removeprefix(_HEADS): commit for commit, full in pairs}
    return {name: tips[name] for name in wanted & tips.keys()}


def _fetched(here: Worktree, names: Collection[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in tracking.tracked(here.cwd) if names else ():
        if one.name in names:
            found.setdefault(one.name, one.commit)
    return found


def _changed(here: Worktree, found: Iterable[Fork]) -> list[_Met]:
    """Return of each fork what either side has now of the paths that both have changed."""
    ones = list(found)
    wanted: dict[_Side, set[str]] = {}
    for fork in ones:
        for tip in fork.tips:
            wanted.setdefault((fork.base, tip), set()).update(fork.paths)
    has = {side: dict(_raw(text)) for side, text in _diffs(here, wanted, "--raw", "--no-abbrev")}
    met = []
    for fork in ones:
        mine, theirs = (has[fork.base, tip] for tip in fork.tips)
        both = sorted(fork.paths & mine.keys() & theirs.keys())
        if both:
            met.append(_Met(fork, {path for path in both if mine[path] != theirs[path]}, both))
    return met


def _looked_into(
    here: Worktree, found: Sequence[_Met], kinds: Mapping[str, str]
) -> Iterator[tuple[Fork, tuple[Touched, ...]]]:
    """Look into the files of each fork that a driver neither joins nor refuses."""
    plain = [
        [path for path in one.paths if path not in kinds and path in one.differ][:LOOKED_INTO]
        for one in found
    ]
    wanted: dict[_Side, set[str]] = {}
    for (fork, *_), paths in zip(found, plain, strict=True):
        for tip in fork.tips if paths else ():
            wanted.setdefault((fork.base, tip), set()).update(paths)
    hunks = {side: _hunks(text) for side, text in _diffs(here, wanted, "-p", "-U0")}
    for (fork, differ, every), paths in zip(found, plain, strict=True):
        regions: dict[str, tuple[Region, ...] | None] = dict.fromkeys({*every} - differ, ())
        for path in paths:
            mine, theirs = (hunks[fork.base, tip].get(path) for tip in fork.tips)
            regions[path] = shared(mine, theirs) if mine and theirs else None
        kept = (path for path in every if kinds.get(path) not in guarded.JOINED)
        files = tuple(Touched(path, regions.get(path)) for path in kept)
        if files:
            yield fork, files


def _diffs(
    here: Worktree, wanted: Mapping[_Side, Collection[str]], *form: str
) -> Iterator[tuple[_Side, str]]:
    """Yield what git says, in a `form`, of the paths wanted of (base, tip), and maybe of others."""
    sides = list(wanted)
    while sides:
        paths: set[str] = set()
        size = 0
        while size < len(sides) and (not size or len(paths) < _AT_ONCE):
            paths |= set(wanted[sides[size]])
            size += 1
        now, sides = sides[:size], sides[size:]
        stdin = "".join(f"{tip} {base}\n" for base, tip in now).encode()
        specs = [f":(top,literal){path}" for path in sorted(paths)]
        said = git.tell(*_DIFF, *form, "--", *specs, cwd=here.cwd, stdin=stdin).text
        yield from zip(now, _HEADER.split(f"\n{said}\n")[1:], strict=True)


def _raw(text: str) -> Iterator[tuple[str, str]]:
    """Yield (path, its mode and blob), nothing of a file that is gone."""
    for line in text.split("\n"):
        if line:
            facts, _, path = line.partition("\t")
            _, mode, _, blob, status = facts.split(" ")
            yield c_unquoted(path), "" if status == "D" else f"{mode} {blob}"


def _hunks(text: str) -> dict[str, list[Hunk]]:
    """Return {path: what was changed in it}; nothing of one that has no lines, or only its mode."""
    found: dict[str, list[Hunk]] = {}
    for patch in _PATCH.split(text)[1:]:
        head, _, lines = patch.partition("\n@@ ")
        sides = [one for one in _NAMED.findall(head) if one != "/dev/null"]
        if sides and lines:
            path = c_unquoted(sides[0].removesuffix("\t"))[len("a/") :]
            hunks = _HUNK.findall(f"@@ {lines}")
            found.setdefault(path, []).extend(Hunk(int(a), int(n or 1)) for a, n in hunks)
    return found


def shared(one: Sequence[Hunk], other: Sequence[Hunk]) -> tuple[Region, ...]:
    """Return where two lists of hunks meet, as git's merge has it: no line stands between them."""
    met = {_common(a, b) for a, b in itertools.product(one, other) if a.touches(b)}
    return tuple(sorted(met))


def _common(one: Hunk, other: Hunk) -> Region:
    """Return the lines that both hunks change, or between which both stand."""
    start, end = max(one.before, other.before), min(one.after, other.after)
    return Region(start + 1, end) if start < end else Region(end, end + 1)
