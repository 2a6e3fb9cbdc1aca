"""What the rules on logs and write-once files find, before it is asked whether it is excused."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.check.compared import Step
    from coord.check.edges import History
    from coord.history.changes import Change
    from coord.history.commits import Commit


class Fault(NamedTuple):
    """A commit by which a guarded path lost something of a parent.

    Attributes:
        commit: the commit.
        parent: the parent it is compared with.
        path: the path.
        change: the blobs on both sides.
        step: of a log, how the newer version falls short.
        renamed: where the same bytes stand now, None where they are gone.
    """

    commit: Commit
    parent: str
    path: bytes
    change: Change
    step: Step | None = None
    renamed: bytes | None = None

    @property
    def is_merge(self) -> bool:
        """Whether the commit has several parents."""
        return len(self.commit.parents) > 1


def changed(history: History, kind: str) -> Iterator[Fault]:
    """Yield every change of a file of `kind` that was there in the parent, newest first."""
    for commit in history.commits:
        for parent, edge in zip(commit.parents, history.of(commit.id), strict=False):
            for path, change in edge.guarded.items():
                if change.old is None or change.old == change.new:
                    continue  # added, or only its mode changed
                if history.judged(commit, path) == kind:
                    renamed = None if change.new else _moved_to(edge.guarded, change)
                    yield Fault(commit, parent, path, change, renamed=renamed)


def _moved_to(changes: dict[bytes, Change], gone: Change) -> bytes | None:
    for path, change in changes.items():
        if change.old is None and change.new == gone.old:
            return path
    return None
