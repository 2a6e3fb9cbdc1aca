"""``check``: commits that may have met neither hook nor driver, and the tree, judged by the rules.

Each function takes what is told of progress: only the front door knows whether anybody looks on.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from coord.check import judge, snapshot
from coord.check.judge import Repair, Report
from coord.history import revisions
from coord.history.door import Door
from coord.repo import git
from coord.work import where

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.check.edges import Tick
    from coord.check.subject import Subject
    from coord.repo.worktree import Worktree
    from coord.work.call import Call


def of_tree(call: Call, tick: Tick) -> Report:
    """Judge the tree and what is uncommitted, no history.

    Raises:
        Environment: git is too old.
        GitError: git could not read the tree.
    """
    here = _located(call)
    with snapshot.taken(here) as (door, asked):
        if asked is None:
            return Report()
        with judge.reading(here, call.cwd, door, asked, tick) as found:
            return snapshot.uncommitted(judge.judge(found), asked)


def of_range(call: Call, words: str | None, tick: Tick) -> Report:
    """Judge the commits of a range as it is typed, by default those that are not upstream.

    Raises:
        Usage: no such range.
        Environment: git is too old.
        GitError: git could not read the range.
    """
    with _reading(call, words, tick) as found:
        return judge.judge(found) if found else Report()


def mend(call: Call, words: str | None, tick: Tick) -> Repair:
    """Put back, on top of HEAD, what logs and write-once files lost in a range.

    Raises:
        Refused: a commit on top of HEAD would not do that, or would do more.
        Usage: no such range.
        Environment: git is too old.
        GitError: git could not read the range, or write the commit.
    """
    with _reading(call, words, tick) as found:
        return judge.mend(found) if found else Repair((), None)


@contextmanager
def _reading(call: Call, words: str | None, tick: Tick) -> Iterator[Subject | None]:
    """Read the range that was typed, or the default one; None on an unborn branch."""
    here = _located(call)
    door = Door(here.cwd)
    asked = revisions.default(door) if words is None else revisions.resolve(door, words)
    if asked is None:
        yield None
        return
    with judge.reading(here, call.cwd, door, asked, tick) as found:
        yield found


def _located(call: Call) -> Worktree:
    here = where.located(call)
    git.require_version(here.cwd)
    return here
