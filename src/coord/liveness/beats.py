"""Signs of life, as every command and hook leaves them in a worktree.

    <private git dir>/coord-seen               renewed by every hook (``: >`` in sh) and command
    <private git dir>/coord-beats/<instance>   a command's own beat: a counter, and the worker

Hot path: felt at each prompt, so nothing is imported or synced that need not be.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base import peerfile
from coord.identity import pin
from coord.liveness.process import Process

if TYPE_CHECKING:
    from collections.abc import Iterator

SEEN = "coord-seen"
BEATS = "coord-beats"
MINTED = "coord-instances"
_HEAD = b"coord-beat 1\ncount "
_DIGITS = 10


def beat(git_dir: str, instance: str | None, worker: Process | None) -> None:
    """Give a sign of life in a worktree; one that cannot be written is passed over."""
    try:
        touch(git_dir)
        if instance is not None:
            _leave(os.path.join(git_dir, BEATS, instance), worker)
    except OSError:
        pass


def touch(git_dir: str) -> None:
    """Renew the worktree's own sign, as the hooks do.

    Raises:
        OSError: the git dir cannot be written.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    fd = os.open(os.path.join(git_dir, SEEN), flags, 0o666)
    try:
        os.utime(fd)
    finally:
        os.close(fd)


def drop(git_dir: str, instance: str | None) -> None:
    """Take back the signs of life of a worker who leaves.

    Raises:
        OSError: the git dir cannot be written.
    """
    for name in (SEEN, *([f"{BEATS}/{instance}"] if instance else [])):
        try:
            os.unlink(os.path.join(git_dir, name))
        except FileNotFoundError:
            continue


def worker_of(git_dir: str, instance: str) -> Process | None:
    """Return the process whose command gave the last beat; None where none can be read."""
    body = _read(os.path.join(git_dir, BEATS, instance))[len(_HEAD) + _DIGITS :]
    found = dict(line.partition(" ")[::2] for line in body.decode("utf-8", "replace").split("\n"))
    if not found.get("pid", "").isdecimal():
        return None
    text = {key: found.get(key, "") for key in Process._fields}
    return Process(text["host"], text["boot"], int(text["pid"]), text["start"], text["name"])


def acting(git_dir: str, asked: str | None) -> str | None:
    """Return the instance that acts in a worktree, told from files alone: no git child, 50 µs.

    The pin's, else the explicit actor's, else the only one ever minted here.
    """
    try:
        pinned = pin.read(git_dir)
    except (pin.Unreadable, OSError):
        return None
    if pinned is not None:
        return pinned.instance
    minted = dict(minted_in(git_dir))
    if asked:
        return minted.get(asked)
    return next(iter(minted.values())) if len(minted) == 1 else None


def minted_in(git_dir: str) -> Iterator[tuple[str, str]]:
    """Yield (actor, instance) of those who acted in a worktree without a pin."""
    folder = os.path.join(git_dir, MINTED)
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        try:
            yield name, peerfile.read(os.path.join(folder, name)).decode("ascii").strip()
        except (OSError, UnicodeDecodeError):
            continue


def _leave(path: str, worker: Process | None) -> None:
    """Write a beat; not synced, since a power cut ends the worker too.

    Mostly nothing but the count changes: it is overwritten in place, for a rename costs ext4 a
    flush (0.4 ms).
    """
    pairs = [] if worker is None else [(key, str(getattr(worker, key))) for key in Process._fields]
    text = "".join(f"\n{key} {' '.join(text.split())}" for key, text in pairs)
    body = text.encode("utf-8", "replace") + b"\n"
    there = _read(path)
    digits = there[len(_HEAD) : len(_HEAD) + _DIGITS]
    count = b"%0*d" % (_DIGITS, (int(digits) + 1) % 10**_DIGITS if digits.isdigit() else 1)
    if there == _HEAD + digits + body and digits.isdigit():
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            os.pwrite(fd, count, len(_HEAD))
        finally:
            os.close(fd)
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temp = f"{path}.tmp-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            os.write(fd, _HEAD + count + body)
        finally:
            os.close(fd)
        os.replace(temp, path)
    except OSError:  # a full disk
        os.unlink(temp)
        raise


def _read(path: str) -> bytes:
    """Return a beat, empty where there is none of ours."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    try:
        data = os.read(fd, 4096)
    except OSError:
        return b""
    finally:
        os.close(fd)
    return data if data.startswith(_HEAD) else b""
