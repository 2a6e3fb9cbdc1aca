"""The private bare repository that holds what was fetched of a board, and what is to be pushed.

Its owner's alone, without templates, hooks, reflogs or upkeep of git's own. Nothing in it is worth
keeping: one that is torn, or another's, is made anew.
"""

from __future__ import annotations

import os
import stat
import time

from coord.base import peerfile, publish
from coord.repo import git

#: Where a fetch leaves the tip.
TIP = "refs/coord/fetched"
_LOOSE = 4  # files in one of 256 folders: some 1,000 in all, which are packed in a second or two
_SAMPLE = "17"  # the folder that git counts for the same purpose
_SOON = 600.0  # seconds
_PACKS = 48  # files of packs, three each
_PARTS = ("HEAD", "config", "objects", "refs")
_TEMP = ".tmp-"
_MODE = 0o700
_CONFIG = b"[core]\n\tlogAllRefUpdates = false\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"


def ensure(cache: str) -> None:
    """Make the cache where it is missing, another's, or no repository; many may at once.

    Raises:
        OSError: it cannot be made.
        Environment: git cannot make it.
    """
    if _is_whole(cache):
        return
    with publish.lock(f"{cache}.lock"):
        if not _is_whole(cache):
            renew(cache, "sha1")


def renew(cache: str, algorithm: str) -> None:
    """Make the cache empty, as the one process that is at it; what else is kept in it stays.

    Args:
        cache: its path, absolute.
        algorithm: of its object names; the other side's.

    Raises:
        OSError: it cannot be made.
        Environment: git cannot make it.
    """
    folder, name = os.path.split(cache)
    for left in os.listdir(folder):
        if left.startswith(f"{name}{_TEMP}"):
            publish.drop(os.path.join(folder, left))
    temp = f"{cache}{_TEMP}{os.getpid()}"
    try:
        _make(temp, algorithm)
        if _is_private(cache):
            for part in (*_PARTS, "packed-refs", "shallow"):
                publish.drop(os.path.join(cache, part))
            for part in _PARTS:
                os.rename(os.path.join(temp, part), os.path.join(cache, part))
        else:
            publish.drop(cache)
            os.rename(temp, cache)
    finally:
        publish.drop(temp)


def algorithm(cache: str) -> str:
    """Return what its objects are named by; SHA-1 where that cannot be read."""
    try:
        return "sha256" if b"sha256" in peerfile.read(os.path.join(cache, "config")) else "sha1"
    except OSError:
        return "sha1"


def is_sound(cache: str) -> bool:
    """Tell whether the commits that its refs name are there, with all that is in them."""
    return not _asked(cache, "rev-list", "--objects", "--no-walk", "--quiet", "--all").code


def tip(cache: str) -> str:
    """Return the commit that was fetched last; empty for none."""
    try:
        with open(os.path.join(cache, TIP), encoding="ascii", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def is_empty(cache: str) -> bool:
    """Tell whether nothing was ever fetched or made here."""
    objects = os.path.join(cache, "objects")
    return not {*os.listdir(objects), *os.listdir(f"{objects}/pack")} - {"info", "pack"}


def tidy(cache: str) -> None:
    """Pack what has come in small pieces, where it is more than git finds quickly.

    What no ref names stays as it is until packs are made one; and then for an hour, since it may be
    on its way to the other side.
    """
    objects = os.path.join(cache, "objects")
    many = _count(os.path.join(objects, "pack")) > _PACKS
    few = not many and _count(os.path.join(objects, _SAMPLE)) <= _LOOSE
    if few or _is_fresh(os.path.join(objects, "info", "packs")):
        return
    if not many:
        _asked(cache, "repack", "-dq")
        return
    _asked(cache, "repack", "-adq")
    _asked(cache, "prune", "--expire=1.hour.ago")


def _is_fresh(path: str) -> bool:
    try:
        return abs(time.time() - os.lstat(path).st_mtime) < _SOON
    except FileNotFoundError:
        return False


def unlock(cache: str) -> None:
    """Take away what a fetch that was killed has left locked, as the one process that is at it."""
    for name in (TIP, "shallow"):
        publish.unlink(os.path.join(cache, f"{name}.lock"))


def _asked(cache: str, *args: str) -> git.Output:
    return git.ask(f"--git-dir={cache}", *args, cwd="/")


def _make(temp: str, algorithm: str) -> None:
    os.mkdir(temp, _MODE)
    env = {**git.elsewhere(), "GIT_DEFAULT_REF_FORMAT": "files"}
    made = ("init", "--bare", "--quiet", "--template=", f"--object-format={algorithm}", temp)
    git.tell("-c", "core.sharedRepository=umask", *made, cwd="/", env=env)
    os.chmod(temp, _MODE)
    with open(os.path.join(temp, "config"), "ab") as file:
        file.write(_CONFIG)


def _is_private(cache: str) -> bool:
    """Tell whether there is a folder that nobody else can have put anything into."""
    try:
        found = os.lstat(cache)
    except FileNotFoundError:
        return False
    is_own = found.st_uid == os.geteuid() and not found.st_mode & 0o077
    return is_own and stat.S_ISDIR(found.st_mode)


def _is_whole(cache: str) -> bool:
    parts = (os.path.join(cache, part) for part in _PARTS)
    return _is_private(cache) and all(map(os.path.exists, parts))


def _count(folder: str) -> int:
    try:
        return len(os.listdir(folder))
    except OSError:
        return 0
