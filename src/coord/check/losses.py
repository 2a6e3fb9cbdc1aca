"""What guarded files lost in the range, unless it is excused, back again, or another's to answer.

Excused: by a trailer ``Coord-Resolved: PATH REASON`` of the same commit, or by one of a later
commit that names this one in full. Back again: the end of the range holds what was lost.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from coord.check import carried, commands, once
from coord.check.conflicts import RULE as MARKED
from coord.check.documents import Documents
from coord.check.logs import RULE as REWRITTEN
from coord.check.logs import Logs, line_of
from coord.check.logs import message as log_message
from coord.check.replays import Replays
from coord.check.suspects import Fault
from coord.guard import guarded
from coord.history.commits import RESOLVED
from coord.history.problem import Problem, printed
from coord.settle import index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.check.subject import Subject
    from coord.history.changes import Change
    from coord.history.commits import Commit


class Losses:
    """The faults of logs and write-once files of a subject that stand."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._history = subject.history
        self._starts = _starts(subject)
        replays = Replays(subject.here, subject.door, subject.blobs)
        history, door, blobs = subject.history, subject.door, subject.blobs
        self.documents = Documents(history, door, blobs, self._starts)
        self.logs = Logs(history, blobs, self._starts, replays, self.documents)
        self._accepted = accepted(subject)

    def start_of(self, path: bytes) -> bytes | None:
        """Return what begins a record of a log, None where every line is one."""
        return self._starts.get(path)

    def standing(self) -> Iterator[tuple[Fault, Problem]]:
        """Yield the faults that nothing excuses, each with what is said of it."""
        for fault in self.logs.faults(self._subject.tick):
            if self._is_open(fault) and not self.logs.is_healed(fault):
                yield from self._log(fault)
        for fault in self.logs.marked():
            if self._is_open(fault):
                line = self.logs.marker_line(fault)
                when = "would be" if self._subject.asked.uncommitted else "were"
                text = f"conflict markers {when} committed, from line {line} on"
                run = self._mend(fault.path)
                problem = self._problem(MARKED, fault.path, fault.commit, text, run)
                yield fault, replace(problem, line=line)
        blobs = self._subject.blobs
        for fault in once.changes(self._history, blobs):
            elsewhere = fault.is_merge and self.documents.is_elsewhere(fault)
            healed = elsewhere or once.is_healed(self._history, blobs, fault)
            if self._is_open(fault) and not healed:
                yield from self._once(fault)

    def doubled(self) -> Iterator[Problem]:
        """Yield the write-once files that two commits claimed with the same bytes."""
        for later, earlier, path in once.doubly_added(self._history, self._subject.blobs):
            if later.id not in self._accepted and not self._vouched(path):
                name = earlier.author[0]
                text = f"also claimed by {name} in {earlier.id[:12]}, with the same bytes"
                yield self._problem(once.TAKEN, path, later, text, commands.renumber(path))

    def _vouched(self, path: bytes) -> bool:
        return any(commit.excuses(path) for commit in self._history.commits)

    def _is_open(self, fault: Fault) -> bool:
        return fault.commit.id not in self._accepted and not fault.commit.excuses(fault.path)

    def _log(self, fault: Fault) -> Iterator[tuple[Fault, Problem]]:
        culprit = None
        if fault.is_merge and fault.step is not None and not self.documents.has(fault):
            lost, culprit = self._unexplained(fault, self.logs.lost_by(fault))
            step = fault.step
            fault = fault._replace(step=step._replace(lost=[r for r in step.lost if r.key in lost]))
            if not lost:
                return
        text = log_message(fault) + _by(culprit)
        run = self._mend(fault.path)
        problem = self._problem(REWRITTEN, fault.path, fault.commit, text, run)
        yield fault, replace(problem, line=line_of(fault))

    def _once(self, fault: Fault) -> Iterator[tuple[Fault, Problem]]:
        culprit = None
        if fault.is_merge:
            lost, culprit = self._unexplained(fault, {(fault.change.old or "").encode()})
            if not lost:
                return
        if fault.is_merge and culprit is None and fault.change.new is not None:
            text, run = once.collision(fault), commands.renumber(fault.path)
            yield fault, self._problem(once.TAKEN, fault.path, fault.commit, text, run)
            return
        text = once.message(fault) + _by(culprit)
        run = self._mend(fault.path)
        yield fault, self._problem(once.RULE, fault.path, fault.commit, text, run)

    def _unexplained(self, fault: Fault, lost: set[bytes]) -> tuple[set[bytes], Commit | None]:
        def lost_by(commit: Commit, change: Change) -> set[bytes]:
            other = Fault(commit, fault.parent, fault.path, change)
            if fault.step is not None:
                return self.logs.lost_by(other)
            return {change.old.encode()} if change.old else set()

        def is_judged(commit: Commit) -> bool:
            inside = commit.id in self._history.ids
            bound = inside and bool(self._history.judged(commit, fault.path))
            return bound or commit.excuses(fault.path) or commit.id in self._accepted

        return carried.unexplained(self._subject.door, fault, lost, lost_by, is_judged)

    def _mend(self, path: bytes) -> str:
        if not self._subject.asked.uncommitted:
            return commands.mend(self._subject.asked)
        stages = index.stages(self._subject.here, os.fsdecode(path))
        return commands.put_aside(self._subject.kinds.get(path, "log"), path, stages)

    def _problem(self, rule: str, path: bytes, commit: Commit, text: str, run: str) -> Problem:
        return Problem(rule, printed(path), commit.id, text, run)


def accepted(subject: Subject) -> frozenset[str]:
    """Return the commits that a later commit of the range accepts by name."""
    found = (text for commit in subject.history.commits for text in commit.texts(RESOLVED))
    return frozenset(text.split(" ", 1)[0] for text in found)


def _by(culprit: Commit | None) -> str:
    return f", taken over from {culprit.id[:12]}" if culprit else ""


def _starts(subject: Subject) -> dict[bytes, bytes]:
    """Return what begins a record of each log that the range changed, where that is declared."""
    edges = [edge for found in subject.history.edges.values() for edge in found]
    paths = {path for edge in edges for path in edge.guarded} if subject.config.log else set()
    rules = guarded.log_rules(subject.here, subject.config, [os.fsdecode(path) for path in paths])
    return {
        os.fsencode(path): rule.start.encode()
        for path, rule in rules.items()
        if rule.start is not None
    }
