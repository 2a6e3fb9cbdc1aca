"""Where branches have in fact changed the same files since their merge base, and which lines."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, NamedTuple

from coord.guard import guarded
from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coord.repo.worktree import Worktree

# A diff a file and a side: beyond that the names alone are told.
LOOKED_INTO = 20
_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)


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


class Branches:
    """Asks git about branches, each question once."""

    def __init__(self, here: Worktree) -> None:
        self._here, self._cwd = here, here.cwd
        self._changed: dict[tuple[str, str], frozenset[str]] = {}

    def contacts(self, names: Sequence[str]) -> list[Contact]:
        """Return the pairs of branches that have changed the same files."""
        tips = {name: tip for name in names if (tip := self._tip(name))}
        pairs = itertools.combinations(sorted(tips), 2)
        found = (self._contact(one, other, tips) for one, other in pairs)
        contacts = [contact for contact in found if contact is not None]
        kinds = guarded.kinds(self._here, {one.path for some in contacts for one in some.files})
        judged = (self._judged(one, kinds, tips) for one in contacts)
        return [contact for contact in judged if contact.files]

    def _contact(self, one: str, other: str, tips: dict[str, str]) -> Contact | None:
        base = git.ask("merge-base", tips[one], tips[other], cwd=self._cwd).text
        if not base or base in {tips[one], tips[other]}:
            return None  # unrelated, or one has the other: nothing was changed on both sides
        both = sorted(self._since(base, tips[one]) & self._since(base, tips[other]))
        return Contact((one, other), base, tuple(Touched(path, None) for path in both))

    def _judged(self, found: Contact, kinds: Mapping[str, str], tips: Mapping[str, str]) -> Contact:
        """Look into the files of a contact that a driver neither joins nor refuses."""
        one, other = (tips[name] for name in found.branches)
        differ = self._since(one, other)
        kept = [file for file in found.files if kinds.get(file.path) not in guarded.JOINED]
        plain = [file.path for file in kept if file.path not in kinds and file.path in differ]
        regions = {
            path: self._regions(found.base, one, other, path) for path in plain[:LOOKED_INTO]
        }
        regions |= {file.path: () for file in kept if file.path not in differ}
        return found._replace(
            files=tuple(file._replace(regions=regions.get(file.path)) for file in kept)
        )

    def _tip(self, branch: str) -> str:
        ref = f"refs/heads/{branch}^{{commit}}"
        return git.ask("rev-parse", "--verify", "--quiet", ref, cwd=self._cwd).text

    def _since(self, base: str, tip: str) -> frozenset[str]:
        if (base, tip) not in self._changed:
            words = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", base, tip)
            self._changed[base, tip] = frozenset(git.tell(*words, cwd=self._cwd).fields)
        return self._changed[base, tip]

    def _regions(self, base: str, one: str, other: str, path: str) -> tuple[Region, ...] | None:
        """Return where both have changed a file; None where it has no lines, or only its mode."""
        mine, theirs = self._hunks(base, one, path), self._hunks(base, other, path)
        return shared(mine, theirs) if mine and theirs else None

    def _hunks(self, base: str, tip: str, path: str) -> list[Hunk]:
        words = ("diff-tree", "-p", "-U0", "--no-renames", "--no-ext-diff", "--no-textconv")
        spec = f":(top,literal){path}"
        done = git.tell(*words, "--no-color", base, tip, "--", spec, cwd=self._cwd)
        return [
            Hunk(int(start), 1 if count == b"" else int(count))
            for start, count in _HUNK.findall(done.out)
        ]


def shared(one: Sequence[Hunk], other: Sequence[Hunk]) -> tuple[Region, ...]:
    """Return where two lists of hunks meet, as git's merge has it: no line stands between them."""
    met = {_common(a, b) for a, b in itertools.product(one, other) if a.touches(b)}
    return tuple(sorted(met))


def _common(one: Hunk, other: Hunk) -> Region:
    """Return the lines that both hunks change, or between which both stand."""
    start, end = max(one.before, other.before), min(one.after, other.after)
    return Region(start + 1, end) if start < end else Region(end, end + 1)
