"""Files that are absent or whole: create once, replace at once, and one lock that dies with us.

``temp + fsync + link(2) + fsync(folder)`` was the only portable way that never showed an empty
record: O_EXCL left one in 143 of 200 kills; a link without fsync left 400 of 400 at a power cut on
ext4.
A `share` is what other users may do with the file (coord.base.sharing). Hot path: only ``os`` (and
``fcntl`` inside :func:`lock`).
"""

from __future__ import annotations

import os

from coord.base import sharing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE = 10  # seconds; who holds one writes a file or two
# What systems answer that cannot sync a folder: 9p, FUSE, WSL 1, SMB; EBADF is AIX's and WSL's.
_NO_SYNC = frozenset(
    {"EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EBADF", "EACCES", "EPERM", "EISDIR", "ENOTTY"}
)


def create(path: str, data: bytes, mode: int = 0o666, share: int = 0) -> bool:
    """Create `path` holding `data`; return False, changing nothing, when it exists already.

    Raises:
        OSError: the folder is not writable, the disk is full; nothing is there then.
    """
    if os.path.lexists(path):
        return False
    temp = written(path, data, mode, share)
    try:
        placed = link(temp, path)
        if placed is None:
            return _create_without_links(path, data, mode, share)
    finally:
        forget(temp)
    if placed:
        keep(path)
    return placed


def keep(path: str) -> None:
    """Ask the disk to keep the entry `path`, which stands whatever the disk says to that.

    Whoever says after this that nothing was done would be wrong; and git asks for less.
    """
    try:
        sync_folder(path)
    except OSError:
        pass


def link(temp: str, path: str) -> bool | None:
    """Give the file `temp` the second name `path`; False when that is taken, None without links.

    File systems refuse link(2) with whatever they like (EPERM, EINVAL, EIO, EACCES, EXDEV), so it
    is not asked why, but what is there now: NFS may say that a link failed which it has made.

    Raises:
        OSError: `temp`, or the folder of `path`, is not there, or the disk is full.
    """
    try:
        os.link(temp, path, follow_symlinks=False)
    except OSError as error:
        if os.path.lexists(path):
            return _is_one(temp, path)
        if isinstance(error, FileNotFoundError) or is_full(error) or not os.path.lexists(temp):
            raise
        return None
    return True


def _is_one(path: str, other: str) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.lstat(other))
    except FileNotFoundError:
        return False


def forget(temp: str) -> None:
    """Delete a temporary file; one that cannot be, or is gone, changes nothing of what was done."""
    try:
        os.unlink(temp)
    except OSError:
        pass


def unlink(path: str) -> None:
    """Delete a file; one that is gone is no fault.

    Raises:
        OSError: it cannot be deleted.
    """
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def nearest(path: str) -> str:
    """Return `path`, or the nearest folder above it that is there."""
    while not os.path.lexists(path) and path != os.path.dirname(path):
        path = os.path.dirname(path)
    return path


def drop(path: str) -> None:
    """Delete a file, or a folder with all that is in it; what is gone is no fault.

    A link is not followed.

    Raises:
        OSError: it cannot be deleted.
    """
    if os.path.isdir(path) and not os.path.islink(path):
        import shutil  # noqa: PLC0415  # 5 ms that no hook pays

        shutil.rmtree(path)
        return
    unlink(path)


def replace(path: str, data: bytes, mode: int = 0o666, share: int = 0) -> None:
    """Give `path` the content `data` in one step; a symlink at `path` is replaced, not followed.

    A power cut may bring the old content back, never a torn one: the folder is not synced, which
    would cost ``git worktree add`` two journal commits more.

    Raises:
        OSError: the folder is not writable, the disk is full; `path` is then as it was.
    """
    temp = written(path, data, mode, share)
    try:
        os.replace(temp, path)
    except OSError:
        os.unlink(temp)
        raise


def note(path: str, data: bytes) -> None:
    """Leave `data` at `path`, in a new file: whatever stands there is neither followed nor opened.

    Not synced: for what ends with the command under way.

    Raises:
        OSError: a folder stands there, the folder is not writable, the disk is full.
    """
    unlink(path)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        while data:
            data = data[os.write(fd, data) :]
    finally:
        os.close(fd)


