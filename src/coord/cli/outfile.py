"""A file that a caller names for an answer: written in one step, never in git's own folders.

A device or a FIFO is written into, whatever it is called: replacing it would take it from everybody
(``--html /dev/full`` as root). A symlink is written through, as by the shell.
"""

from __future__ import annotations

import os
import stat

from coord.base import publish
from coord.base.errors import Environment, Refused, Usage
from coord.base.names import quote

_GIT = ".git"


def require(cwd: str, path: str, again: str, into: str) -> str:
    """Return the absolute path of the file `path`, which an answer may be written to.

    Args:
        cwd: the caller's folder.
        path: as it was typed.
        again: the command that writes no file, for messages.
        into: its option that takes the file, and how such a file is usually called.

    Raises:
        Usage: it is empty.
        Refused: git keeps something there.
        Environment: it is a folder, or its folder is not there.
    """
    if not path:  # an unset variable's
        raise Usage(
            "usage",
            "the name of a file is empty",
            where="(empty)",
            why="the answer was to be written to it",
            run=again,
        )
    full = os.path.join(cwd, path)
    real = os.path.realpath(full)
    if any(_is_gits(os.path.abspath(one)) for one in (full, real)):
        raise Refused(
            "output-in-git-dir",
            "an answer is not written over what git keeps",
            where=path,
            why="git reads its own folders, and the file .git, as part of the repository",
            run=again,
        )
    if os.path.isdir(real):
        option, _, name = into.partition(" ")
        raise Environment(
            "output-unwritable",
            "the answer cannot be written",
            where=path,
            why="it is a folder, and an answer is a file",
            run=f"{again} {option} {quote(os.path.normpath(os.path.join(path, name)))}",
        )
    if not os.path.lexists(full):
        _require_folder(path, os.path.dirname(real))
    return full


def _require_folder(path: str, folder: str) -> None:
    if os.path.isdir(folder):
        return
    there = publish.nearest(folder)
    can_make = os.access(there, os.W_OK | os.X_OK) and os.path.isdir(there)
    raise Environment(
        "folder-missing",
        "the folder to write to is not there",
        where=folder,
        why=f"{path} was to be written in it",
        run=f"mkdir -p {quote(folder)}" if can_make else f"ls -ld {quote(there)}",
    )


def write(path: str, data: bytes) -> None:
    """Give the file `path`, as :func:`require` has returned it, the content `data`.

    Raises:
        OSError: there is no room.
        Environment: it cannot be written there; a regular file is then as it was.
    """
    real = os.path.realpath(path)
    try:
        if _is_replaced(path, real):
            publish.replace(real, data)
        else:
            _into(path, data)
    except OSError as error:
        if publish.is_full(error):
            raise OSError(error.errno, error.strerror, path) from error  # of no temporary file
        raise Environment(
            "output-unwritable",
            "the answer cannot be written",
            where=path,
            why=str(error.strerror),
            run=f"ls -ld {quote(publish.nearest(path))}",
        ) from error


def _is_replaced(path: str, real: str) -> bool:
    """Tell whether `path` is a regular file under the name `real`, or nothing yet.

    The link of an open file in /proc may lead to what has no name.
    """
    try:
        there = os.stat(path)
    except FileNotFoundError:
        return True
    try:
        named = os.path.samestat(there, os.stat(real))
    except FileNotFoundError:
        return False
    return named and stat.S_ISREG(there.st_mode)


def _into(path: str, data: bytes) -> None:
    """Write into what is there; a FIFO waits for its reader, as under the shell."""
    with open(path, "wb", buffering=0) as file:
        view = memoryview(data)
        while view:
            view = view[file.write(view) or 0 :]


def _is_gits(path: str) -> bool:
    """Tell whether a path is named ``.git``, or is in a git dir and not in a worktree in there."""
    if os.path.basename(path).lower() == _GIT:
        return True
    folder = os.path.dirname(path)
    while not os.path.lexists(os.path.join(folder, _GIT)):
        if os.path.basename(folder).lower() == _GIT or _is_git_dir(folder):
            return True
        if folder == os.path.dirname(folder):
            return False
        folder = os.path.dirname(folder)
    return False


def _is_git_dir(folder: str) -> bool:
    def has(name: str) -> bool:
        return os.path.lexists(os.path.join(folder, name))

    return has("HEAD") and (has("commondir") or (has("objects") and has("refs")))
