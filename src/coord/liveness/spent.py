"""Taking away the files of declared sessions, runs and waits that nobody has to ask after.

Whoever begins one does it: a worktree that stays, and the main one does, would keep a file of each
for ever, and every command that asks who is here reads all of them. A session's own sign tells its
end, so its file stays as long as that.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base import sharing
from coord.liveness import machine, sessionfile, signs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.liveness.sessionfile import Declared

# As of signs: of those that nobody can tell of, older ones share a file.
_KEPT = 8


def forget(git_dir: str) -> None:
    """Forget what is over in a private git dir; what cannot be read or taken away stays."""
    try:
        told = set(_told(os.path.join(git_dir, sessionfile.FOLDER)))
        found = [one for one in sessionfile.every(git_dir) if one.id not in told]
        over = {one.id for one in found if sessionfile.has_ended(git_dir, one)}
        for session in over:
            sessionfile.forget(git_dir, session)
        _set_aside(git_dir, [one for one in found if one.id not in over])
    except OSError:
        return


def _told(folder: str) -> Iterator[str]:
    """Yield the names of all signs, of whichever instance."""
    for inner in os.scandir(folder):
        if inner.is_dir(follow_symlinks=False):
            yield from os.listdir(inner.path)


def _set_aside(git_dir: str, found: list[Declared]) -> None:
    """Keep of the oldest only that they were there, and may be: a sandbox that was killed."""
    boot, share = machine.boot_id_of(machine.boot()), sharing.of_private(git_dir)
    found = [
        one
        for one in found
        if one.kind == "session" and one.instance and not sessionfile.lives(git_dir, one)
        if machine.boot_id_of(one.keeper.boot) == boot
    ]
    for one in sorted(found, key=lambda one: one.at)[:-_KEPT]:
        sign = signs.unknown(one.at, one.clone)
        signs.set_aside(os.path.join(git_dir, sessionfile.FOLDER, one.instance), sign, share)
        sessionfile.forget(git_dir, one.id)
