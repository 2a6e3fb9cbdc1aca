"""Signals that are handed on to a command, from before it is there until it has ended."""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Collection, Iterable, Iterator


@contextlib.contextmanager
def to_command(
    passed: Collection[signal.Signals], left: Iterable[signal.Signals]
) -> Iterator[Callable[[subprocess.Popen[bytes]], None]]:
    """Yield what is told of the command; a signal that comes before is handed on then.

    What is ignored already (``nohup``, a job in the background) stays so, for the command too.

    Args:
        passed: those that the command gets from us.
        left: those that it gets by itself, of its terminal: it decides, and we outlive it.
    """
    commands: list[subprocess.Popen[bytes]] = []
    early: list[int] = []

    def take(number: int, _: object) -> None:
        if not commands:
            early.append(number)
        elif number in passed:
            commands[0].send_signal(number)

    def started(command: subprocess.Popen[bytes]) -> None:
        commands.append(command)
        while early:
            command.send_signal(early.pop(0))

    before = [
        (number, signal.signal(number, take))
        for number in (*passed, *left)
        if signal.getsignal(number) is not signal.SIG_IGN
    ]
    try:
        yield started
    finally:
        for number, handler in before:
            signal.signal(number, handler)
