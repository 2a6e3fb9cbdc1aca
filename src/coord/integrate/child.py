"""Git children that answer one question after another, so that a question costs no process."""

from __future__ import annotations

import os
import subprocess
from collections import deque
from typing import TYPE_CHECKING, Self

from coord import git

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import IO

_CHUNK = 1 << 16
# What such a child writes is thrown away: it need not survive a power cut.
_FLEETING = ("-c", "core.fsync=none")


class Ended(Exception):
    """The child went away in the middle of an answer."""


class Child:
    """One git child; a context manager that ends it.

    Args:
        args: what follows ``git``.
        cwd: where it runs.
        env: its whole environment.
        words: open file that takes its stderr; without one nobody hears it.
    """

    def __init__(
        self, *args: str, cwd: str, env: Mapping[str, str], words: IO[bytes] | None = None
    ) -> None:
        self._child = subprocess.Popen(
            ["git", *git.QUIET, *_FLEETING, *args],
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=words or subprocess.DEVNULL,
            bufsize=_CHUNK,
        )
        assert self._child.stdin is not None  # noqa: S101  # they were asked for
        assert self._child.stdout is not None  # noqa: S101
        self._in, self._out = self._child.stdin, self._child.stdout
        self._fields: deque[bytes] = deque()
        self._rest = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def send(self, question: bytes) -> None:
        """Hand `question` over.

        Raises:
            Ended: nobody is there to read it.
        """
        try:
            self._in.write(question)
            self._in.flush()
        except BrokenPipeError as error:
            raise Ended from error

    def line(self) -> bytes:
        """Return the next line of the answer, without its newline.

        Raises:
            Ended: there is none.
        """
        line = self._out.readline()
        if not line.endswith(b"\n"):
            raise Ended
        return line[:-1]

    def exactly(self, size: int) -> bytes:
        """Return the next `size` bytes of the answer.

        Raises:
            Ended: there are not that many.
        """
        data = self._out.read(size)
        if len(data) < size:
            raise Ended
        return data

    def field(self) -> bytes:
        """Return the next NUL-terminated field of the answer.

        Raises:
            Ended: there is none.
        """
        while not self._fields:
            chunk = os.read(self._out.fileno(), _CHUNK)
            if not chunk:
                raise Ended
            *whole, self._rest = (self._rest + chunk).split(b"\0")
            self._fields.extend(whole)
        return self._fields.popleft()

    def end(self) -> None:
        """End the child, whatever it is doing."""
        self._child.kill()
        self._child.wait()
        self._out.close()
        try:
            self._in.close()
        except BrokenPipeError:
            pass  # what it was never to read
