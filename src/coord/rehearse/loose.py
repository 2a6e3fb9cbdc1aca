"""Objects of a rehearsal: new ones are written into a folder of their own, all are read fast.

A question to a git child costs two switches of process, and a rehearsal reads a few trees a branch;
so those that were just made are read here, as loose files, and only the rest through git.
libgit2 would do it all, but costs 65 ms to load and knows no SHA-256.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from typing import TYPE_CHECKING, Self

from coord.repo.batch import Child

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_SHA1_DIGITS = 40
_FEW = 32  # questions that fit into a pipe, while git waits for us to read answers


class Objects:
    """The objects that git finds in `env`; a context manager that ends the child asked.

    Args:
        folder: the object directory that git writes to in `env`.
    """

    def __init__(self, cwd: str, env: Mapping[str, str], folder: str) -> None:
        self._folder = folder
        self._child = Child("cat-file", "--batch-command", cwd=cwd, env=env)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._child.end()

    def find(self, names: Sequence[str]) -> list[str | None]:
        """Return the id of the object that each revision names, None where it names none."""
        found: list[str | None] = []
        for start in range(0, len(names), _FEW):
            found += self._find_few(names[start : start + _FEW])
        return found

    def read(self, ids: Sequence[str]) -> list[bytes]:
        """Return the bytes of the objects with these ids; of one that is not there, none."""
        found = {name: self._loose(name) for name in ids}
        packed = [name for name, data in found.items() if data is None]
        for start in range(0, len(packed), _FEW):
            asked = packed[start : start + _FEW]
            self._child.send(b"".join(b"contents %s\n" % name.encode() for name in asked))
            for name in asked:
                size = _size(self._child.line())
                found[name] = None if size is None else self._child.exactly(size + 1)[:-1]
        return [found[name] or b"" for name in ids]

    def write(self, kind: str, data: bytes, like: str) -> str:
        """Store an object and return its id, made as the id `like` was."""
        text = b"%s %d\0" % (kind.encode(), len(data)) + data
        sha1 = len(like) == _SHA1_DIGITS
        name = hashlib.new("sha1" if sha1 else "sha256", text, usedforsecurity=False).hexdigest()
        path = self._file(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb", buffering=0) as file:
            file.write(zlib.compress(text, 1))
        return name

    def _loose(self, name: str) -> bytes | None:
        try:
            file = os.open(self._file(name), os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        with open(file, "rb", buffering=0) as stream:
            return zlib.decompress(stream.read()).partition(b"\0")[2]

    def _file(self, name: str) -> str:
        return f"{self._folder}/{name[:2]}/{name[2:]}"

    def _find_few(self, names: Sequence[str]) -> Iterator[str | None]:
        # No revision holds a newline or NUL; they would end the question.
        asked = ["?" if "\n" in name or "\0" in name else name for name in names]
        self._child.send(b"".join(b"info %s\n" % os.fsencode(name) for name in asked))
        for line in [self._child.line() for _ in asked]:
            yield None if _size(line) is None else line.partition(b" ")[0].decode()


def _size(answer: bytes) -> int | None:
    """Return the size in ``ID TYPE SIZE``; None in ``NAME missing`` and ``NAME ambiguous``."""
    last = answer.rpartition(b" ")[2]
    return int(last) if last.isdigit() else None
