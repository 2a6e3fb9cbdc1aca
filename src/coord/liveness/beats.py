"""Signs of life, as every command and hook leaves them in a worktree.

    <private git dir>/coord-seen               renewed by every hook (``: >`` in sh) and command
    <private git dir>/coord-beats/<instance>   the same of versions before: the time is read

The sessions of an instance have files of their own (:mod:`coord.liveness.signs`). Hot path: felt
at each prompt, so nothing is imported or synced that need not be.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base import peerfile, publish, sharing
from coord.identity import pin
from coord.liveness import sessionfile, signs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from coord.liveness.signs import Chain

SEEN = "coord-seen"
BEATS = "coord-beats"
MINTED = "coord-instances"


def beat(git_dir: str, instance: str | None, given: Chain | None) -> None:
    """Give a sign of life in a worktree; one that cannot be written is passed over."""
    try:
        seen = touch(git_dir)
        if instance is not None:
            signs.leave(git_dir, instance, given or signs.Chain((), whole=False), seen)
    except OSError:
        pass


def touch(git_dir: str) -> int:
    """Renew the worktree's own sign, as the hooks do; return its time in nanoseconds.

    Raises:
        OSError: the git dir cannot be written.
    """
    path = os.path.join(git_dir, SEEN)
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        fd = publish.opened(path, sharing.of_private(git_dir))
    try:
        os.utime(fd)
        return os.fstat(fd).st_mtime_ns
    finally:
        os.close(fd)


def own(git_dir: str, instance: str, session: str) -> None:
    """Let a declared session that ends own the worktree's last sign, if nobody else was here.

    Hooks renew that without a word of whose it is; of a session that is over it is no life.

    Raises:
        OSError: the git dir cannot be read.
    """
    folder = os.path.join(git_dir, sessionfile.FOLDER, instance)
    if os.listdir(folder) != [session]:
        return
    seen = os.stat(os.path.join(git_dir, SEEN), follow_symlinks=False).st_mtime_ns
    signs.see(os.path.join(folder, session), seen)


def drop(git_dir: str, instance: str | None, stay: Collection[str] = ()) -> None:
    """Take back the signs of life of a worker who leaves; its sessions named `stay` go on.

    Raises:
        OSError: the git dir cannot be written.
    """
    for name in (SEEN, *([f"{BEATS}/{instance}"] if instance else [])):
        publish.unlink(os.path.join(git_dir, name))
    if instance:
        signs.sign_off(git_dir, instance, stay)


def is_new(git_dir: str, instance: str) -> bool:
    """Tell whether an instance has given no sign yet that says who works there."""
    return not os.path.isdir(os.path.join(git_dir, sessionfile.FOLDER, instance))


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
        instance = instance_in(os.path.join(folder, name))
        if instance is not None:
            yield name, instance


def instance_in(path: str) -> str | None:
    """Return the instance in a file of one that was minted; None where there is none."""
    try:
        return peerfile.read(path).decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
