"""Commits to a large journal that are the join of their parents, told without holding it.

The blobs are read beside each other as far as they are the same; that is read again, a chunk at a
time, for the run of sections that a join leaves out, and what stands behind it is joined.
"""

from __future__ import annotations

from contextlib import ExitStack

from coord.drivers import document, passage
from coord.drivers.join import Refused
from coord.drivers.prefix import agreement
from coord.repo import git
from coord.repo.batch import Child

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_CHUNK = 1 << 17
_KEPT = 1 << 19  # bytes in common that stay at hand, for their end is looked at first
_MOST = 1 << 23  # bytes behind the run; more are looked at in full
_MARKER = b"<<<<<<< "


def is_join(cwd: str, kind: str, start: bytes | None, new: str, versions: Sequence[str]) -> bool:
    """Tell whether a blob is the join of `versions`: those of a base and of two parents.

    Of one parent alone: whether it joins with it. Not told of it is where they have no long run in
    common, or differ in too much, or where a conflict may stand in one.

    Raises:
        Ended: git cannot read one.
    """
    names = [new, *versions]
    if any("\n" in name for name in names):
        return False
    with ExitStack() as stack:
        blobs = _Blobs(stack, cwd, names)
        run = (
            passage.of(blobs.read, blobs.common, blobs.behind, start) if blobs.compared() else None
        )
        if run is None or any(_MARKER in tail for tail in run.tails):
            return False
        staged, *tails = run.tails
        run.tails = tails if tails[1:] else [tails[0], staged, tails[0]]
        try:
            return document.behind(run, start, edits=kind == "changelog") == staged
        except Refused:
            return False


class _Blobs:
    """Blobs that begin alike, in `common` bytes, which can be read forward any number of times."""

    def __init__(self, stack: ExitStack, cwd: str, names: Sequence[str]) -> None:
        self._stack = stack
        self._cwd = cwd
        self._names = names
        self._ends: list[bytes] = []  # what is read of each, from the chunk on that differs
        self._held = bytearray()  # in common, up to `_at`
        self._at = 0
        self._again: Child | None = None
        self.common = 0
        self._children: list[Child] = []
        self._left: list[int] = []

    def compared(self) -> bool:
        """Read as far as they are the same; tell whether all are blobs without a marker in it."""
        for name in self._names:
            child, size = self._opened(name)
            if size < 0:
                return False
            self._children.append(child)
            self._left.append(size)
        same = True
        while same and min(self._left):
            size = min(_CHUNK, *self._left)
            self._ends = [child.exactly(size) for child in self._children]
            self._left = [rest - size for rest in self._left]
            same = self._ends.count(self._ends[0]) == len(self._ends)
            alike = size if same else agreement(self._ends, size)
            before = len(self._held) - len(_MARKER)
            self._held += self._ends[0][:alike]
            if self._held.find(_MARKER, max(0, before)) >= 0:
                return False
            del self._held[:-_KEPT]
            self._at += alike
            self._ends = [end[alike:] for end in self._ends]
        self.common = self._at
        return sum(self._left) < _MOST

    def _opened(self, name: str) -> tuple[Child, int]:
        """Return a child that is about to tell a blob, and its size; -1 where there is none."""
        child = self._stack.enter_context(
            Child("cat-file", "--batch", cwd=self._cwd, env=git.here())
        )
        child.send(f"{name}\n".encode("utf-8", "surrogateescape"))
        kind, size = child.line().rsplit(b" ", 2)[-2:]
        return child, int(size) if kind == b"blob" and size.isdigit() else -1

    def read(self, begin: int, end: int) -> bytes:
        """Return some of what is in common."""
        if begin < self._at - len(self._held):
            self._again, _ = self._opened(self._names[0])
            self._held, self._at = bytearray(), 0
        while self._at < end and self._again is not None:
            more = self._again.exactly(min(_CHUNK, self.common - self._at))
            del self._held[: max(0, begin - (self._at - len(self._held)))]
            self._held += more
            self._at += len(more)
        first = self._at - len(self._held)
        return bytes(self._held[begin - first : end - first])

    def behind(self, place: int) -> list[bytes]:
        """Return what each has from a place on."""
        head = self.read(place, self.common)
        pairs = zip(self._children, self._ends, self._left, strict=True)
        return [head + end + child.exactly(left) for child, end, left in pairs]
