"""Sessions that are declared: a file each, locked for as long as its command lives.

    <private git dir>/coord-sessions/<id>   kind, who, and the process of its command; later how it
                                            ended

Whoever begins one holds an exclusive ``flock`` on it and hands the descriptor down, so that the
kernel drops the lock only when the last of them has ended. The lock alone proves nothing: a command
may close what it was handed (``sudo``, Python's ``close_fds``), and a daemon may keep it for ever.
Hot path: each command of a declared session reads its file.
"""

from __future__ import annotations

import os

from coord.base import peerfile, sharing
from coord.base.frozen import NamedTuple
from coord.liveness import clone, machine, mounts, process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coord.liveness.process import Process

FOLDER = "coord-sessions"
_HEAD = "coord-session 1"
_LENGTH = 32
_PATIENCE = 1.0  # seconds; a reader holds the lock for a moment, and lets go of it at once
_MOST = 4096
_OPEN = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class Declared(NamedTuple):
    """What the file of a session says.

    Attributes:
        id: its random id, the name of the file.
        kind: ``session``, ``run`` or ``wait``.
        instance: who works in it, as far as that was certain when it began.
        scope: what a ``run`` or a ``wait`` is for, empty for a session.
        keeper: the process that began it, holds the lock, and writes how it ended.
        starting: a command of its own was about to be started.
        command: the process it was begun for, None before that was written down.
        end: ``over`` when nothing of it is left, ``left`` when its command has ended but not all
            that this has started; None while neither was written.
        device: device and inode of the file, as its keeper saw it.
        at: when it was last written, in seconds by the clock of the file system.
        within: the runs, by id, whose commands it was started from.
        clone: id of the clone it was begun in, empty where that was not written down.
        settled: a wait, or a run in line, is sure to go on: it has closed no circle.
    """

    id: str
    kind: str
    instance: str
    scope: str
    keeper: Process
    starting: bool
    command: Process | None
    end: str | None
    device: str
    at: float
    within: tuple[str, ...] = ()
    clone: str = ""
    settled: bool = False

    @property
    def process(self) -> Process | None:
        """The process whose end ends it: the command's, the keeper's own before there was one.

        None in the moment between, in which a command may be there that nobody wrote down.
        """
        if self.command is None and not self.starting and self.kind != "session":
            return self.keeper
        return self.command


class Session(NamedTuple):
    """A session that this process keeps.

    Attributes:
        id: its random id.
        path: its file.
        fd: the locked descriptor, -1 where the file system has no locks. Handed to the command it
            keeps the lock; ``pass_fds`` does.
    """

    id: str
    path: str
    fd: int

    def starting(self) -> None:
        """Write down that a command is about to be started, which may outlive this process.

        Raises:
            OSError: the file cannot be written.
        """
        _append(self.fd, [("starting", "")])

    def record(self, command: Process) -> None:
        """Write down the process this was begun for.

        Raises:
            OSError: the file cannot be written.
        """
        _append(self.fd, [("command", _told(command))])

    def settle(self) -> None:
        """Write down that a wait is sure to go on, as far as that can be written."""
        try:
            _append(self.fd, [("settled", "")])
        except OSError:
            pass

    def over(self, *, all_of_it: bool) -> None:
        """Write down that the command has ended, and whether nothing it has started is left.

        Raises:
            OSError: the file cannot be written.
        """
        _append(self.fd, [("end", "over" if all_of_it else "left")])

    def close(self) -> None:
        """Let go of the file and leave it to be read."""
        os.close(self.fd)

    def drop(self) -> None:
        """Let go of a session that nobody has to ask after any more."""
        try:
            os.unlink(self.path)
        except OSError:
            pass
        os.close(self.fd)


