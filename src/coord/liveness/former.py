"""Who worked in a worktree that is still there, and is not its worker now: what that one has left.

In the main worktree each name that ever acted without a pin has an instance, and signs of its own.
"""

from __future__ import annotations

import os

from coord.base.names import is_actor
from coord.identity import pin
from coord.liveness import beats, sessionfile

_OWN = frozenset("0123456789abcdef-")  # of an instance that we have made; a record can say anything


def is_former(git_dir: str, instance: str) -> bool:
    """Tell whether `instance` is ours, and not pinned in the worktree, which is there."""
    if not _is_ours(instance):
        return False
    try:
        os.stat(os.path.join(git_dir, "HEAD"))
        pinned = pin.read(git_dir)
    except (pin.Unreadable, OSError):
        return False
    return pinned is None or pinned.instance != instance


def _is_ours(instance: str) -> bool:
    return bool(instance) and _OWN.issuperset(instance)


def has_signs(git_dir: str, instance: str) -> bool:
    """Tell whether `instance` has left a sign of life."""
    return any(map(os.path.lexists, _signs(git_dir, instance)))


def newest(git_dir: str, instance: str) -> float | None:
    """Return when `instance` gave its last sign of life, in seconds; None where it left none.

    Raises:
        OSError: it cannot be told.
    """
    found = [path for path in _signs(git_dir, instance) if os.path.lexists(path)]
    inner = [os.path.join(path, name) for path in found[:1] for name in _inside(path)]
    return max((os.lstat(path).st_mtime for path in (*found, *inner)), default=None)


def disown(git_dir: str, actor: str, instance: str) -> None:
    """Let the name `actor` be another instance from now on.

    Raises:
        OSError: the git dir cannot be written.
    """
    path = os.path.join(git_dir, beats.MINTED, actor)
    if is_actor(actor) and beats.instance_in(path) == instance:
        os.unlink(path)


def forget(git_dir: str, instance: str) -> None:
    """Take away the signs that it has left; what cannot be taken away stays."""
    import shutil  # noqa: PLC0415  # 3 ms that each command pays which may sweep

    for path in _signs(git_dir, instance):
        if os.path.isdir(path):
            shutil.rmtree(path, ignore_errors=True)  # follows no link
        elif os.path.lexists(path):
            os.unlink(path)


def _signs(git_dir: str, instance: str) -> list[str]:
    """Return where an instance leaves its signs, and where versions before did."""
    folders = (sessionfile.FOLDER, beats.BEATS) if _is_ours(instance) else ()
    return [os.path.join(git_dir, folder, instance) for folder in folders]


def _inside(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder)]
    except (FileNotFoundError, NotADirectoryError):
        return []
