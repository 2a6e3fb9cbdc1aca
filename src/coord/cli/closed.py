"""Output whose reader has left (``| head``, ``| true``): the verb goes on to its end all the same.

Cut off at its first line, ``sign-off`` would give up half, and ``claim`` would say 1 of a scope
that it holds. So a broken pipe is swallowed where bytes leave us, and the exit code says what was
done; what asks whether anybody has read it (``inbox``) can.
"""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def outlive_readers(names: Iterable[str] = _NAMES) -> None:
    """Let this process outlive the readers of its stdout and stderr; entries only."""
    for name in names:
        stream: TextIO | None = getattr(sys, name)
        if stream is None:
            continue
        stream.flush()
        raw = _Pipe(stream.fileno(), "wb", closefd=False)
        setattr(
            sys,
            name,
            io.TextIOWrapper(
                io.BufferedWriter(raw),
                encoding=stream.encoding,
                errors=stream.errors,
                line_buffering=name == "stderr" or raw.isatty(),
                write_through=name == "stderr",
            ),
        )


def is_lost(stream: object) -> bool:
    """Tell whether what was written to `stream` found no reader."""
    return bool(getattr(getattr(getattr(stream, "buffer", None), "raw", None), "lost", False))
