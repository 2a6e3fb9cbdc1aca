"""Objects of a rehearsal: read through one git child, written into a folder of their own.

libgit2 would read them faster, but it costs 65 ms to load and knows no SHA-256.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from typing import TYPE_CHECKING, NamedTuple, Self

from coord.integrate.child import Child

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

_SHA1_DIGITS = 40


class Found(NamedTuple):
    """An object: its id and its bytes."""

    id: str
    data: bytes


class Objects:
    """The objects that git finds in `env`; a context manager that ends the child asked.

    Args:
        folder: the object directory that new ones are written into.
    """

    def __init__(self, cwd: str, env: Mapping[str, str], folder: str) -> None:
        self._folder = folder
        self._child = Child("cat-file", "--batch", cwd=cwd, env=env)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._child.end()

    def find(self, name: str) -> Found | None:
        """Return the object that a revision names, None where it names none."""
        if "\n" in name or "\0" in name:  # no revision holds them, and they would end the question
            return None
        self._child.send(os.fsencode(name) + b"\n")
        answer = self._child.line().split(b" ")  # ID TYPE SIZE, or NAME missing, NAME ambiguous
        if not answer[-1].isdigit():
            return None
        data = self._child.exactly(int(answer[-1]) + 1)
        return Found(answer[0].decode(), data[:-1])

    def read(self, name: str) -> bytes:
        """Return the bytes of an object that has to be there, none where it is not."""
        found = self.find(name)
        return found.data if found else b""

    def write(self, kind: str, data: bytes, like: str) -> str:
        """Store an object and return its id, made as the id `like` was."""
        text = b"%s %d\0" % (kind.encode(), len(data)) + data
        sha1 = len(like) == _SHA1_DIGITS
        name = hashlib.new("sha1" if sha1 else "sha256", text, usedforsecurity=False).hexdigest()
        fan = os.path.join(self._folder, name[:2])
        os.makedirs(fan, exist_ok=True)
        with open(os.path.join(fan, name[2:]), "wb") as file:
            file.write(zlib.compress(text, 1))
        return name
