"""Folders that are as they were when their newest record said nothing to whoever asked.

A scope that was released says nothing to who asks what is taken, and there may be 50,000 of them.

The rule: a folder with the number and the change time (ctime) that it had before its newest record
was read has that record still, if that time was a minute old by then, and nobody has set the clock
since. For a record is put into its folder or taken away, and never changed there; both give the
folder the time of the clock, and nothing else can set it; and, as in git's index, a time that is no
older than the look may be that of a change after it. So nothing is believed that was noted in
another boot, or by a clock that was set since, or of a disk that may be another machine's. A copied
repository, or a backup that is played back, has folders with other numbers and times, and is read
anew.

What it does not see: a record that a foreign program rewrote where it stands; and a clock that was
set back and forth again, and at that a change in the very tick of an earlier one of the same scope.
So this is for what is shown: whoever changes a scope, or takes something away, reads its folder.

    <board>/PREFIX.same-UID   the clock, and a line a folder; a user believes what is their own
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from coord.base import peerfile, publish
from coord.liveness import machine, mounts

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEAD, _END = "coord-same 1", "end"
RACY = 60  # seconds; file systems count in two of them at most
_SET = 2.0  # seconds that two readings of a clock may be apart on a busy machine
_FEW, _SHARE = 64, 64  # folders that are rather read each time than all noted anew: 64, and 1/64


class Look:
    """One look at the folders in a `folder`; temporary files are written in `scratch`."""

    def __init__(self, folder: str, scratch: str, now: float) -> None:
        """Begin it, at `now` by the clock that stamps folders."""
        self._folder, self._scratch = folder, scratch
        self._file = f"{folder}.same-{os.geteuid()}"
        self._clock = _clock()
        self._before = int((now - RACY) * 1e9)
        self._known = _noted(self._file, self._clock)
        self._kept: list[str] = []

    def changed(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Return the folders that are to be read, each with the line that says how it is now."""
        if not mounts.is_local(self._folder):
            return [(name, "") for name in names]
        known, kept, changed = self._known, self._kept, []
        fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for name in names:
                line = _line(name, fd, self._before)
                if line in known:
                    kept.append(line)
                else:
                    changed.append((name, line))
        finally:
            os.close(fd)
        return changed

    def note(self, silent: Sequence[str], share: int) -> None:
        """Have the next look know those lines too, if that is worth it and can be written.

        The file is as the records are: those who may read the board may read all that is in it.
        """
        found, kept = [line for line in silent if line], len(self._kept)
        if len(found) + len(self._known) - kept <= _FEW + kept // _SHARE:
            return
        which, ahead = self._clock
        text = "\n".join((_HEAD, which, repr(ahead), *self._kept, *found, _END))
        with suppress(OSError):
            temp = publish.written(f"{self._scratch}/x", text.encode(), share=share)
            try:
                os.replace(temp, self._file)
            finally:
                publish.forget(temp)


def _line(name: str, fd: int, before: int) -> str:
    """Return how a folder is; empty where that says nothing, for it is gone or too young."""
    try:
        one = os.stat(name, dir_fd=fd)
    except OSError:
        return ""
    changed = one.st_ctime_ns
    return f"{name} {one.st_ino} {changed}" if changed < before else ""


def _noted(file: str, clock: tuple[str, float]) -> frozenset[str]:
    """Return the lines that this user has noted by the same clock, set as it is now."""
    try:
        if os.lstat(file).st_uid != os.geteuid():
            return frozenset()
        head, which, ahead, *lines = peerfile.read(file, peerfile.WHOLE).decode().split("\n")
        is_same = which == clock[0] and abs(float(ahead) - clock[1]) < _SET
    except (OSError, ValueError):
        return frozenset()
    is_whole = head == _HEAD and lines[-1:] == [_END]
    return frozenset(lines) if is_whole and is_same else frozenset()


def _clock() -> tuple[str, float]:
    """Return which clock of this boot there is, and how far the one that is set is ahead of it."""
    which, up = machine.uptime()
    return which, time.time() - up
