"""Changelogs and logs of blocks in a history, judged by the join that their driver makes.

A plain commit to a log has to be something that joins with what stood there; to a changelog it may
be anything, for people edit those. A merge has to hold what the driver would have joined, and where
that is refused, each line that a parent added.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.check.compared import GROWTH, Record, Step
from coord.check.edges import tree_of
from coord.check.normal import normal
from coord.drivers import law, markers
from coord.drivers.clash import Clash
from coord.drivers.join import Refused
from coord.drivers.records import count
from coord.guard import elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from coord.check.edges import History
    from coord.check.suspects import Fault
    from coord.history.blobs import Blobs
    from coord.history.commits import Commit
    from coord.history.door import Door

    Content = tuple[tuple[bytes, ...], bytes]


class Documents:
    """The documents of a history.

    Args:
        history: the range.
        door: where the bases of merges are looked up.
        blobs: the contents.
        starts: path → what begins a record; paths whose records are lines lack.
    """

    def __init__(
        self, history: History, door: Door, blobs: Blobs, starts: dict[bytes, bytes]
    ) -> None:
        self._history = history
        self._door = door
        self._blobs = blobs
        self._starts = starts
        self._lacking: dict[tuple[str, bytes], list[bytes]] = {}
        self._counts: dict[tuple[str, bytes | None, bytes], dict[Content, int]] = {}

    def has(self, fault: Fault) -> bool:
        """Tell whether a fault is about a document."""
        kind = self._history.judged(fault.commit, fault.path)
        return law.is_document(kind, self._starts.get(fault.path))

    def step(self, fault: Fault) -> Step:
        """Return how a commit falls short of one parent."""
        if fault.is_merge:
            return self._of_merge(fault)
        kind, start = self._mode(fault)
        if kind == "changelog":
            return GROWTH
        old, new = self._settled(fault, fault.change.old), self._blobs.read(fault.change.new)
        try:
            law.joined(kind, start, old, new, old)
        except Refused as error:
            return self._refused(fault, error, old, new)
        return GROWTH

    def is_elsewhere(self, fault: Fault) -> bool:
        """Tell whether a merge keeps the parent's file under another path."""
        kind, start = self._mode(fault)
        old, blob = normal(self._blobs.read(fault.change.old)), fault.change.old or ""
        return elsewhere.keeps(
            tree_of(self._door, fault.commit.id),
            fault.path,
            blob,
            lambda found: elsewhere.holds(kind, start, normal(self._blobs.read(found)), old),
        )

    def is_healed(self, fault: Fault) -> bool:
        """Tell whether the end of the range holds again what the fault took.

        Of a merge anywhere in the file, for entries move below the heading of a release.
        """
        kind, start = self._mode(fault)
        tip = self._history.at_tip(fault.commit.id, fault.path)
        if tip == fault.change.new:
            return False
        now = self._blobs.read(tip)
        if fault.is_merge:
            stands = lines(now)
            return fault.step is not None and all(one.key in stands for one in fault.step.lost)
        old = self._settled(fault, fault.change.old)
        try:
            law.joined(kind, start, old, now, old)
        except Refused:
            return False
        return True

    def mended(self, fault: Fault, now: bytes) -> bytes:
        """Return `now`, a later version, with what the fault took.

        Raises:
            Refused: no join tells where that belongs, or it stands elsewhere in the file.
        """
        kind, start = self._mode(fault)
        new = self._blobs.read(fault.change.new)
        if fault.step is not None and fault.step.is_growth:  # it brought a conflict
            return law.joined(kind, start, self._blobs.read(fault.change.old), *markers.sides(now))
        if fault.renamed is not None or fault.change.new is None:
            raise Refused
        whole = self._settled(fault, fault.change.old)
        if fault.is_merge:
            for sides in self._sides(fault.commit, fault.path, new):
                whole = law.joined(kind, start, *sides)
        had, has = self._count(kind, start, whole), self._count(kind, start, now)
        missing = {line for (path, line), n in had.items() if has.get((path, line), 0) < n} - {b""}
        if missing & {line for _, line in has}:
            raise Refused
        return law.joined(kind, start, new, now, whole)

    def _of_merge(self, fault: Fault) -> Step:
        commit, path = fault.commit, fault.path
        kind, start = self._mode(fault)
        result = self._blobs.read(fault.change.new)
        if (commit.id, path) not in self._lacking:
            self._lacking[commit.id, path] = [
                line
                for sides in self._sides(commit, path, result)
                for line in law.lacking(kind, start, sides, result)
            ]
        lacking = self._lacking[commit.id, path]
        found = _records(self._blobs.read(fault.change.old), lacking)
        told = {one.key for one in found}
        self._lacking[commit.id, path] = [line for line in lacking if line not in told]
        return Step(found)

    def _sides(
        self, commit: Commit, path: bytes, result: bytes
    ) -> Iterable[tuple[bytes, bytes, bytes]]:
        """Yield base, first and other parent of a merge, for each other parent."""
        edges = [edge.guarded.get(path) for edge in self._history.of(commit.id)]
        texts = [result if edge is None else self._blobs.read(edge.old) for edge in edges]
        first = commit.parents[0]
        for parent, text in zip(commit.parents[1:], texts[1:], strict=True):
            base = self._door.ask("merge-base", first, parent).text
            name = f"{base}:{os.fsdecode(path)}"
            blob = self._door.ask("rev-parse", "--verify", "--quiet", name).text if base else ""
            yield self._blobs.read(blob or None), texts[0], text

    def _refused(self, fault: Fault, error: Refused, old: bytes, new: bytes) -> Step:
        kind, start = self._mode(fault)
        had, has = (self._count(kind, start, text) for text in (old, new))
        lost = [one[1] or one[0][-1] for one, copies in had.items() if has.get(one, 0) < copies]
        if lost or not isinstance(error, Clash):
            return Step(_records(old, lost))
        return Step([], Record(error.name, error.line))

    def _count(self, kind: str, start: bytes | None, text: bytes) -> dict[Content, int]:
        """Return how often each content stands in a text; the repair asks for the same again."""
        key = kind, start, text
        if key not in self._counts:
            while len(self._counts) > 1:
                del self._counts[next(iter(self._counts))]
            self._counts[key] = count(law.contents(*key))
        return self._counts[key]

    def _mode(self, fault: Fault) -> tuple[str, bytes | None]:
        kind = self._history.judged(fault.commit, fault.path)
        return kind, self._starts.get(fault.path)

    def _settled(self, fault: Fault, blob: str | None) -> bytes:
        text = self._blobs.read(blob)
        if not markers.line(text):
            return text
        quoted = markers.conflicts(self._blobs.read(fault.change.new))
        return markers.settled(text, self._starts.get(fault.path), quoted)


def lines(text: bytes) -> set[bytes]:
    """Return the lines of a text as they are compared, and its titles."""
    return {line.strip() for line in text.split(b"\n")} | {
        line.strip().lstrip(b"#").strip() for line in text.split(b"\n")
    }


def _records(text: bytes, lost: Sequence[bytes]) -> list[Record]:
    """Return the lost lines that stand in a text, each where it stands first, by line."""
    wanted = set(lost)
    found: dict[bytes, int] = {}
    for number, line in enumerate(text.split(b"\n"), 1):
        for bare in (line.strip(), line.strip().lstrip(b"#").strip()):
            if bare in wanted:
                found.setdefault(bare, number)
    return [Record(line, number) for line, number in found.items()]
