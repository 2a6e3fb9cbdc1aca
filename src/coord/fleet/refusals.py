"""What can be wrong with a ledger, each with the command that helps."""

from __future__ import annotations

import errno
import os

from coord.base.errors import Environment, Refused
from coord.base.names import quote

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def link(path: str) -> Refused:
    """Return that a symbolic link stands in the way."""
    return Refused(
        "symlink",
        "a symbolic link stands in the way",
        where=path,
        why=f"it leads to {os.path.realpath(path)}; a committed link can lead anywhere, so what is "
        "written here follows none",
        run=_aside(path),
    )


def foreign(path: str, why: str) -> Refused:
    """Return that something else stands where the ledger should."""
    return Refused("ledger-foreign", "not a ledger", where=path, why=why, run=_aside(path))


def foreign_tracked(found: Refused, *, guarded: bool) -> Refused:
    """Return a :func:`foreign` of a file that git tracks, with a command that a commit survives.

    Args:
        found: what was refused.
        guarded: it is guarded as a log already, from which nothing may go without a reason.
    """
    old, new = quote(found.where), quote(_free(found.where))
    move = f"git mv {old} {new}"
    if guarded:
        settle = f"git coord resolve {old} --take worktree --reason 'it was no ledger'"
        move = f"mv {old} {new} && {settle} && git add {new}"
    run = f"{move} && git commit -m 'Make room for the ledger' -- {old} {new}"
    return Refused(found.rule, found.what, where=found.where, why=found.why, run=run)


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
    return f"mv {quote(path)} {quote(_free(path))}"


def _free(path: str) -> str:
    """Return a name beside `path` that nothing has."""
    free = f"{path}.aside"
    while os.path.lexists(free):
        free += "~"
    return free


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
