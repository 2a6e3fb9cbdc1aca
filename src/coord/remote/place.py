"""Whether a folder of this machine may be pushed to: a bare repository of its own, in no worktree.

git runs the hooks of the repository that it pushes to, as whoever pushes; and what lies in a
worktree may have come with a branch, a whole bare repository with its hooks among it.
"""

from __future__ import annotations

import os

from coord.repo import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def unfit(path: str) -> str:
    """Return in one line why a folder may not be one that is pushed to; empty where it may.

    One that is not there yet is judged by where it would be.
    """
    other = beside(path)
    return _unfit(os.path.realpath(path)) or (other and _unfit(os.path.realpath(other)))


def beside(path: str) -> str:
    """Return `path`.git, which git takes for `path` as well; empty where there is none."""
    other = f"{path.rstrip('/')}.git"
    return other if os.path.lexists(other) else ""


def _unfit(real: str) -> str:
    for folder in _upwards(real):
        if os.path.lexists(os.path.join(folder, ".git")) or os.path.basename(folder) == ".git":
            return f"it lies in the worktree {folder}, where a branch can bring hooks along"
    outer = next((folder for folder in _upwards(os.path.dirname(real)) if _is_bare(folder)), "")
    if outer:
        return f"it lies in the git dir {outer}"
    if os.path.lexists(real) and not _is_bare(real):
        return "there is something else than a bare repository"
    if (
        os.path.lexists(real)
        and git.ask("--git-dir", real, "config", "core.worktree", cwd=real).out
    ):
        return "it is the git dir of a worktree (core.worktree)"
    return ""


def _upwards(path: str) -> Iterator[str]:
    while True:
        yield path
        above = os.path.dirname(path)
        if above == path:
            return
        path = above


def _is_bare(folder: str) -> bool:
    """Tell whether git takes a folder for a git dir, by the three things that it looks for."""
    return all(os.path.lexists(os.path.join(folder, name)) for name in ("HEAD", "objects", "refs"))
