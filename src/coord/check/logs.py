"""Logs only grow: no commit edits, deletes, reorders or pushes aside what stands in one.

Of logs of lines and paragraphs; documents, which are changelogs and logs of blocks, are judged as
they are joined (``coord.check.documents``).

A merge has to hold, of each record, as many copies as the parent that has most: what the log driver
would have written. A plain commit has to leave the old records first; but where a squash, a replay
or a popped stash had the driver join new ones among them, that is no fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.check import compared, suspects
from coord.check.conflicts import Conflicts
from coord.check.edges import STEP
from coord.check.normal import normal
from coord.drivers import law
from coord.history.problem import counted, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.check.documents import Documents
    from coord.check.edges import History, Tick
    from coord.check.replays import Replays
    from coord.check.suspects import Fault
    from coord.history.blobs import Blobs

RULE = "log-rewritten"


class Logs:
    """The logs of a history: their faults, and what to say of one.

    Args:
        history: the range.
        blobs: the contents.
        starts: path → what begins a record; paths whose records are lines lack.
        replays: knows which commits were made here as copies of others.
        documents: judges those.
    """

    def __init__(
        self,
        history: History,
        blobs: Blobs,
        starts: dict[bytes, bytes],
        replays: Replays,
        documents: Documents,
    ) -> None:
        self._replays = replays
        self._documents = documents
        self._steps: dict[tuple[bytes, str | None, str | None], compared.Step] = {}
        self._conflicts = Conflicts(blobs)
        self._history = history
        self._blobs = blobs
        self._starts = starts

    def faults(self, tick: Tick) -> Iterator[Fault]:
        """Yield every change by which a log lost or moved a record, log by log, newest first."""
        found = sorted(self._changed(), key=lambda fault: fault.path)
        self._blobs.measure(fault.change.old for fault in found if fault.change.old)
        for number, fault in enumerate(found, 1):
            if number % STEP == 0 or number == len(found):
                tick("changes of logs compared", number, len(found))
            is_lossy = self._is_lossy(fault, step := self.step(fault))
            self._conflicts.of(self._tip(fault))  # now that the blob has been read
            if is_lossy:
                yield fault._replace(step=step)

    def _changed(self) -> Iterator[Fault]:
        for kind in law.KINDS:
            yield from suspects.changed(self._history, kind)

    def _is_lossy(self, fault: Fault, step: compared.Step) -> bool:
        if step.lost:
            return not (fault.is_merge and self._documents.is_elsewhere(fault))
        if step.moved is None or fault.is_merge:
            return False
        return self._documents.has(fault) or not self._is_joined(fault, step)

    def is_healed(self, fault: Fault) -> bool:
        """Tell whether the end of the range holds again what the fault took."""
        assert fault.step is not None  # noqa: S101  # faults() sets it
        if self._documents.has(fault):
            return self._documents.is_healed(fault)
        start = self._starts.get(fault.path)
        old = self._blobs.read(fault.change.old)
        now = self._blobs.read(self._tip(fault))
        if fault.step.lost:
            return compared.copies_back(fault.step.lost, old, now, start)
        return compared.begins_with(now, old, start)

    def marked(self) -> Iterator[Fault]:
        """Yield the commits that brought a conflict which the end of the range still has."""
        found: dict[tuple[str, bytes], list[Fault]] = {}
        for fault in self._changed():
            if self._conflicts.of(self._tip(fault)):
                found.setdefault((fault.commit.id, fault.path), []).append(fault)
        for held in found.values():
            first = held[0]
            if len(held) == len(first.commit.parents) and self.marker_line(first):
                yield first._replace(step=compared.GROWTH)

    def marker_line(self, fault: Fault) -> int:
        """Return the line of the first conflict that a commit brought and the tip has, or 0."""
        edges = [edge.guarded.get(fault.path) for edge in self._history.of(fault.commit.id)]
        olds = [edge.old if edge else fault.change.new for edge in edges]
        return self._conflicts.line(fault.change.new, olds, self._tip(fault))

    def _tip(self, fault: Fault) -> str | None:
        """Return the blob that the end of the range has."""
        return self._history.at_tip(fault.commit.id, fault.path)

    def lost_by(self, fault: Fault) -> set[bytes]:
        """Return the records that the change of `fault` dropped, of a log of lines.

        Its commit may stand beyond the range, of whose declarations nothing is known.
        """
        step = fault.step or self._of_lines(fault)
        return {record.key for record in step.lost}

    def step(self, fault: Fault) -> compared.Step:
        """Return how the change of a fault falls short."""
        if self._documents.has(fault):
            return self._documents.step(fault)
        return self._of_lines(fault)

    def _of_lines(self, fault: Fault) -> compared.Step:
        old, new, start = fault.change.old, fault.change.new, self._starts.get(fault.path)
        if old and new and self._blobs.begins(old, new):
            seam = self._blobs.around(new, self._blobs.size(old))
            if compared.is_whole(*seam, start):
                return compared.GROWTH
        # Merges look again and again at what one of their sides did.
        known = self._steps.get((fault.path, old, new))
        if known is None:
            known = _step(self._blobs.read(old), self._blobs.read(new), start)
            self._steps[fault.path, old, new] = known
        return known

    def _is_joined(self, fault: Fault, step: compared.Step) -> bool:
        """Tell whether the driver may have put the records there.

        It sorts by time. Without that, its order is known by nothing, so the commit has to be a
        copy, or its new records to be known from another branch.
        """
        if not step.added or step.in_time or fault.commit.copied:
            return bool(step.added)
        commit, path = fault.commit.id, fault.path
        return self._replays.made(commit) or self._replays.knows(commit, path, set(step.added))


def _step(old: bytes, new: bytes, start: bytes | None) -> compared.Step:
    """Return how a version falls short, but for what git converts."""
    found = compared.step(old, new, start)
    if not found.lost:
        return found
    texts = normal(old), normal(new)
    if texts == (old, new):
        return found
    converted = compared.step(*texts, start)
    if not converted.lost:
        return converted
    lines = {record.line for record in converted.lost}
    return found._replace(lost=[record for record in found.lost if record.line in lines])


def message(fault: Fault) -> str:
    """Return what is wrong, in one line."""
    step = fault.step
    assert step is not None  # noqa: S101  # faults() sets it
    if fault.change.new is None:
        where = f"renamed to {printed(fault.renamed)}" if fault.renamed else "deleted"
        return f"the log is {where}, with {counted(len(step.lost), 'record')}"
    if step.moved is not None:
        above = f"{compared.quoted(step.inserted)} stands before it" if step.inserted else ""
        return f"line {step.moved.line}, {compared.quoted(step.moved.key)}, was moved: " + (
            above or "the order of older records changed"
        )
    first, *more = step.lost
    also = f" and {len(more)} more" if more else ""
    what = f"line {first.line}, {compared.quoted(first.key)}{also}"
    if fault.is_merge:
        return f"the merge lacks {what} of its parent {fault.parent[:12]}"
    return f"edited or deleted: {what}"


def line_of(fault: Fault) -> int | None:
    """Return the line that :func:`message` names, None where the whole log is gone."""
    if fault.change.new is None or fault.step is None:
        return None
    return (fault.step.moved or fault.step.lost[0]).line
