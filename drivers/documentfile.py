"""The merge of a document in files: read whole, joined as trees, written over %A."""

from __future__ import annotations

from coord.drivers.law import joined
from coord.drivers.logfile import Files


class Documents(Files):
    """%O, %A and %B of one path, which is a changelog or a journal of blocks."""

    def __init__(self, kind: str, base: str, ours: str, theirs: str, start: bytes | None) -> None:
        super().__init__(base, ours, theirs)
        self._kind = kind
        self.start = start
        self.tails = [file.readall() for file in self.files]
        self.has_nul = any(b"\0" in text for text in self.tails)

    def joined(self, *, virtual: bool) -> bytes:
        """Return what belongs into %A. Raise Refused or NotText.

        A `virtual` merge is refused as any other: the markers that it then holds are not the text
        of a side, and what both sides make of them is agreed.
        """
        if not virtual:
            self.require_text()
        return joined(self._kind, self.start, *self.tails)
