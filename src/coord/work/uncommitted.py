"""What a worker has changed and not committed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.names import shown
from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.repo.worktree import Worktree

_NAMED = 3
# Whatever `status.showUntrackedFiles` says.
_STATUS = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal")


def paths(here: Worktree) -> list[str]:
    """Return the paths with uncommitted changes, untracked ones included."""
    if here.top is None:
        return []
    listing = git.tell(*_STATUS, cwd=here.top)
    return [field[3:] for field in listing.fields]


def told(changed: Sequence[str]) -> str:
    """Return the first of the paths that are not committed, and how many more there are."""
    more = f" and {len(changed) - _NAMED} more" if len(changed) > _NAMED else ""
    return ", ".join(map(shown, changed[:_NAMED])) + more
