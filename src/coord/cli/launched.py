"""The command under ``run``: started in the user's surroundings, on the record, and outlived."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from typing import TYPE_CHECKING

from coord.cli import forward, show
from coord.liveness import process
from coord.work import circle

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coord.work.run import Hold

_FORWARDED = (signal.SIGTERM, signal.SIGHUP)
# A terminal sends these to the command as well: it decides, and we outlive it to release.
_LEFT_TO_THE_COMMAND = (signal.SIGINT, signal.SIGQUIT)


@contextlib.contextmanager
def ending() -> Iterator[None]:
    """Have a request to end leave a block in order, and end this process by it afterwards."""
    asked: list[int] = []

    def leave(number: int, _: object) -> None:
        asked.append(number)
        for one in _FORWARDED:  # once is enough: what has to be given up is being given up
            signal.signal(one, signal.SIG_IGN)
        raise SystemExit(128 + number)

    before = [
        (number, signal.signal(number, leave))
        for number in _FORWARDED
        if signal.getsignal(number) is not signal.SIG_IGN  # nohup
    ]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, signal.SIG_DFL if asked else handler)
        if asked:
            os.kill(os.getpid(), asked[0])


def status(hold: Hold, command: Sequence[str]) -> int:
    """Run `command` in the caller's folder and return its status, as a shell counts it.

    Its process is put on the record as soon as that is there.
    """
    lock = [hold.session.fd] if hold.session.fd >= 0 else []
    with forward.to_command(_FORWARDED, _LEFT_TO_THE_COMMAND) as started:
        try:
            child = subprocess.Popen(
                command, cwd=hold.call.cwd, env=_environment(hold), pass_fds=lock
            )
        except OSError as error:
            show.note(f"{command[0]}: {error.strerror}")
            return 127 if isinstance(error, FileNotFoundError) else 126
        started(child)
        hold.record(process.of(child.pid))
        code = child.wait()
    return code if code >= 0 else 128 - code


def _environment(hold: Hold) -> dict[str, str]:
    """Return the caller's environment, without what git sets for an alias only.

    Its GIT_DIR would hold the command's own ``cd ../other && git …`` to this worktree.
    """
    drop = {"GIT_PREFIX"}
    if os.path.realpath(hold.call.environ.get("GIT_DIR", os.devnull)) == hold.worker.here.git_dir:
        drop.add("GIT_DIR")
    kept = {key: text for key, text in hold.call.environ.items() if key not in drop}
    return {**kept, circle.INSIDE: hold.inside}
