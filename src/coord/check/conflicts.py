"""Conflicts that a commit brought into a guarded file: new against every parent, and still there.

One that a parent has was brought by it, or is quoted there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.drivers import markers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coord.history.blobs import Blobs

RULE = "conflict-markers"


class Conflicts:
    """The whole conflicts that blobs hold, each blob looked at once."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._known: dict[str | None, frozenset[bytes]] = {}

    def of(self, blob: str | None) -> frozenset[bytes]:
        """Return the conflicts in a blob; of None none."""
        if blob not in self._known:
            self._known[blob] = markers.conflicts(self._blobs.read(blob))
        return self._known[blob]

    def line(self, new: str | None, olds: Iterable[str | None], tip: str | None) -> int:
        """Return the line of the first conflict in `new` that no old one has, and `tip` has; or 0.

        Args:
            new: the blob of a commit.
            olds: those of its parents.
            tip: the one at the end of the range.
        """
        now = self.of(tip)
        if not now:
            return 0
        quoted = frozenset[bytes]().union(*map(self.of, olds))
        return markers.line(self._blobs.read(new), quoted | (self.of(new) - now))
