"""Carry out a plan: everything is staged beside its place first, then only renamed.

A full disk, a lock or a read-only folder is met while staging, and leaves no trace. A kill between
two renames leaves a plan half done, which the next run finishes: plans are made from what is there.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from typing import TYPE_CHECKING, NamedTuple

from coord.base import peerfile, publish, sharing
from coord.base.errors import Environment
from coord.base.names import quote
from coord.installer import configlock
from coord.installer.steps import Create, Drop, Edit, Folder, Keep, Leave, Move, Write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from coord.installer.steps import Change, Step

TEMPORARY = ".coord-tmp-"
_PATIENCE = 60.0


class Staged(NamedTuple):
    """A step that is ready: one of the two is called, once."""

    commit: Callable[[], object]
    discard: Callable[[], object]


def apply(steps: Sequence[Step], common_dir: str, *, again: str) -> None:
    """Carry out `steps` in order, or none of them.

    Args:
        steps: the plan.
        common_dir: the common git dir, for messages.
        again: the command to repeat, for messages.

    Raises:
        Environment: a folder may not be written, the disk is full, the config stays locked.
    """
    staged: dict[int, Staged] = {}
    try:
        for number in _staging_order(steps):
            staged[number] = _staged(steps[number], common_dir, again)
        for number in range(len(steps)):
            staged[number].commit()
            del staged[number]
    except OSError as error:
        raise refused(error, common_dir, again) from error
    finally:
        for number in sorted(staged, reverse=True):
            staged[number].discard()


def refused(error: OSError, common_dir: str, again: str) -> Environment:
    """Return why the system would not let us write, and what helps."""
    where = str(error.filename or common_dir)
    if error.errno in {errno.EROFS, errno.EACCES, errno.EPERM}:
        return Environment(
            "not-writable",
            "the git dir cannot be written here",
            where=where,
            why=f"{error.strerror}; in a sandbox, add this line to its writable roots, or run the "
            f"command outside of it: {common_dir}",
            run=again,
        )
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return Environment(
            "disk-full",
            "there is no room to write",
            where=where,
            why=f"{error.strerror}; nothing was changed",
            run=f"df -h {quote(common_dir)}",
        )
    return Environment(
        "system-error", "the system refused", where=where, why=str(error.strerror), run=again
    )


class alone:  # noqa: N801  # reads as a phrase: `with alone(common_dir):`
    """Be the only one that installs or tracks in a repository; the kernel lets a killed one go.

    The lock is on the folder itself, so that no lock file is left after an uninstall.

    Raises:
        Environment: another installer holds it for a minute.
    """

    def __init__(self, common_dir: str, *, again: str) -> None:
        self._path = common_dir
        self._again = again
        self._fd = -1

    def __enter__(self) -> alone:
        self._fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
        end = time.monotonic() + _PATIENCE
        while not self._taken():
            if time.monotonic() > end:
                os.close(self._fd)
                raise Environment(
                    "locked",
                    "another coord-install or git coord track is at work",
                    where=self._path,
                    why=f"it holds its lock for more than {_PATIENCE:.0f} seconds",
                    run=self._again,
                )
            time.sleep(0.05)
        return self

    def _taken(self) -> bool:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            # NFS locks no folder; each file is replaced in one step all the same.
            return True
        return True

    def __exit__(self, *error: object) -> None:
        os.close(self._fd)


def leftovers(folders: Iterable[str]) -> list[Step]:
    """Return the steps that clear away what a killed installer had staged."""
    return [
        Drop(os.path.join(folder, name))
        for folder in folders
        for name in (sorted(os.listdir(folder)) if os.path.isdir(folder) else [])
        if TEMPORARY in name
    ]


def _staging_order(steps: Sequence[Step]) -> list[int]:
    """Return the order of staging: what holds git's config lock comes last, to hold it briefly."""
    locked = [n for n, step in enumerate(steps) if isinstance(step, Edit) and step.locked]
    return [number for number in range(len(steps)) if number not in locked] + locked


def _staged(step: Step, common_dir: str, again: str) -> Staged:
    share = _share(step.path, common_dir)
    match step:
        case Folder(path):
            ready = _staged_folder(path, sharing.of_folder(common_dir) if share else 0)
        case Write(path, data, mode):
            ready = _staged_file(path, data, mode, share)
        case Create(path, data):
            ready = Staged(lambda: publish.create(path, data, share=share), _nothing)
        case Edit(path, change, _, True):
            ready = Staged(*configlock.staged(path, change, again=again))
        case Edit(path, change, _, _):
            ready = _staged_edit(path, change, share)
        case Keep(path, beside):
            ready = Staged(lambda: _keep(path, beside), _nothing)
        case Move(path, to):
            ready = Staged(lambda: os.replace(path, to), _nothing)
        case Drop(path):
            ready = Staged(lambda: publish.drop(path), _nothing)
        case Leave(path):
            ready = Staged(lambda: _leave(path), _nothing)
    return ready


def _share(path: str, common_dir: str) -> int:
    """Return what other users may do with our files in the git dir: as much as with its config.

    Git dies where its config includes what may not be read; the worktree's files are their owner's.
    """
    inside = path.startswith(common_dir + os.sep)
    return sharing.as_config(common_dir) if inside else 0


def _staged_folder(path: str, share: int) -> Staged:
    if os.path.isdir(path):
        return Staged(_nothing, _nothing)  # a hook has pinned a worktree meanwhile
    sharing.folder(path, share)
    return Staged(_nothing, lambda: _leave(path))


def _staged_file(
    path: str, data: bytes, mode: int, share: int = 0, *, exactly: bool = False
) -> Staged:
    temp = f"{path}{TEMPORARY}{os.urandom(4).hex()}"
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with open(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(fd)
            if exactly:  # whatever the umask says
                os.fchmod(fd, mode)
            sharing.settle(fd, share)
    except BaseException:
        os.unlink(temp)
        raise
    return Staged(lambda: os.replace(temp, path), lambda: publish.drop(temp))


def _staged_edit(path: str, change: Change, share: int) -> Staged:
    try:
        old, mode = peerfile.read(path, peerfile.WHOLE), stat.S_IMODE(os.lstat(path).st_mode)
    except FileNotFoundError:
        return _staged_file(path, change(None) or b"", 0o666, share)
    new = change(old)
    if new is None:
        return Staged(lambda: publish.drop(path), _nothing)
    return _staged_file(path, new, mode, exactly=True)


def _keep(path: str, beside: str) -> None:
    """Give a hook its second name without taking the first away: there is always a hook."""
    try:
        os.link(path, beside, follow_symlinks=False)
    except FileExistsError:
        return  # linked by a run that was killed right after
    except OSError:
        os.rename(path, beside)  # no hard links here, or it is a folder


def _leave(path: str) -> None:
    try:
        os.rmdir(path)
    except OSError:
        pass  # something of somebody else is in it


def _nothing() -> None:
    pass
