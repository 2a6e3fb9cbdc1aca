"""The command under ``run``: started in the user's surroundings, on the record, and outlived."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

from coord.cli import show
from coord.liveness import process

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.work.run import Hold

_FORWARDED = (signal.SIGTERM, signal.SIGHUP)
# A terminal sends these to the command as well: it decides, and we outlive it to release.
_LEFT_TO_THE_COMMAND = (signal.SIGINT, signal.SIGQUIT)


def status(hold: Hold, command: Sequence[str]) -> int:
    """Run `command` in the caller's folder and return its status, as a shell counts it.

    Its process is put on the record as soon as that is there.
    """
    try:
        child = subprocess.Popen(command, cwd=hold.call.cwd, env=_environment(hold))
    except OSError as error:
        show.note(f"{command[0]}: {error.strerror}")
        return 127 if isinstance(error, FileNotFoundError) else 126
    before = [
        *(
            (number, signal.signal(number, lambda got, _: child.send_signal(got)))
            for number in _FORWARDED
        ),
        *((number, signal.signal(number, lambda *_: None)) for number in _LEFT_TO_THE_COMMAND),
    ]
    try:
        hold.record(process.of(child.pid))
        code = child.wait()
    finally:
        for number, handler in before:
            signal.signal(number, handler)
    return code if code >= 0 else 128 - code


def _environment(hold: Hold) -> dict[str, str]:
    """Return the caller's environment, without what git sets for an alias only.

    Its GIT_DIR would hold the command's own ``cd ../other && git …`` to this worktree.
    """
    drop = {"GIT_PREFIX"}
    if os.path.realpath(hold.call.environ.get("GIT_DIR", os.devnull)) == hold.worker.here.git_dir:
        drop.add("GIT_DIR")
    return {key: text for key, text in hold.call.environ.items() if key not in drop}
