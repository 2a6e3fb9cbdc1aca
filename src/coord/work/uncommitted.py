"""What a worker has changed and not committed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.repo import git

if TYPE_CHECKING:
    from coord.repo.worktree import Worktree

# Whatever `status.showUntrackedFiles` says.
_STATUS = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal")


def paths(here: Worktree) -> list[str]:
    """Return the paths with uncommitted changes, untracked ones included."""
    if here.top is None:
        return []
    listing = git.tell(*_STATUS, cwd=here.top)
    return [field[3:] for field in listing.fields]
