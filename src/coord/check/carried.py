"""What a merge takes over: a loss that one of its sides brought in is that side's, not the merge's.

git takes a one-sided change without asking, so a merge lacks what a commit on one side dropped.
That commit was judged where it stands in the range; beyond the range it is looked up here, and
only where something is missing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.history import changes, commits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from coord.check.suspects import Fault
    from coord.history.changes import Change
    from coord.history.commits import Commit
    from coord.history.door import Door


def sources(door: Door, fault: Fault) -> Iterator[tuple[Commit, Change]]:
    """Yield the commits on the other sides of a merge that changed the path, and their change."""
    pathspec = f":(top,literal){os.fsdecode(fault.path)}"
    for other in fault.commit.parents:
        if other == fault.parent:
            continue
        found = commits.read(door, [other], [fault.parent], pathspec)
        edges = [(commit, parent) for commit in found for parent in commit.parents]
        pairs = [(commit.id, parent) for commit, parent in edges]
        for (commit, _), entries in zip(edges, changes.along(door, pairs, pathspec), strict=True):
            for raw, _ in entries:
                yield commit, changes.change(raw)


def unexplained(
    door: Door,
    fault: Fault,
    lost: set[bytes],
    lost_by: Callable[[Commit, Change], set[bytes]],
    is_judged: Callable[[Commit], bool],
) -> tuple[set[bytes], Commit | None]:
    """Return what of `lost` no other side accounts for, and a commit beyond the range at fault.

    Args:
        door: the repository.
        fault: a merge that lacks something.
        lost: what it lacks.
        lost_by: what a commit's change dropped.
        is_judged: whether a commit is judged by itself, or excused.
    """
    culprit = None
    for commit, change in sources(door, fault):
        taken = lost & lost_by(commit, change)
        if taken and is_judged(commit):
            lost = lost - taken
        elif taken:
            culprit = commit
    return lost, culprit if lost else None
