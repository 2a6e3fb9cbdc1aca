"""Files of ours that git reads as config: damaged, one of them ends every git command.

So git cannot be asked where we are. The folders are found as git finds them, and each file is
shown to a git that reads no repository.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base import command
from coord.base.errors import Environment
from coord.base.names import quote
from coord.identity.includeif import AUTHOR
from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Iterator

# coord-install writes both anew; the author's file comes back with the includeIf lines.
_SHARED = ("hooks/coord/config", "coord/identities")


def found_from(cwd: str) -> Environment | None:
    """Return what is wrong with our files in the repository that `cwd` is in; None: nothing is."""
    dirs = _dirs(os.path.realpath(cwd))
    return None if dirs is None else found_in(*dirs)


def found_in(git_dir: str, common_dir: str) -> Environment | None:
    """Return what is wrong with our config files of a worktree; None: nothing is."""
    paths = [os.path.join(common_dir, name) for name in _SHARED]
    for path in (*paths, os.path.join(git_dir, AUTHOR)):
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


def _dirs(folder: str) -> tuple[str, str] | None:
    """Return private and common git dir; None outside of repositories."""
    for above in _upwards(folder):
        git_dir = _git_dir(above)
        if git_dir is not None:
            link = _line(os.path.join(git_dir, "commondir"))
            return git_dir, os.path.normpath(os.path.join(git_dir, link)) if link else git_dir
    return None


def _upwards(folder: str) -> Iterator[str]:
    yield folder
    while folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
        yield folder


def _git_dir(folder: str) -> str | None:
    """Return the git dir that a folder has, or is."""
    named = os.path.join(folder, ".git")
    link = _line(named).removeprefix("gitdir: ")
    for path in (os.path.normpath(os.path.join(folder, link)) if link else named, folder):
        if os.path.exists(os.path.join(path, "HEAD")):
            return path
    return None


def _line(path: str) -> str:
    """Return the first line of a file, empty where there is none."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.readline().rstrip("\n")
    except OSError:
        return ""
