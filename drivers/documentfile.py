"""The merge of a document in files: joined as trees, and read whole where no long run is shared."""

from __future__ import annotations

from coord.drivers import document, passage
from coord.drivers.logfile import Files
from coord.drivers.prefix import of_files


class Documents(Files):
    """%O, %A and %B of one path, which is a changelog or a journal of blocks."""

    def __init__(self, kind: str, base: str, ours: str, theirs: str, start: bytes | None) -> None:
        super().__init__(base, ours, theirs)
        self._edits = kind == "changelog"
        self.start = start
        common = of_files(self.files)
        self._run = passage.of(self.read, common.length, self.behind, start)
        self.head = 0 if self._run is None else self._run.end
        self.tails = self.behind(0) if self._run is None else self._run.tails
        self.has_nul = common.has_nul or any(b"\0" in text for text in self.tails)

    def joined(self, *, virtual: bool) -> bytes:
        """Return what belongs after `head`. Raise Refused or NotText.

        A `virtual` merge is refused as any other: the markers that it then holds are not the text
        of a side, and what both sides make of them is agreed.
        """
        if not virtual:
            self.require_text()
        if self._run is not None:
            tail = document.behind(self._run, self.start, edits=self._edits)
            if tail is not None:
                return tail
            self.head, self.tails = 0, self.behind(0)
        return document.whole(self.tails, self.start, edits=self._edits)
