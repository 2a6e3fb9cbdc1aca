"""``check`` as a whole: read the range once, apply every rule, say what could not be seen."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from coord.check import commands, derived, people, subject, tip
from coord.check import mend as mending
from coord.check.layout import Scratch
from coord.check.losses import Losses, accepted
from coord.check.textmerge import Merges
from coord.history import revisions
from coord.history.blobs import Blobs
from coord.history.problem import Problem, counted, printed
from coord.repo import underway

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.check.edges import Tick
    from coord.check.mend import Mended
    from coord.check.subject import Subject
    from coord.history.door import Door
    from coord.history.revisions import Range
    from coord.repo.worktree import Worktree


@dataclass(frozen=True)
class Report:
    """What was found.

    Attributes:
        problems: broken rules, those of the oldest commit first, then those of the tree.
        notes: what could not be seen, one line each.
        commits: how many commits were judged.
        guarded: how many files of the tree are guarded.
    """

    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    commits: int = 0
    guarded: int = 0


class Repair(NamedTuple):
    """What was put back, and the commit that does it; None where nothing was lost."""

    mended: tuple[Mended, ...]
    commit: str | None


@contextmanager
def reading(here: Worktree, cwd: str, door: Door, asked: Range, tick: Tick) -> Iterator[Subject]:
    """Read a range, and keep open what the rules look up later.

    Args:
        here: the clone.
        cwd: the folder of the user, for the commands that are printed.
        door: how objects are read.
        asked: the range.
        tick: told of progress.

    Raises:
        GitError: git could not read the range.
    """
    with Scratch() as scratch, Blobs(door) as blobs:
        yield subject.read(here, cwd, door, asked, blobs=blobs, scratch=scratch, tick=tick)


def judge(found: Subject) -> Report:
    """Judge a range and the tree at its end."""
    notes: list[str] = []
    problems = [*_of_commits(found, notes), *tip.problems(found, notes)]
    notes += _unseen(found)
    return Report(tuple(problems), tuple(notes), len(found.history.commits), len(found.kinds))


def mend(found: Subject) -> Repair:
    """Put back what guarded files lost in a range, in one commit.

    Raises:
        Refused: a commit on top of HEAD would not do that, or would do more.
        GitError: git could not write it.
    """
    wanted = mending.plan(found, Losses(found))
    if not wanted:
        return Repair((), None)
    mending.require_ready(found.here, found, wanted)
    return Repair(tuple(wanted), mending.commit(found.here, wanted))


def _of_commits(found: Subject, notes: list[str]) -> list[Problem]:
    """Return the problems of commits, the oldest first; of one commit and path, one a rule."""
    losses = Losses(found)
    problems = list(mending.told_apart(found, losses))
    problems += losses.doubled()
    problems += _stale(found)
    problems += people.problems(found, notes)
    age = {commit.id: -number for number, commit in enumerate(found.history.commits)}
    unique = {(each.rule, each.path, each.commit): each for each in reversed(problems)}
    return sorted(unique.values(), key=lambda each: (age.get(each.commit or "", 1), each.path))


def _stale(found: Subject) -> Iterator[Problem]:
    known, busy = accepted(found), underway.is_busy(found.here)
    merges = Merges(found.door, found.blobs)
    for fault in derived.faults(found.history, found.units, merges):
        if fault.commit.id not in known:
            run = commands.regenerate(found.asked, fault.path, busy=busy)
            yield Problem(fault.rule, printed(fault.path), fault.commit.id, fault.message, run)


def _unseen(found: Subject) -> Iterator[str]:
    if revisions.is_shallow(found.door):
        yield (
            "this clone is shallow: what its oldest commits changed was not seen; "
            "git fetch --unshallow brings the rest"
        )
    if found.blobs.missing:
        number = counted(len(found.blobs.missing), "object")
        yield f"{number} could not be read here; git fetch --refetch brings them"
