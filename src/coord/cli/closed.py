"""Output whose reader has left (``| head``, ``| true``): the verb goes on to its end all the same.

Cut off at its first line, ``sign-off`` would give up half, and ``claim`` would say 1 of a scope
that it holds. So a broken pipe is swallowed where bytes leave us, and the exit code says what was
done; what asks whether anybody has read it (``inbox``) can.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO

_NAMES = ("stdout", "stderr")


class _Pipe(io.FileIO):
    """A file descriptor that takes all, and remembers when nobody was there to read it."""

    lost = False

    def write(self, data: bytes) -> int | None:  # type: ignore[override]
        """Write `data`, to nobody where the reader has left."""
        try:
            return super().write(data)
        except BrokenPipeError:
            self.lost = True
            return len(data)


def outlive_readers() -> None:
    """Let this process outlive the readers of its stdout and stderr; entries only.

    One that was closed for us (``>&-``) leads nowhere from now on, as git itself has it: else the
    next file that is opened would be our stdout, and a child's.
    """
    closed = [number for number in range(3) if not _is_open(number)]
    for _ in closed:  # the lowest that is free: that very one
        os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    for number, name in enumerate(_NAMES, 1):
        stream: TextIO | None = getattr(sys, name)
        if stream is not None:
            stream.flush()
        raw = _Pipe(number, "wb", closefd=False)
        raw.lost = number in closed
        setattr(
            sys,
            name,
            io.TextIOWrapper(
                io.BufferedWriter(raw),
                encoding=stream.encoding if stream else "utf-8",
                errors=stream.errors if stream else "backslashreplace",
                line_buffering=name == "stderr" or raw.isatty(),
                write_through=name == "stderr",
            ),
        )


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def is_lost(stream: object) -> bool:
    """Tell whether what was written to `stream` found no reader."""
    return bool(getattr(getattr(getattr(stream, "buffer", None), "raw", None), "lost", False))
