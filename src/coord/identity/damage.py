"""Files of ours that git reads as config: damaged, one of them ends every git command.

So git cannot be asked where we are. The folders are found as git finds them, and each file is
shown to a git that reads no repository.
"""

from __future__ import annotations

import os

from coord.base import command
from coord.base.errors import Environment
from coord.base.names import quote
from coord.identity import includeif
from coord.repo import git, worktree


def found_from(cwd: str) -> Environment | None:
    """Return what is wrong with our files in the repository that `cwd` is in; None: nothing is."""
    place = worktree.of_files(os.path.realpath(cwd))
    return None if place is None else found_in(place.git_dir, place.common_dir)


def found_in(git_dir: str, common_dir: str) -> Environment | None:
    """Return what is wrong with our config files of a worktree; None: nothing is."""
    # coord-install writes them anew; the author's file comes back with the includeIf lines.
    names = ("hooks/coord/config", *(f"coord/{name}" for name in includeif.files(common_dir)))
    paths = [os.path.join(common_dir, name) for name in names]
    for path in (*paths, os.path.join(git_dir, includeif.AUTHOR)):
        if not os.path.lexists(path):
            continue
        done = git.ask("config", "--file", path, "--list", cwd=os.sep)
        if done.code:
            return _damaged(path, " ".join(os.fsdecode(done.err).split()))
    return None


def _damaged(path: str, words: str) -> Environment:
    options = "-r " if os.path.isdir(path) and not os.path.islink(path) else ""
    return Environment(
        "repository-unreadable",
        "a file of ours that git reads as config is damaged",
        where=path,
        why=f"git said: {words}; it holds nothing that coord-install does not write again",
        run=f"rm {options}{quote(path)} && {command.install()}",
    )
