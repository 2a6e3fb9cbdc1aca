"""Writing a claim into the worktree: absent or whole, never over another, never out of it."""

from __future__ import annotations

import os
import random
import time
from typing import TYPE_CHECKING

from coord.base import publish
from coord.base.errors import CoordError, Refused
from coord.base.names import quote
from coord.repo import git
from coord.settle import index

if TYPE_CHECKING:
    from coord.settle.index import Spot

_PATIENCE = 2.0  # seconds in which another git gives its lock up, or was killed
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def write(spot: Spot, path: str, data: bytes) -> None:
    """Create a file of the worktree, with its folders.

    Raises:
        Refused: a symlink stands in the place of a folder, or something in the file's.
        OSError: the worktree cannot be written.
    """
    spot.require_inside(path)
    _make_folders(spot.top, os.path.dirname(path))
    if not _published(spot, path, data):
        raise Refused(
            "id-taken",
            "something stands where the file of a new identifier goes",
            where=path,
            why="a claim is written once and replaces nothing",
            run=f"git status -- {spot.typed(path)}",
        )


def require_folder(spot: Spot, path: str) -> None:
    """Refuse a path below what is a file, before a number is taken for it.

    Raises:
        Refused: a file stands in the place of a folder.
    """
    folder = ""
    for part in path.split(os.sep)[:-1]:
        folder = os.path.join(folder, part)
        full = spot.full(folder)
        if os.path.lexists(full) and not os.path.isdir(full):
            raise Refused(
                "file-in-the-way",
                f"{folder} is a file, and a folder belongs there",
                where=path,
                why="every identifier of a namespace is a file in its folder",
                run=f"mv -n {spot.typed(folder)} {quote(f'{os.path.basename(folder)}.aside')}",
            )


def _make_folders(top: str, folder: str) -> None:
    """Make the folders one by one: none of them may be a link, also when somebody races us."""
    at = os.open(top, _FOLDER & ~os.O_NOFOLLOW)
    try:
        for part in folder.split(os.sep) if folder else ():
            try:
                os.mkdir(part, dir_fd=at)
            except FileExistsError:
                pass
            inner = os.open(part, _FOLDER, dir_fd=at)
            os.close(at)
            at = inner
    finally:
        os.close(at)


def _published(spot: Spot, path: str, data: bytes) -> bool:
    """Link a whole file to its place; what a kill leaves is in the git dir, where no add sees it.

    Across file systems, and without hard links, it is written beside.
    """
    full = spot.full(path)
    temp = publish.written(spot.here.private("coord-id"), data)
    try:
        placed = publish.link(temp, full)
    finally:
        publish.forget(temp)
    if placed is None:
        return publish.create(full, data)
    if placed:
        publish.keep(full)
    return placed


def stage(spot: Spot, path: str) -> str:
    """Stage a file and return its blob; where another git is at work, wait for it a moment.

    Raises:
        CoordError: git could not stage it.
    """
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            return index.stage_files(spot.here, [path])[path]
        except CoordError as error:
            if not _is_locked(error) or time.monotonic() > until:
                raise
        time.sleep(random.uniform(0.02, 0.1))  # noqa: S311  # only to come apart


def _is_locked(error: CoordError) -> bool:
    """Tell whether a lock was in the way, also one that is gone by now."""
    return error.rule == "locked" or (isinstance(error, git.GitError) and ".lock'" in error.stderr)