class Held(OSError):
    """Somebody has kept a lock for longer than any work of ours takes."""


class lock:  # noqa: N801  # reads as a verb: `with lock(path):`
    """Hold the advisory lock file `path` for a block; the kernel drops it when we are killed.

    Args:
        path: the file.
        share: whom it is for, as :func:`opened` has it.
        patience: seconds to wait for another; more where git is at work under it.

    Raises:
        Held: another process keeps it; whoever can open the file can, and need not ever end.
        OSError: the file cannot be opened for writing (a read-only common dir).
    """

    def __init__(self, path: str, share: int = 0, patience: float = PATIENCE) -> None:
        self._path = path
        self._share = share
        self._patience = patience
        self._fd = -1

    def __enter__(self) -> lock:
        import fcntl  # noqa: PLC0415  # 0.2 ms that only writers pay

        self._fd = opened(self._path, self._share)
        try:
            wait(
                lambda: fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB),
                self._path,
                self._patience,
            )
        except OSError:
            os.close(self._fd)
            raise
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._fd)


def opened(path: str, share: int = 0) -> int:
    """Open the file `path` to lock or touch it; it, and folders above, are made where need be.

    One that is made is for all who may write in its folder: they lock it as we do.

    Raises:
        OSError: it may not be written.
    """
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        sharing.folders(os.path.dirname(path), share)
    fd = os.open(path, flags | os.O_CREAT, 0o666)
    sharing.settle(fd, share)
    sharing.hand_over(fd, os.path.dirname(path))
    return fd


def wait(take: Callable[[], object], path: str, patience: float = PATIENCE) -> None:
    """Take a lock by `take`, which refuses while another has it, within `patience` seconds.

    Raises:
        Held: it was not given up in time.
        OSError: it cannot be locked.
    """
    import time  # noqa: PLC0415  # built in

    end, pause = time.monotonic() + patience, 0.001
    while True:
        try:
            take()
        except BlockingIOError as error:
            if time.monotonic() >= end:
                said = (
                    f"another process has kept it locked for {patience:g} s (fuser PATH names it)"
                )
                raise Held(error.errno, said, path) from None
            time.sleep(pause)
            pause = min(pause * 2, 0.05)
        except OSError as error:
            # Some network file systems have no flock: the create-only pin still decides.
            if _name(error) not in {"ENOLCK", "ENOTSUP", "EOPNOTSUPP"}:
                raise
            return
        else:
            return


def written(path: str, data: bytes, mode: int = 0o666, share: int = 0) -> str:
    """Return a fresh, synced temporary file beside `path` that holds `data`.

    Raises:
        OSError: the folder is not writable, the disk is full; nothing is left then.
    """
    temp = f"{path}.tmp-{os.getpid()}-{os.urandom(4).hex()}"
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        _write_synced(fd, data, share)
    except OSError:
        forget(temp)
        raise
    return temp


def _write_synced(fd: int, data: bytes, share: int) -> None:
    try:
        sharing.settle(fd, share)
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        os.fsync(fd)
    finally:
        os.close(fd)


def _create_without_links(path: str, data: bytes, mode: int, share: int) -> bool:
    """Create on a file system without hard links (exFAT, some SMB): a kill may leave it torn."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    except FileExistsError:
        return False
    try:
        _write_synced(fd, data, share)
    except OSError:
        forget(path)
        raise
    return True


def is_full(error: OSError) -> bool:
    """Tell whether `error` says that there is no room, on the disk or in a quota."""
    return _name(error) in {"ENOSPC", "EDQUOT"}


def sync_folder(path: str) -> None:
    """Make the entry `path` of its folder survive a power cut, where the system can.

    Raises:
        OSError: the disk failed; what was put there may be gone after a power cut.
    """
    try:
        fd = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        if _name(error) not in _NO_SYNC:
            raise


def _name(error: OSError) -> str:
    import errno  # noqa: PLC0415  # only after a failure

    return errno.errorcode.get(error.errno or 0, "")
