"""The command under ``run``: started in the user's surroundings, on the record, and outlived."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from typing import TYPE_CHECKING

from coord.board import process
from coord.cli import show

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from coord.board.process import Process
    from coord.work.arrive import Worker

_FORWARDED = (signal.SIGTERM, signal.SIGHUP)
# A terminal sends these to the command as well: it decides, and we outlive it to release.
_LEFT_TO_THE_COMMAND = (signal.SIGINT, signal.SIGQUIT)


def watched(worker: Worker, command: Sequence[str], record: Callable[[Process], None]) -> int:
    """Run `command` in the user's folder, with signs of life all the while; return its status.

    `record` is called with its process as soon as that is there.
    """
    done = threading.Event()
    beats = threading.Thread(target=_beat_until, args=(done, worker), daemon=True)
    beats.start()
    try:
        return _status(command, _environment(worker), record)
    finally:
        done.set()
        worker.beat()


def _beat_until(done: threading.Event, worker: Worker) -> None:
    own = process.own()
    above = worker.watch.worker
    while not done.wait(worker.beat_every):
        # A worker may end before what it has started: then the command itself is the one at work.
        worker.beat(own if above is None or above.is_dead else above)


def _environment(worker: Worker) -> dict[str, str]:
    """Return the caller's environment, without what git sets for an alias only.

    Its GIT_DIR would hold the command's own ``cd ../other && git …`` to this worktree.
    """
    drop = {"GIT_PREFIX"}
    if os.path.realpath(os.environ.get("GIT_DIR", os.devnull)) == worker.here.git_dir:
        drop.add("GIT_DIR")
    return {key: text for key, text in os.environ.items() if key not in drop}


def _status(
    command: Sequence[str], env: Mapping[str, str], record: Callable[[Process], None]
) -> int:
    try:
        child = subprocess.Popen(command, cwd=os.getcwd(), env=env)
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
        record(process.of(child.pid))
        code = child.wait()
    finally:
        for number, handler in before:
            signal.signal(number, handler)
    return code if code >= 0 else 128 - code
