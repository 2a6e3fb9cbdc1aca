"""Where branches have in fact changed the same files since their merge base, and which lines."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, NamedTuple

from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.repo.worktree import Worktree

# A diff a file and a side: beyond that the names alone are told.
LOOKED_INTO = 20
_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)


class Region(NamedTuple):
    """Lines of the merge base that both sides have changed or written beside; counted from 1."""

    start: int
    end: int


class Touched(NamedTuple):
    """One file that both branches have changed; `regions` is None where nobody has looked."""

    path: str
    regions: tuple[Region, ...] | None


class Contact(NamedTuple):
    """Two branches, their merge base, and what both have changed since."""

    branches: tuple[str, str]
    base: str
    files: tuple[Touched, ...]


class Branches:
    """Asks git about branches, each question once."""

    def __init__(self, here: Worktree) -> None:
        self._cwd = here.cwd
        self._changed: dict[tuple[str, str], frozenset[str]] = {}

    def contacts(self, names: Sequence[str]) -> list[Contact]:
        """Return the pairs of branches that have changed the same files."""
        tips = {name: tip for name in names if (tip := self._tip(name))}
        pairs = itertools.combinations(sorted(tips), 2)
        found = (self._contact(one, other, tips) for one, other in pairs)
        return [contact for contact in found if contact is not None]

    def _contact(self, one: str, other: str, tips: dict[str, str]) -> Contact | None:
        base = git.ask("merge-base", tips[one], tips[other], cwd=self._cwd).text
        if not base or base in {tips[one], tips[other]}:
            return None  # unrelated, or one has the other: nothing was changed on both sides
        both = sorted(self._since(base, tips[one]) & self._since(base, tips[other]))
        files = tuple(
            Touched(path, self._regions(base, tips[one], tips[other], path, number))
            for number, path in enumerate(both)
        )
        return Contact((one, other), base, files) if files else None

    def _tip(self, branch: str) -> str:
        ref = f"refs/heads/{branch}^{{commit}}"
        return git.ask("rev-parse", "--verify", "--quiet", ref, cwd=self._cwd).text

    def _since(self, base: str, tip: str) -> frozenset[str]:
        if (base, tip) not in self._changed:
            words = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", base, tip)
            self._changed[base, tip] = frozenset(git.tell(*words, cwd=self._cwd).fields)
        return self._changed[base, tip]

    def _regions(
        self, base: str, one: str, other: str, path: str, number: int
    ) -> tuple[Region, ...] | None:
        if number >= LOOKED_INTO:
            return None
        return shared(self._hunks(base, one, path), self._hunks(base, other, path))

    def _hunks(self, base: str, tip: str, path: str) -> list[Region]:
        words = ("diff-tree", "-p", "-U0", "--no-renames", "--no-ext-diff", "--no-textconv")
        spec = f":(top,literal){path}"
        done = git.tell(*words, "--no-color", base, tip, "--", spec, cwd=self._cwd)
        return [
            region(int(start), 1 if count == b"" else int(count))
            for start, count in _HUNK.findall(done.out)
        ]


def region(start: int, count: int) -> Region:
    """Return what a hunk touches in the base; an insertion, both lines that it stands between."""
    return Region(start, start + count - 1) if count else Region(start, start + 1)


def shared(one: Sequence[Region], other: Sequence[Region]) -> tuple[Region, ...]:
    """Return where two lists of regions meet."""
    met = {
        Region(max(mine.start, theirs.start), min(mine.end, theirs.end))
        for mine, theirs in itertools.product(one, other)
        if mine.start <= theirs.end and theirs.start <= mine.end
    }
    return tuple(sorted(met))
