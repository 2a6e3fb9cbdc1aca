"""Logs only grow: no commit edits, deletes, reorders or pushes aside what stands in one.

A merge has to hold, of each record, as many copies as the parent that has most: what the log driver
would have written. A plain commit has to leave the old records first; but where a squash, a replay
or a popped stash had the driver join new ones among them, that is no fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.check import compared, suspects
from coord.check.edges import STEP
from coord.drivers import markers
from coord.history.problem import counted, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.check.edges import History, Tick
    from coord.check.replays import Replays
    from coord.check.suspects import Fault
    from coord.history.blobs import Blobs

RULE = "log-rewritten"
MARKED = "conflict-markers"


class Logs:
    """The logs of a history: their faults, and what to say of one.

    Args:
        history: the range.
        blobs: the contents.
        starts: path → what begins a record; paths whose records are lines lack.
        replays: knows which commits were made here as copies of others.
    """

    def __init__(
        self, history: History, blobs: Blobs, starts: dict[bytes, bytes], replays: Replays
    ) -> None:
        self._replays = replays
        self._steps: dict[tuple[bytes, str | None, str | None], compared.Step] = {}
        self._marked: dict[str | None, int] = {}
        self._history = history
        self._blobs = blobs
        self._starts = starts

    def faults(self, tick: Tick) -> Iterator[Fault]:
        """Yield every change by which a log lost or moved a record, log by log, newest first."""
        found = sorted(suspects.changed(self._history, "log"), key=lambda fault: fault.path)
        self._blobs.measure(fault.change.old for fault in found if fault.change.old)
        for number, fault in enumerate(found, 1):
            if number % STEP == 0 or number == len(found):
                tick("changes of logs compared", number, len(found))
            step = self._step(fault)
            if step.lost or (
                step.moved and not fault.is_merge and not self._is_joined(fault, step)
            ):
                yield fault._replace(step=step)

    def is_healed(self, fault: Fault) -> bool:
        """Tell whether the end of the range holds again what the fault took."""
        assert fault.step is not None  # noqa: S101  # faults() sets it
        start = self._starts.get(fault.path)
        old = self._blobs.read(fault.change.old)
        now = self._blobs.read(self._history.at_tip(fault.commit.id, fault.path))
        if fault.step.lost:
            return compared.copies_back(fault.step.lost, old, now, start)
        return compared.begins_with(now, old, start)

    def marked(self) -> Iterator[Fault]:
        """Yield the commits that brought conflict markers which the end of the range still has."""
        found: dict[tuple[str, bytes], list[Fault]] = {}
        for fault in suspects.changed(self._history, "log"):
            if self.marker_line(self._history.at_tip(fault.commit.id, fault.path)):
                found.setdefault((fault.commit.id, fault.path), []).append(fault)
        for held in found.values():
            first = held[0]
            # A parent that has them, or the very same file, has brought them.
            came = any(self.marker_line(fault.change.old) for fault in held)
            came = came or len(held) < len(first.commit.parents)
            if not came and self.marker_line(first.change.new):
                yield first._replace(step=compared.GROWTH)

    def marker_line(self, blob: str | None) -> int:
        """Return the line of a blob on which conflict markers begin, 0 where it has none."""
        if blob not in self._marked:
            self._marked[blob] = markers.line(self._blobs.read(blob))
        return self._marked[blob]

    def lost_by(self, fault: Fault) -> set[bytes]:
        """Return the records that the change of `fault` dropped."""
        step = fault.step or self._step(fault)
        return {record.key for record in step.lost}

    def _step(self, fault: Fault) -> compared.Step:
        old, new, start = fault.change.old, fault.change.new, self._starts.get(fault.path)
        if old and new and self._blobs.begins(old, new):
            seam = self._blobs.around(new, self._blobs.size(old))
            if compared.is_whole(*seam, start):
                return compared.GROWTH
        # Merges look again and again at what one of their sides did.
        known = self._steps.get((fault.path, old, new))
        if known is None:
            known = compared.step(self._blobs.read(old), self._blobs.read(new), start)
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
