"""Blobs, read in one ``git cat-file`` process; and whether one is the beginning of another.

A log of n appends has n versions, and reading them all costs the square of it. A blob's id is the
hash of its bytes, so that an older version is the beginning of a newer one is proved from the newer
one's bytes, with the older one's size: nothing is inflated, nothing goes through the pipe.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections import OrderedDict
from typing import TYPE_CHECKING, Self

from coord.base.errors import Environment
from coord.repo.batch import Child, Ended

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coord.history.door import Door

_BUDGET = 16 << 20  # bytes of blobs kept; the two newest are kept whatever their size
_SHA1 = 40
_LOOK = 256
_BATCH = 200  # answers of a line each: neither pipe fills
_SMALL, _FEW = 1 << 11, 16  # together less than a pipe holds
_MANY, _PORTION = 256, 1 << 13  # a child of their own for so many; the small ones it answers with


class Blobs:
    """The blobs of one repository; a context manager that ends its child."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._words = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the child
        self._child: Child | None = None
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._weight = 0
        self._sizes: dict[str, int] = {}
        self._inside: dict[str, tuple[str, int]] = {}  # blob → (blob it is the beginning of, size)
        self.missing: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._child is not None:
            self._child.end()
        self._words.close()

    def read(self, blob: str | None) -> bytes:
        """Return a blob's bytes; none for None, and for one that this clone does not have."""
        if blob is None:
            return b""
        if blob in self._inside:
            whole, size = self._inside[blob]
            return self._read(whole)[:size]
        return self._read(blob)

    def around(self, blob: str, place: int) -> tuple[bytes, bytes]:
        """Return the byte before `place` of a blob, and some after it."""
        whole, size = self._inside.get(blob) or (blob, len(self._read(blob)))
        text = self._read(whole)
        return text[max(0, place - 1) : place], text[place : min(size, place + _LOOK)]

    def begins(self, old: str, new: str) -> bool:
        """Tell whether the bytes of blob `old` are the beginning of those of blob `new`."""
        whole, length = self._inside.get(new) or (new, len(self._read(new)))
        size = self.size(old)
        if size > length or old in self.missing:
            return False
        text = self._read(whole)
        hasher = hashlib.sha1 if len(old) == _SHA1 else hashlib.sha256
        digest = hasher(b"blob %d\0" % size, usedforsecurity=False)
        digest.update(memoryview(text)[:size])
        if digest.hexdigest() != old:
            return False
        self._inside[old] = whole, size
        return True

    def size(self, blob: str) -> int:
        """Return how many bytes a blob has; 0 for one that this clone does not have."""
        if blob not in self._sizes:
            self.measure([blob])
        return self._sizes[blob]

    def measure(self, blobs: Iterable[str]) -> None:
        """Ask for the sizes of many blobs, a batch at a time: a round trip each costs more."""
        wanted = [blob for blob in dict.fromkeys(blobs) if blob not in self._sizes]
        if len(wanted) > _MANY and self._measured(wanted):
            return
        for first in range(0, len(wanted), _BATCH):
            batch = wanted[first : first + _BATCH]
            self._write(b"".join(b"info %s\n" % blob.encode() for blob in batch))
            for blob in batch:
                self._sizes[blob] = self._answer(blob)

    def read_small(self, blobs: Iterable[str]) -> dict[str, bytes]:
        """Return the bytes of many blobs, asked for together where that cannot fill a pipe."""
        wanted = list(dict.fromkeys(blobs))
        found: dict[str, bytes] = {}
        for first in range(0, len(wanted), _PORTION) if len(wanted) > _MANY else ():
            found |= self._together(wanted[first : first + _PORTION])
        rest = [blob for blob in wanted if blob not in found]
        self.measure(rest)
        small = [blob for blob in rest if self._sizes[blob] < _SMALL and blob not in self.missing]
        for first in range(0, len(small), _FEW):
            batch = small[first : first + _FEW]
            self._write(b"".join(b"contents %s\n" % blob.encode() for blob in batch))
            found.update({blob: self._contents(self._answer(blob)) for blob in batch})
        return {blob: found[blob] if blob in found else self.read(blob) for blob in wanted}

    def _measured(self, blobs: list[str]) -> bool:
        """Note the sizes of blobs that a child of their own answers, if it does."""
        answer = self._listed("--batch-check=%(objectname) %(objectsize)", blobs).split(b"\n")[:-1]
        if len(answer) != len(blobs):
            return False
        for blob, line in zip(blobs, answer, strict=True):
            size = line[len(blob) + 1 :]
            self._sizes[blob] = int(size) if size.isdigit() else 0
            if not size.isdigit():  # "ID missing"
                self.missing.add(blob)
        return True

    def _together(self, blobs: list[str]) -> dict[str, bytes]:
        """Return the bytes of blobs that a child of their own answers, if it does."""
        answer, at, found = self._listed("--batch", blobs), 0, {}
        for blob in blobs:  # ``ID blob SIZE LF``, that many bytes, LF; or ``ID missing LF``
            begin = answer.find(b"\n", at) + 1
            name, what, *size = answer[at:begin].split() or (b"", b"")
            if name.decode() != blob:
                return {}
            if what == b"missing":
                self.missing.add(blob)
            at = begin + int(size[0]) + 1 if size else begin
            found[blob] = answer[begin : at - 1]
        return found if at == len(answer) else {}

    def _listed(self, how: str, blobs: list[str]) -> bytes:
        return self._door.answered(
            "cat-file", how, "--buffer", stdin="\n".join([*blobs, ""]).encode()
        )

    def _read(self, blob: str) -> bytes:
        if blob in self._kept:
            self._kept.move_to_end(blob)
            return self._kept[blob]
        self._write(b"contents %s\n" % blob.encode())
        size = self._answer(blob)
        text = b"" if blob in self.missing else self._contents(size)
        self._keep(blob, text)
        return text

    def _keep(self, blob: str, text: bytes) -> None:
        self._kept[blob] = text
        self._weight += len(text)
        while self._weight > _BUDGET and len(self._kept) > 2:  # noqa: PLR2004
            self._weight -= len(self._kept.popitem(last=False)[1])

    def _write(self, commands: bytes) -> None:
        if self._child is None:
            self._child = Child(
                "cat-file",
                "--batch-command",
                cwd=self._door.cwd,
                env=self._door.env,
                words=self._words,
            )
        try:
            self._child.send(commands)
        except Ended as error:
            raise self._ended() from error

    def _answer(self, blob: str) -> int:
        """Return the size in the next answer, 0 for an object that is not here."""
        try:
            words = self._asked().line().split()
        except Ended as error:
            raise self._ended() from error
        if len(words) == 3 and words[2].isdigit():  # noqa: PLR2004  # "ID missing" has two
            return int(words[2])
        self.missing.add(blob)
        return 0

    def _contents(self, size: int) -> bytes:
        return self._asked().exactly(size + 1)[:-1]

    def _asked(self) -> Child:
        assert self._child is not None  # noqa: S101  # a command was written
        return self._child

    def _ended(self) -> Environment:
        """Return why git gives no answer any more: what a partial clone lacks could not be had."""
        self._words.seek(0)
        said = " ".join(os.fsdecode(self._words.read()).split())
        return Environment(
            "objects-missing",
            "objects of this clone could not be read or fetched",
            where=self._door.cwd,
            why=f"git said: {said}" if said else "git cat-file ended without a word",
            run="git fetch --refetch",
        )
