"""What a wait asleep looks at once a second: whether the holder of its scope may have ended.

An end is no event. What is looked at here costs a few system calls and proves nothing: it rings for
whatever could be an end, for each once, and the whole program judges it.
"""

from __future__ import annotations

import os
import time

from coord.base import peerfile
from coord.stores import keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

AGAIN = 1.0  # seconds between looks
_GONE, _SILENT, _RUN = "gone", "silent", "run"
_SESSIONS = "coord-sessions"
_MOST = 4096
_PIDS = range(1, 1 << 31)
_YOUNG = 10.0  # seconds; what ended before this wait began was judged then


class Lookout:
    """Looks at one holder.

    Args:
        common_dir: the common git dir.
        holder: the place that holds, as its record has it.
        has_ended: tells of a process, by number and start, whether it is not to be seen any more.

    Attributes:
        of: who that is: instance, and nonce of a run.
        known: what has rung by now, in words.
    """

    def __init__(
        self,
        common_dir: str,
        holder: dict[str, Any],
        has_ended: Callable[[int, str], bool],
    ) -> None:
        self.of = (holder["instance"], holder.get("nonce"))
        self.known = set[str]()
        self._has_ended = has_ended
        self._processes = {_RUN: _recorded(holder)} if holder.get("run") else {}
        self._git_dir = _home(common_dir, holder["instance"])
        if self._git_dir and not self._processes:
            self._processes |= _declared(self._git_dir, holder["instance"])

    def look(self, seen: float | None, expires: float) -> bool:
        """Tell whether something may have ended that is not known to have.

        Args:
            seen: the time of this worktree's own last sign of life, by the clock of the file
                system; None where that is not to be compared now.
            expires: how much silence ends presence, in seconds.
        """
        found = {word for word, pids in self._processes.items() if self._all_ended(pids)}
        if self._git_dir:
            found |= _looked(self._git_dir, seen, expires)
        news = found - self.known
        self.known |= news
        return bool(news)

    def _all_ended(self, pids: list[tuple[int, str]]) -> bool:
        return bool(pids) and all(self._has_ended(*one) for one in pids)


def _looked(git_dir: str, seen: float | None, expires: float) -> set[str]:
    if not os.path.lexists(git_dir):
        return {_GONE}
    if seen is None:
        return set()
    try:
        sign = os.lstat(os.path.join(git_dir, "coord-seen")).st_mtime
    except OSError:
        return {_SILENT}
    return {_SILENT} if seen - sign > expires else set()


def _home(common_dir: str, instance: str) -> str:
    """Return the private git dir of an instance, empty where that is not written down."""
    import json  # noqa: PLC0415  # as the caller has, once

    try:
        found = json.loads(peerfile.read(f"{common_dir}/coord/board/{keys.actor(instance)}", _MOST))
        home = os.path.normpath(os.path.join(common_dir, found["home"]))
        return home if f"{home}/".startswith(f"{common_dir}/") else ""
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return ""


def _recorded(holder: dict[str, Any]) -> list[tuple[int, str]]:
    found = (holder.get("process"), holder.get("command"))
    return [_process(one["pid"], one["start"]) for one in found if one]


def _process(pid: int, start: str) -> tuple[int, str]:
    """Return a process as a peer has written it down, if it can be one.

    Raises:
        ValueError: it cannot.
    """
    if type(pid) is not int or type(start) is not str or pid not in _PIDS:
        raise ValueError(pid)
    return pid, start


def _declared(git_dir: str, instance: str) -> dict[str, list[tuple[int, str]]]:
    """Return the processes of each declared session of `instance`: its keeper, and its command."""
    found = {}
    folder = os.path.join(git_dir, _SESSIONS)
    try:
        for name in os.listdir(folder):
            said = _said(os.path.join(folder, name))
            if ["kind", "session"] in said and ["instance", instance] in said:
                words = (one for one in said if one[0] in {"keeper", "command"})
                found[name] = [_process(int(one[1]), one[2]) for one in words]
    except (OSError, ValueError, LookupError):
        pass
    return found


def _said(path: str) -> list[list[str]]:
    """Return what a session's file says in words a line; nothing of one that was over long ago."""
    try:
        said = [line.split(" ") for line in peerfile.read(path, _MOST).decode().split("\n")]
        young = abs(time.time() - os.lstat(path).st_mtime) < _YOUNG
    except (OSError, UnicodeDecodeError):  # an instance's folder, mostly
        return []
    return said if young or ["end", "over"] not in said else []
