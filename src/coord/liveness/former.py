"""Who worked in a worktree that is still there, and is not its worker now: what that one has left.

In the main worktree each name that ever acted without a pin has an instance, and signs of its own.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.identity import pin
from coord.liveness import beats, sessionfile

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def newest(git_dir: str, instance: str) -> float | None:
    """Return when something was last written for `instance`, in seconds; None where nothing is.

    Raises:
        OSError: it cannot be told.
    """
    return max((os.lstat(path).st_mtime for path in _traces(git_dir, instance)), default=None)


def disown(git_dir: str, instance: str) -> None:
    """Let its name be another instance from now on.

    Raises:
        OSError: the git dir cannot be written.
    """
    for name, minted in list(beats.minted_in(git_dir)):
        if minted == instance:
            os.unlink(os.path.join(git_dir, beats.MINTED, name))


def forget(git_dir: str, instance: str) -> None:
    """Take away the signs that it has left; what cannot be taken away stays."""
    import shutil  # noqa: PLC0415  # 3 ms that each command pays which may sweep

    for folder in (sessionfile.FOLDER, beats.BEATS) if _is_ours(instance) else ():
        path = os.path.join(git_dir, folder, instance)
        if os.path.isdir(path):
            shutil.rmtree(path, ignore_errors=True)  # follows no link
        elif os.path.lexists(path):
            os.unlink(path)


def _traces(git_dir: str, instance: str) -> Iterator[str]:
    if not _is_ours(instance):
        return
    folder = os.path.join(git_dir, sessionfile.FOLDER, instance)
    yield from (path for path in (folder, *_inside(folder)) if os.path.lexists(path))
    names = [name for name, minted in beats.minted_in(git_dir) if minted == instance]
    paths = [f"{beats.MINTED}/{name}" for name in names] + [f"{beats.BEATS}/{instance}"]
    yield from filter(os.path.lexists, (os.path.join(git_dir, path) for path in paths))


def _inside(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder)]
    except (FileNotFoundError, NotADirectoryError):
        return []
