"""Commands on a terminal: a real one of the kernel's, of a given size, for each stream."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import termios
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from harness.repo import Done

if TYPE_CHECKING:
    from collections.abc import Collection

    from harness.repo import Repo


def on_terminal(
    repo: Repo,
    *argv: str,
    streams: Collection[str] = ("out", "err"),
    columns: int = 80,
    lines: int = 24,
) -> Done:
    r"""Run a command and return all that it wrote, control sequences too; a line ends in ``\n``.

    Args:
        repo: where, and in which environment.
        argv: the command.
        streams: which of ``out`` and ``err`` are a terminal; the others are pipes.
        columns: how wide the terminals are.
        lines: how high they are.
    """
    reads, writes = zip(
        *(opened(columns, lines) if name in streams else os.pipe() for name in ("out", "err")),
        strict=True,
    )
    with subprocess.Popen(
        argv,
        cwd=repo.path,
        env={"TERM": "xterm-256color", **repo.env},
        stdin=subprocess.DEVNULL,
        stdout=writes[0],
        stderr=writes[1],
    ) as child:
        for end in writes:
            os.close(end)
        with ThreadPoolExecutor() as readers:
            out, err = readers.map(_all, reads)
    return Done(child.returncode, out, err)


def opened(columns: int, lines: int) -> tuple[int, int]:
    """Return a new terminal's end for who looks on, and its end for a program."""
    look, play = os.openpty()
    resized(play, columns, lines)
    return look, play


def resized(end: int, columns: int, lines: int) -> None:
    """Give a terminal another size."""
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))


def _all(end: int) -> str:
    seen = bytearray()
    while True:
        try:
            part = os.read(end, 65536)
        except OSError:  # how a terminal says that nobody writes any more
            part = b""
        if not part:
            os.close(end)
            return seen.decode().replace("\r\n", "\n")
        seen += part
