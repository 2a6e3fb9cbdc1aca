"""What waits or stands in the way: refusals, locks, and places that cannot be written."""

from __future__ import annotations

import errno
import os
import time
from typing import TYPE_CHECKING, NamedTuple

from coord.base import sharing
from coord.base.errors import Environment
from coord.base.names import quote
from coord.doctor.findings import Finding, Verdict, verdict
from coord.guard import refusal
from coord.installer import configlock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from coord.doctor.facts import View
    from coord.guard.evidence import Facts
    from coord.guard.refusal import Record
    from coord.repo.worktree import Worktree

# git holds these for milliseconds, and an index during a whole `commit -a` with its editor open.
_BRIEF = 5.0
_LONG = 600.0
_SHARED = ("config.lock", "packed-refs.lock", "shallow.lock")
_PRIVATE = ("index.lock", "HEAD.lock", "config.worktree.lock", "reftable/tables.list.lock")


class Lock(NamedTuple):
    """A lock file of git's: where, and how many seconds old."""

    path: str
    age: float


class Waiting(NamedTuple):
    """What waits in one worktree.

    Attributes:
        folder: the worktree.
        refused: live refusals that are not settled.
        settled: how many are, and wait for their commit.
        locks: locks in its private git dir.
        here: its place.
        readonly: a folder of it that cannot be written, "" when all can.
        cut: refusals of an operation that git did not bring to its end.
    """

    folder: str
    refused: tuple[Record, ...]
    settled: int
    locks: tuple[Lock, ...]
    here: Worktree
    readonly: str
    cut: tuple[Record, ...] = ()


def ask(view: View, env: Mapping[str, str]) -> Waiting:
    """Look at what waits in one worktree; nothing is deleted, stale records neither.

    Args:
        view: the worktree.
        env: the environment of a git child.
    """
    here = view.here
    refused: list[Record] = []
    cut: list[Record] = []
    settled = 0
    for record, facts in _judged(here, env) if view.works else ():
        if refusal.is_settled(record, facts):
            settled += 1
        elif refusal.is_live(record, facts):
            refused.append(record)
        elif refusal.is_cut_off(here, record, facts):
            cut.append(record)
    locks = _locks(here)
    cannot = readonly(here)
    return Waiting(view.folder, tuple(refused), settled, locks, here, cannot, tuple(cut))


def _judged(here: Worktree, env: Mapping[str, str]) -> list[tuple[Record, Facts]]:
    try:
        return refusal.judged(here, env)
    except Environment as error:
        if error.rule == "not-permitted":  # a finding of its own names who has closed them
            return []
        raise


def _locks(here: Worktree) -> tuple[Lock, ...]:
    names = _PRIVATE if here.linked else (*_SHARED, *_PRIVATE)
    found = []
    for path in (here.private(name) for name in names):
        try:
            found.append(Lock(path, time.time() - os.lstat(path).st_mtime))
        except OSError:
            continue
    return tuple(found)


def readonly(here: Worktree) -> str:
    """Return a folder of the worktree's git dirs that cannot be written, "" when all can.

    Nothing is written to find out: a file is opened for writing and closed again, because a sandbox
    (Landlock) that ``access`` knows nothing of forbids that too.
    """
    shared = [os.path.join(here.common_dir, name) for name in ("objects", "refs", "coord")]
    for folder in (here.git_dir, here.common_dir, *filter(os.path.isdir, shared)):
        if not os.access(folder, os.W_OK | os.X_OK):
            return folder
    for folder in (here.git_dir, here.common_dir):
        if _is_denied(os.path.join(folder, "HEAD")):
            return folder
    return ""


def _is_denied(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK))
    except OSError as error:
        denied = error.errno in {errno.EROFS, errno.EACCES, errno.EPERM}
        # git replaces the file: its own mode does not matter.
        return denied and (error.errno == errno.EROFS or os.access(path, os.W_OK))
    return False


def judge(waiting: Sequence[Waiting], mine: str) -> Verdict:
    """Judge what waits anywhere.

    Args:
        waiting: what waits in each worktree.
        mine: the private git dir of the one where the doctor was asked.
    """
    closed = [_unwritable(one.folder, one.here, one.readonly, mine) for one in waiting]
    findings = [
        *(finding for one in waiting for finding in _refusals(one)),
        *(finding for one in waiting for finding in _cut_off(one)),
        *(finding for one in waiting for finding in _lock_findings(one)),
        *(one for one in closed if isinstance(one, Finding)),
    ]
    notes = [*_notes(waiting), *(one for one in closed if isinstance(one, str))]
    return verdict("pending", "no refusal waits and no lock is left", findings, notes)


def _refusals(waiting: Waiting) -> Iterator[Finding]:
    for record in waiting.refused:
        kind = f"a refused {record.kind} file" if record.readable else "a refusal, its record torn"
        message = f"{kind} waits: {record.path or record.file}"
        run = f"cd {quote(waiting.folder)} && {refusal.way_out(record)}"
        yield Finding("refusal-pending", waiting.folder, message, run)


def _cut_off(waiting: Waiting) -> Iterator[Finding]:
    for record in waiting.cut[:1]:
        why, run = refusal.cut_off(record)
        where = f"cd {quote(waiting.folder)} && {run}"
        yield Finding("operation-cut-off", waiting.folder, why, where)


def _lock_findings(waiting: Waiting) -> Iterator[Finding]:
    for lock in waiting.locks:
        patience = _LONG if lock.path.endswith("index.lock") else _BRIEF
        if lock.age < patience:
            continue
        message = (
            f"{lock.path} is {configlock.age(lock.path)} old: if no git is at work here, one that "
            "was killed has left it"
        )
        yield Finding("locked", waiting.folder, message, f"rm {quote(lock.path)}")


def unwritable(places: Iterable[tuple[str, Worktree]], mine: str) -> Iterator[Finding]:
    """Yield a finding for each of (folder, place) whose git dirs cannot be written and should be.

    Args:
        places: of worktrees.
        mine: the private git dir of the one where that is asked.
    """
    for folder, here in places:
        found = _unwritable(folder, here, readonly(here), mine)
        if isinstance(found, Finding):
            yield found


def _unwritable(folder: str, here: Worktree, path: str, mine: str) -> Finding | str | None:
    """Return what is wrong with a folder that cannot be written; a remark where nothing is.

    git itself makes the private git dir of a worktree as the umask of its maker says, even where
    ``core.sharedRepository`` shares all else: one is closed to those who do not work there.
    """
    if not path:
        return None
    why = sharing.closed(path) if here.linked and path == here.git_dir else None
    if why is None:
        message = (
            f"{path} cannot be written: no pin, no refusal, no commit; in a sandbox, "
            "add what this prints to its writable roots"
        )
        run = "git rev-parse --path-format=absolute --git-common-dir"
        return Finding("not-writable", folder, message, run)
    if path != mine and not os.access(folder, os.W_OK):
        return f"{folder} is another user's to work in: {why}"
    message = f"{why}: no pin, no refusal, no commit of yours; its owner or root opens it so"
    return Finding("not-permitted", folder, message, _opened(folder, path))


def _opened(folder: str, path: str) -> str:
    """Return what lets us into the private git dir `path`: its group, or whose the folder is."""
    own = os.stat(folder).st_uid == os.geteuid()
    return f"sudo {f'chown -R {os.geteuid()}' if own else 'chmod -R g+rwX'} {quote(path)}"


def _notes(waiting: Sequence[Waiting]) -> Iterator[str]:
    for one in waiting:
        if one.settled:
            yield f"{one.folder}: {one.settled} settled, waiting for its commit"
