"""Whether both sides of a merge changed a file, and whether its version is a text merge of them.

Looked up only for the few merges in which a derived file differs from a parent's.
"""

from __future__ import annotations

import os
import re
import tempfile
from itertools import combinations
from typing import TYPE_CHECKING

from coord.drivers import markers
from coord.history.changes import Change

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.check.edges import Edge
    from coord.history.blobs import Blobs
    from coord.history.commits import Commit
    from coord.history.door import Door

_IDENT = re.compile(rb"\$Id:[^$\n]*\$")


class Merges:
    """Answers about one path in one merge, given what differs from each parent."""

    def __init__(self, door: Door, blobs: Blobs) -> None:
        self._door = door
        self._blobs = blobs

    def is_two_sided(self, commit: Commit, path: bytes, edges: Sequence[Edge]) -> bool:
        """Tell whether two parents both changed the path, differently."""
        return any(
            self._both_changed(ours, theirs, path)
            for ours, theirs in combinations(_sides(commit, path, edges), 2)
        )

    def _both_changed(
        self, ours: tuple[str, str | None], theirs: tuple[str, str | None], path: bytes
    ) -> bool:
        if ours[1] == theirs[1]:
            return False
        base = self._base(ours[0], theirs[0], path)
        pairs = (Change(ours[1], theirs[1]), Change(base, ours[1]), Change(base, theirs[1]))
        return not any(change.old == change.new or self.is_same_text(change) for change in pairs)

    def is_same_text(self, change: Change) -> bool:
        """Tell whether a change is one of line ends and ``$Id$`` lines alone.

        A merge with ``merge.renormalize``, or a side that was checked out and added again, holds a
        parent's file so.
        """
        if change.old is None or change.new is None:
            return False
        old, new = (_normal(self._blobs.read(blob)) for blob in change)
        return old == new

    def is_text_merge(self, commit: Commit, path: bytes, edges: Sequence[Edge]) -> bool:
        """Tell whether the version of a merge is text of its parents', and made by no producer.

        What ``git merge-file`` makes of theirs; all of them, one after the other; or a conflict
        that none of them has.
        """
        if not self.is_two_sided(commit, path, edges):
            return False
        texts = [self._blobs.read(blob) for _, blob in _sides(commit, path, edges)]
        result = self._blobs.read(_result(path, edges))
        if markers.line(result, frozenset[bytes]().union(*map(markers.conflicts, texts))):
            return True
        return result in (b"".join(texts), b"".join(texts[::-1])) or self._is_merged(
            commit, path, edges
        )

    def _is_merged(self, commit: Commit, path: bytes, edges: Sequence[Edge]) -> bool:
        sides = _sides(commit, path, edges)
        (first, blob), *others = sides
        text: bytes | None = self._blobs.read(blob)
        for parent, theirs in others:
            base = self._blobs.read(self._base(first, parent, path))
            text = None if text is None else self._merged(text, base, self._blobs.read(theirs))
        return text is not None and text == self._blobs.read(_result(path, edges))

    def _base(self, ours: str, theirs: str, path: bytes) -> str | None:
        base = self._door.ask("merge-base", ours, theirs).text
        spelled = f"{base}:{os.fsdecode(path)}"
        found = self._door.ask("rev-parse", "--verify", "--quiet", spelled) if base else None
        return found.text or None if found else None

    def _merged(self, ours: bytes, base: bytes, theirs: bytes) -> bytes | None:
        """Return the text merge, None where it has conflicts."""
        with tempfile.TemporaryDirectory(prefix="coord-check-") as folder:
            names = [os.path.join(folder, name) for name in ("ours", "base", "theirs")]
            for name, text in zip(names, (ours, base, theirs), strict=True):
                with open(name, "wb") as file:
                    file.write(text)
            done = self._door.ask("merge-file", "-p", "-q", *names)
        return done.out if done.code == 0 else None


def _normal(text: bytes) -> bytes:
    return _IDENT.sub(b"$Id$", text.replace(b"\r\n", b"\n"))


def _result(path: bytes, edges: Sequence[Edge]) -> str | None:
    return next((edge.guarded[path].new for edge in edges if path in edge.guarded), None)


def _sides(commit: Commit, path: bytes, edges: Sequence[Edge]) -> list[tuple[str, str | None]]:
    """Return (parent, its blob of the path) for each parent of a merge."""
    kept = _result(path, edges)
    blobs = [edge.guarded[path].old if path in edge.guarded else kept for edge in edges]
    return list(zip(commit.parents, blobs, strict=True))