def begin(
    git_dir: str,
    kind: str,
    instance: str = "",
    scope: str = "",
    mode: int = 0o600,
    *,
    within: Sequence[str] = (),
) -> Session:
    """Begin a session in the private git dir `git_dir`, and take its lock.

    Args:
        git_dir: private git dir.
        kind: ``session``, ``run`` or ``wait``.
        instance: who works in it.
        scope: what a run or a wait is for.
        mode: who may read the file, beside those whom ``core.sharedRepository`` lets; whoever can
            read it can also keep its lock.
        within: the runs, by id, whose commands it is started from.

    Raises:
        OSError: the git dir cannot be written.
    """
    folder = os.path.join(git_dir, FOLDER)
    share = sharing.of_private(git_dir)
    sharing.folders(folder, share)
    made = os.urandom(_LENGTH // 2).hex()
    path = os.path.join(folder, made)
    fd = os.open(path, _OPEN | os.O_CREAT | os.O_EXCL, mode)
    try:
        sharing.settle(fd, share)
        _lock(fd)
        facts = os.fstat(fd)
        said = {"kind": kind, "instance": instance, "scope": scope, "within": " ".join(within)}
        said |= {"keeper": _told(process.own()), "device": f"{facts.st_dev}:{facts.st_ino}"}
        said["clone"] = clone.of_private(git_dir)
        _append(fd, [(_HEAD, ""), *said.items()])
    except OSError:
        os.close(fd)
        os.unlink(path)
        raise
    return Session(made, path, fd)


def read(git_dir: str, session: str) -> Declared | None:
    """Return what is written of a session, None where there is none of that id.

    Raises:
        OSError: it may not be read, or is none of ours.
    """
    if not is_id(session):
        return None
    path = os.path.join(git_dir, FOLDER, session)
    try:
        body = peerfile.read(path, _MOST)
        at = os.stat(path, follow_symlinks=False).st_mtime
    except FileNotFoundError:
        return None
    lines = body.decode("utf-8", "replace").split("\n")
    found = dict(line.partition(" ")[::2] for line in lines if line)
    keeper = _read(found.get("keeper", ""))
    if lines[0].strip() != _HEAD or keeper is None:
        raise peerfile.Unfit(22, "it is no session of ours", path)
    kind, instance, scope = (found.get(key, "") for key in ("kind", "instance", "scope"))
    command, starting = _read(found.get("command", "")), "starting" in found
    end, device = found.get("end"), found.get("device", "")
    within, where = tuple(found.get("within", "").split()), found.get("clone", "")
    return Declared(
        session, kind, instance, scope, keeper, starting, command, end, device, at, within, where,
        "settled" in found,
    )  # fmt: skip


def every(git_dir: str) -> Iterator[Declared]:
    """Yield the sessions of a private git dir; one that is none of ours is passed over.

    Raises:
        OSError: one, or the folder, may not be read.
    """
    folder = os.path.join(git_dir, FOLDER)
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return
    for name in filter(is_id, names):
        try:
            found = read(git_dir, name)
        except peerfile.Unfit:
            continue
        if found is not None:
            yield found


def forget(git_dir: str, session: str) -> None:
    """Take away the file of a session that has ended and that nobody has to ask after.

    Raises:
        OSError: it cannot be.
    """
    os.unlink(os.path.join(git_dir, FOLDER, session))


def is_id(text: str) -> bool:
    """Tell whether `text` can be the id of a session, which is a file's name and never a path."""
    return len(text) == _LENGTH and not text.strip("0123456789abcdef")


def is_free(git_dir: str, found: Declared) -> bool | None:
    """Tell whether nobody holds the lock of a session any more; None where that cannot be told.

    It can where the file is the very one that was locked, by this kernel (of whatever namespace),
    on a disk of its own: over an overlay a lock is said to be free while its holder lives.
    """
    boot = machine.boot_id_of(found.keeper.boot)
    if not boot or boot != machine.boot_id_of(machine.boot()) or not mounts.is_local(git_dir):
        return None
    import fcntl  # noqa: PLC0415  # most sessions are judged by what is written

    try:
        fd = os.open(os.path.join(git_dir, FOLDER, found.id), _OPEN & ~os.O_RDWR | os.O_RDONLY)
    except OSError:
        return None
    try:
        facts = os.fstat(fd)
        if f"{facts.st_dev}:{facts.st_ino}" != found.device:
            return None
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    finally:
        os.close(fd)
    return True


def lives(git_dir: str, found: Declared) -> bool:
    """Tell whether a run or a wait is at work: its lock is held, or its process is there to see."""
    one = found.process
    if one is None or not one.is_here:
        return is_free(git_dir, found) is False
    return not one.has_ended


def has_ended(git_dir: str, found: Declared) -> bool:
    """Tell whether a session is proved to be over: that was written, or lock and process say so."""
    if found.end is not None:
        return found.end == "over"
    one = found.process
    return one is not None and one.has_ended and is_free(git_dir, found) is True


def _told(one: Process) -> str:
    boot, host = one.boot.replace(" ", "/") or "-", one.host.replace(" ", "_")
    return process.told(one._replace(name=f"{boot} {host} {one.name}"))


def _read(told: str) -> Process | None:
    one = process.heard(told, "", "")
    boot, host, name = [*one.name.split(" ", 2), "", ""][:3] if one else ("", "", "")
    if one is None or not name:
        return None
    return one._replace(boot="" if boot == "-" else boot.replace("/", " "), host=host, name=name)


def _append(fd: int, pairs: list[tuple[str, str]]) -> None:
    lines = "".join(f"{key} {' '.join(text.split())}".rstrip() + "\n" for key, text in pairs)
    os.lseek(fd, 0, os.SEEK_END)
    os.write(fd, lines.encode("utf-8", "replace"))


def _lock(fd: int) -> None:
    """Take the lock within a second; a file system without locks leaves the file without."""
    import fcntl  # noqa: PLC0415  # readers do without
    import time  # noqa: PLC0415  # built in

    end = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return
            time.sleep(0.005)
        except OSError:  # no locks there: pids alone are asked, which prove less
            return
        else:
            return
