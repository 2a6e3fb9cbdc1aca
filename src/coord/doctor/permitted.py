"""May whoever asks read and write what is ours? Another user's umask, or root's, can forbid it.

Only looked at, entry by entry: a record that one user cannot read is whole for the others.
"""

from __future__ import annotations

import os
import re
import stat
from itertools import islice
from typing import TYPE_CHECKING

from coord.base import sharing
from coord.base.names import quote
from coord.doctor.findings import Finding, Verdict, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SHARED = "hooks/coord"
_PREFIX = "coord"  # of what is ours in a git dir, the common one and each private one
_OF_ONE_USER = re.compile(r"board-\d+-[0-9a-f]{8}\..+")  # as coord.stores.chosen names them
_ENOUGH = 100  # of the closed ones: their number is told, and each is mended by one command


def judge(common_dir: str) -> Verdict:
    """Judge what may be done below the common dir by the very user who asks."""
    closed: list[str] = []
    tops = {}
    for top in _tops(common_dir):
        before = len(closed)
        closed += islice(_closed(top), _ENOUGH)
        if len(closed) > before:
            tops[top] = closed[before]
        if len(closed) > _ENOUGH:
            break
    findings = [_finding(common_dir, closed, tops)] if closed else []
    return verdict("users", "all of ours may be read and written by you", findings)


def _tops(common_dir: str) -> Iterator[str]:
    """Yield what is ours in the common dir and in each private git dir."""
    yield os.path.join(common_dir, _SHARED)
    for git_dir in (common_dir, *sharing.private_dirs(common_dir)):
        for name in _listed(git_dir):
            if name == _PREFIX:
                yield from _inside(os.path.join(git_dir, name))
            elif name.startswith(_PREFIX):
                yield os.path.join(git_dir, name)


def _inside(home: str) -> Iterator[str]:
    """Yield what is in the folder of all, but for what each keeps of a server for itself alone.

    A token is worth a password: what opens the rest must not open it.
    """
    if not os.access(home, os.R_OK | os.X_OK | os.W_OK):
        yield home
        return
    for name in _listed(home):
        if not _OF_ONE_USER.fullmatch(name):
            yield os.path.join(home, name)


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _closed(top: str) -> Iterator[str]:
    """Yield what is closed to us at `top` and below; of a file that is not, one call tells."""
    yield from () if _may(top) else (top,)
    if os.path.islink(top):
        return
    for folder, inner, files in os.walk(top):  # which says nothing of one that it cannot list
        yield from (path for name in inner if not _may(path := f"{folder}/{name}"))
        for path in (f"{folder}/{file}" for file in files):
            if not (os.access(path, os.R_OK) or _may(path)):
                yield path


def _may(path: str) -> bool:
    """Tell whether permissions let us in; that a mount is read-only, or a sandbox, is another's."""
    try:
        facts = os.lstat(path)
    except FileNotFoundError:
        return True  # gone since it was listed
    if stat.S_ISDIR(facts.st_mode):
        return os.access(path, os.R_OK | os.X_OK) and _may_write(path)
    return not stat.S_ISREG(facts.st_mode) or os.access(path, os.R_OK)


def _may_write(path: str) -> bool:
    return os.access(path, os.W_OK) or sharing.closed(path) is None


def _finding(common_dir: str, closed: list[str], tops: Mapping[str, str]) -> Finding:
    first = closed[0]
    why = sharing.closed(first) or f"{first} is closed"
    more = len(closed) - 1
    others = f" (and {more if more < _ENOUGH else f'at least {more}'} more like it)" if more else ""
    return Finding("not-permitted", common_dir, f"{why}{others}", _mend(common_dir, tops))


def _mend(common_dir: str, tops: Mapping[str, str]) -> str:
    """Return what opens `tops`, each with what is closed in it, to those they are meant for."""
    ours = " ".join(map(quote, tops))
    if all(os.lstat(path).st_uid == os.geteuid() for path in tops.values()):
        return f"chmod -R u+rwX {ours}"
    if sharing.of(common_dir):
        return f"sudo chmod -R g+rwX {ours}"
    owner = os.stat(common_dir).st_uid
    if owner == os.geteuid():
        return f"sudo chown -R {owner} {ours}"
    shared = f"git -C {quote(common_dir)} config core.sharedRepository group"
    return f"sudo {shared} && sudo chmod -R g+rwX {ours}"
