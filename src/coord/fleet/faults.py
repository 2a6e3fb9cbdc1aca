"""What can be wrong with a ledger, each with the command that helps."""

from __future__ import annotations

import errno
import os

from coord.errors import Environment, Refused
from coord.names import quote

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def link(path: str) -> Refused:
    """Return that a symbolic link stands in the way."""
    return Refused(
        "symlink",
        "a symbolic link stands in the way",
        where=path,
        why=f"it leads to {os.path.realpath(path)}, and a committed link must not lead what is "
        "written here out of the worktree",
        run=_aside(path),
    )


def foreign(path: str, why: str) -> Refused:
    """Return that something else stands where the ledger should."""
    return Refused("ledger-foreign", "not a ledger", where=path, why=why, run=_aside(path))


def unmerged(path: str, run: str) -> Refused:
    """Return that a merge of the ledger is still open; `run` settles it."""
    return Refused(
        "ledger-unmerged",
        "a merge of the ledger is still open",
        where=path,
        why="a record written between the two sides belongs to neither, and is lost when they are "
        "settled; settle them first, then say it again",
        run=run,
    )


def _aside(path: str) -> str:
    """Return the command that makes room for a ledger and loses nothing."""
    free = f"{path}.aside"
    while os.path.lexists(free):
        free += "~"
    return f"mv {quote(path)} {quote(free)}"


def unwritable(path: str, error: OSError) -> Environment:
    """Return that the system would not let a record be written."""
    if error.errno in _FULL:
        return Environment(
            "disk-full",
            "there is no room for the record",
            where=path,
            why=f"{error.strerror}; nothing of it was written",
            run=f"df -h {quote(os.path.dirname(path))}",
        )
    return Environment(
        "not-writable",
        "the record cannot be written",
        where=path,
        why=f"{error.strerror}; nothing was changed",
        run=f"ls -ld {quote(os.path.dirname(path))}",
    )


def unreadable(path: str, error: OSError) -> Environment:
    """Return that the system would not let a ledger be read."""
    return Environment(
        "ledger-unreadable",
        "the ledger cannot be read",
        where=path,
        why=str(error.strerror),
        run=f"ls -l {quote(path)}",
    )
