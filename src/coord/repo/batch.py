"""Git children that answer one question after another, so that a question costs no process."""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING, Self

from coord.repo import git
from coord.repo.child import DEFAULTED, SIGKILL

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import IO

_CHUNK, _FATAL = 1 << 16, 128
# What such a child writes is thrown away: it need not survive a power cut.
_FLEETING = ("-c", "core.fsync=none")


class Ended(git.GitError):
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
        self._ended = Ended(args, _FATAL, "it ended in the middle of its answers", cwd)
        asked, self._in = os.pipe()
        told, answered = os.pipe()
        heard = open(os.devnull, "wb") if words is None else words  # noqa: SIM115
        ends = ((asked, 0), (answered, 1), (heard.fileno(), 2))
        self._pid = os.posix_spawnp(
            "git",
            ["git", "-C", cwd, *git.QUIET, *_FLEETING, *args],
            git.found(cwd, env),
            file_actions=[(os.POSIX_SPAWN_DUP2, end, number) for end, number in ends],
            setsigdef=DEFAULTED,
        )
        os.close(asked)
        os.close(answered)
        if words is None:
            heard.close()
        self._out = open(told, "rb", buffering=_CHUNK)  # noqa: SIM115
        self._fields: deque[bytes] = deque()
        self._rest = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def send(self, question: bytes) -> None:
        """Hand `question` over.

        Raises:
            Ended: nobody is there to read it.
        """
        left = memoryview(question)
        try:
            while left:
                left = left[os.write(self._in, left) :]
        except BrokenPipeError as error:
            raise self._ended from error

    def line(self) -> bytes:
        """Return the next line of the answer, without its newline.

        Raises:
            Ended: there is none.
        """
        line = self._out.readline()
        if not line.endswith(b"\n"):
            raise self._ended
        return line[:-1]

    def exactly(self, size: int) -> bytes:
        """Return the next `size` bytes of the answer.

        Raises:
            Ended: there are not that many.
        """
        data = self._out.read(size)
        if len(data) < size:
            raise self._ended
        return data

    def field(self) -> bytes:
        """Return the next NUL-terminated field of the answer.

        Raises:
            Ended: there is none.
        """
        while not self._fields:
            chunk = os.read(self._out.fileno(), _CHUNK)
            if not chunk:
                raise self._ended
            *whole, self._rest = (self._rest + chunk).split(b"\0")
            self._fields.extend(whole)
        return self._fields.popleft()

    def end(self) -> None:
        """End the child, whatever it is doing."""
        os.kill(self._pid, SIGKILL)
        os.waitpid(self._pid, 0)
        self._out.close()
        os.close(self._in)
