"""Presence: who has given a sign of life, by the store's clock, and who surely is gone.

Silence and death change what is *shown*. Neither ever frees a claim: a 25-hour run is silent.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from coord.identity import pin
from coord.liveness import beats


class Status(NamedTuple):
    """What is known of an instance.

    Attributes:
        seen: last sign of life in seconds by the store's clock, None when there was none.
        present: it was seen lately, and is neither dead nor gone.
        dead: its process surely has ended: same host, same boot.
        gone: its worktree was removed, or has another worker.
        told: its last command left its process, so `dead` speaks of the latest one.
    """

    seen: float | None
    present: bool
    dead: bool
    gone: bool
    told: bool = False


def status(common_dir: str, home: str, instance: str, now: float | None, expires: float) -> Status:
    """Return what is known of `instance`, whose private git dir is `home` below `common_dir`."""
    git_dir = os.path.normpath(os.path.join(common_dir, home))
    owners = _instances(git_dir)
    removed = not os.path.isdir(git_dir) or _is_removed(git_dir, home)
    gone = removed or (owners is not None and instance not in owners)
    last = beats.worker_of(git_dir, instance)
    seen = None if gone else _seen(git_dir, instance)
    dead = last is not None and last.has_ended
    recent = seen is not None and (now is None or now - seen < expires)
    return Status(seen, recent and not dead and not gone, dead, gone, last is not None)


def _seen(git_dir: str, instance: str) -> float | None:
    """Return the last sign of life: the worktree's own for the one who works there now."""
    seen = _mtime(os.path.join(git_dir, beats.SEEN)) if _works(git_dir, instance) else None
    return _beaten(git_dir, instance) if seen is None else seen


def _works(git_dir: str, instance: str) -> bool:
    """Tell whether `instance` is the worktree's worker: pinned, or the last to give a command."""
    others = (_instances(git_dir) or set()) - {instance}
    mine = _beaten(git_dir, instance) or 0.0
    return all((_beaten(git_dir, other) or 0.0) <= mine for other in others)


def _beaten(git_dir: str, instance: str) -> float | None:
    return _mtime(os.path.join(git_dir, beats.BEATS, instance))


def _instances(git_dir: str) -> set[str] | None:
    """Return who can act in a worktree: the pinned one alone, else those minted there.

    None where the pin cannot be read: then nobody is called gone.
    """
    try:
        pinned = pin.read(git_dir)
    except (pin.Unreadable, OSError):
        return None
    if pinned is not None:
        return {pinned.instance}
    return {minted for _, minted in beats.minted_in(git_dir)}


def _is_removed(git_dir: str, home: str) -> bool:
    """Tell whether a linked worktree's folder is gone (``rm -rf``) and not locked for a return."""
    if home == "." or os.path.exists(os.path.join(git_dir, "locked")):
        return False
    try:
        with open(os.path.join(git_dir, "gitdir"), encoding="utf-8", errors="surrogateescape") as f:
            return not os.path.exists(os.path.join(git_dir, f.read().rstrip("\n")))
    except OSError:
        return True


def _mtime(path: str) -> float | None:
    try:
        return os.stat(path, follow_symlinks=False).st_mtime
    except OSError:
        return None
