"""Whether a session belongs to a boot that is over: looked up only where one of another boot is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base import peerfile
from coord.liveness import machine, mounts, sessionfile

if TYPE_CHECKING:
    from collections.abc import Iterator

_BOOT = b"\nboot "
_MOST = 4096


class Reboot:
    """What is known of boots before this one, asked once a command."""

    def __init__(self, common_dir: str) -> None:
        self._common_dir = common_dir
        self._booted = machine.booted() if machine.has_initial_time() else None
        self._alone: bool | None = None

    def ended(self, git_dir: str, host: str, at: float) -> bool:
        """Tell whether what gave its last sign at `at`, in another boot, ended with that.

        It was this machine's, on a disk of its own, before this boot began by the clock; and no
        other kernel has written to this board since, for then there are two.
        """
        booted = self._booted
        if booted is None or host != machine.host() or at >= booted or not at:
            return False
        if not mounts.is_local(git_dir) or not mounts.is_local(self._common_dir):
            return False
        if self._alone is None:
            self._alone = not _another_writes(self._common_dir, booted)
        return self._alone


def _another_writes(common_dir: str, booted: float) -> bool:
    own = machine.boot_id_of(machine.boot()).encode()
    try:
        for path in _files(common_dir):
            text, at = peerfile.head(path, _MOST), os.lstat(path).st_mtime
            found = text.partition(_BOOT)[2].split(b"\n")[0].split(b" ")[0]
            if found and found != own and at >= booted:
                return True
    except FileNotFoundError:  # it was written anew, or its session has left, at this very moment
        return True
    except OSError:  # what cannot be read may be another's
        return True
    return False


def _files(common_dir: str) -> Iterator[str]:
    linked = os.path.join(common_dir, "worktrees")
    names = os.listdir(linked) if os.path.isdir(linked) else []
    for git_dir in (common_dir, *(os.path.join(linked, name) for name in names)):
        folder = os.path.join(git_dir, sessionfile.FOLDER)
        for found, _, files in os.walk(folder, onerror=_raise):
            yield from (os.path.join(found, name) for name in files)


def _raise(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error
