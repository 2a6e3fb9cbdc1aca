"""May whoever asks read and write what is ours? Another user's umask, or root's, can forbid it.

Only looked at, entry by entry: a record that one user cannot read is whole for the others.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from coord.base import sharing
from coord.base.names import quote
from coord.board import recordfile
from coord.doctor.findings import Finding, Verdict, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

_OURS = ("coord", "hooks/coord")
_ENOUGH = 100  # of the closed ones: their number is told, and each is mended by one command


def judge(common_dir: str) -> Verdict:
    """Judge what may be done below the common dir by the very user who asks."""
    closed = []
    for path in _entries(common_dir):
        if not _may(path):
            closed.append(path)
            if len(closed) > _ENOUGH:
                break
    findings = [_finding(common_dir, closed)] if closed else []
    return verdict("users", "all of ours may be read and written by you", findings)


def _entries(common_dir: str) -> Iterator[str]:
    for name in _OURS:
        for folder, _, files in os.walk(os.path.join(common_dir, name)):
            yield folder
            yield from (os.path.join(folder, file) for file in files)


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
    return os.access(path, os.W_OK) or recordfile.closed(path) is None


def _finding(common_dir: str, closed: list[str]) -> Finding:
    first = closed[0]
    why = recordfile.closed(first) or f"{first} is closed"
    more = len(closed) - 1
    others = f" (and {more if more < _ENOUGH else f'at least {more}'} more like it)" if more else ""
    return Finding("not-permitted", common_dir, f"{why}{others}", _mend(common_dir))


def _mend(common_dir: str) -> str:
    """Return what opens all of ours to those for whom the repository is meant."""
    ours = " ".join(quote(os.path.join(common_dir, name)) for name in _OURS)
    if sharing.of(common_dir):
        return f"sudo chmod -R g+rwX {ours}"
    owner = os.stat(common_dir).st_uid
    if owner == os.geteuid():
        return f"sudo chown -R {owner} {ours}"
    shared = f"git -C {quote(common_dir)} config core.sharedRepository group"
    return f"sudo {shared} && sudo chmod -R g+rwX {ours}"
