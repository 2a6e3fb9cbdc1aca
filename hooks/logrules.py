"""Log rules at commit: a log may lose no record that history outside this branch knows.

Judged is what a merge loses against its parents taken together, what an amended commit loses
against the parents of the old one too, and only records of commits that another branch, tag or
remote can reach: one's own new records may change until they are shared (docs/design.md). Conflict
markers are no records. The sh in front lets an append pass and skips every replay; of a revert it
is only said what it takes out.
"""

from __future__ import annotations

import os
from collections import Counter

from coord.base.errors import Refused
from coord.base.names import operand, quote, shown
from coord.drivers import markers
from coord.drivers.records import split
from coord.guard import guarded, refusal
from coord.hooks import lineage, staged
from coord.repo import git
from coord.settings import config

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NamedTuple

    from coord.drivers.records import Records
    from coord.hooks.lineage import Lineage
    from coord.repo.worktree import Worktree
else:
    from coord.base.frozen import NamedTuple

_WIDTH = 60


class Loss(NamedTuple):
    """A record that a log would lose: `line` is where it begins in the parent that has it."""

    line: int
    record: bytes
    more: int


def judge(here: Worktree, args: Sequence[str]) -> str:
    """Refuse a commit by which a log loses records of shared history; return what to say of others.

    Args:
        here: the worktree.
        args: the arguments of prepare-commit-msg: message file, source, commit.

    Raises:
        Refused: naming path, record and line, and the command that settles it with a reason.
    """
    changes = staged.changes(here, "log")
    if not changes:
        return ""
    history = _History(here, lineage.of(here, args), args[0])
    starts = guarded.log_rules(here, config.load(here.top), list(changes))
    said = ""
    for path, blob in changes.items():
        rule = starts.get(path)
        start = rule.start if rule else None
        log = _Log(history, path, None if start is None else start.encode())
        loss, taken = log.loss(blob)
        if loss is not None and not history.replays:
            raise _refused(path, loss, lineage.where_shared(here))
        if taken is not None:
            said += _taken_out(path, taken, alone=not here.has("sequencer"))
    return said


def missing(
    result: Counter[bytes], parents: list[Counter[bytes]], base: Counter[bytes]
) -> Counter[bytes]:
    """Return how often each record of the parents is missing from the result of their merge.

    What both have need be there once; what one parent removed since the base may stay removed.
    """
    lost: Counter[bytes] = Counter()
    for record in set().union(*parents):
        had = [parent[record] for parent in parents]
        kept = result[record]
        if kept < max(had) and not any(n <= kept and n < base[record] for n in had):
            lost[record] = max(had) - kept
    return lost


class _History:
    """The commits a log is held against, in one place."""

    def __init__(self, here: Worktree, past: Lineage, message: str) -> None:
        self.here = here
        self.past = past
        with open(message, "rb") as file:
            self.reverted = lineage.reverted(file.read())
        self.replays = here.has("REVERT_HEAD") or here.has("sequencer")
        self.shared = [tip for parent in past.parents for tip in lineage.shared(here, parent)]

    def text(self, commit: str, path: str) -> bytes:
        """Return `path` as it is in `commit`, empty where it is not."""
        return self.blob(f"{commit}:{path}") if commit else b""

    def blob(self, name: str) -> bytes:
        """Return the bytes of a blob, empty when there is none."""
        done = git.ask("cat-file", "blob", name, cwd=self.here.cwd, env=git.here())
        return done.out if done.code == 0 else b""


class _Log:
    """One log and how its bytes fall into records."""

    def __init__(self, history: _History, path: str, start: bytes | None) -> None:
        self._history = history
        self._path = path
        self._start = start

    def loss(self, blob: str) -> tuple[Loss | None, Loss | None]:
        """Return the first record of shared history that staging `blob` would lose.

        And the first that it takes out as the commit had brought it which this one reverts.
        """
        past = self._history.past
        new = self._history.blob(blob) if blob else b""
        texts = [self._history.text(parent, self._path) for parent in past.parents]
        if new in texts:
            return None, None  # taken whole from a parent, which was judged when it was made
        result = self._count(new)
        lost = missing(result, [self._count(text) for text in texts], self._at(past.base))
        if past.replaced:
            lost &= missing(result, [self._at(parent) for parent in past.replaced], Counter())
        undone = self._undone()
        shared = (lost & self._shared(result)) - undone
        return self._first(shared, texts), self._first(lost & undone, texts)

    def _shared(self, result: Counter[bytes]) -> Counter[bytes]:
        """Return how many of each record others know beyond those that are kept."""
        known: Counter[bytes] = Counter()
        for tip in self._history.shared:
            known |= self._at(tip)
        return known - result

    def _undone(self) -> Counter[bytes]:
        """Return the records that a commit had brought which this one reverts."""
        if self._history.reverted is None:
            return Counter()
        commit, against = self._history.reverted
        return self._at(commit) - self._at(against)

    def _first(self, lost: Counter[bytes], texts: Sequence[bytes]) -> Loss | None:
        for text in texts:
            records = self._split(text)
            for record, line in zip(records.keys, records.lines, strict=True):
                if lost[record]:
                    return Loss(line + 1, record, lost.total() - 1)
        return None

    def _at(self, commit: str) -> Counter[bytes]:
        return self._count(self._history.text(commit, self._path))

    def _count(self, text: bytes) -> Counter[bytes]:
        return Counter(self._split(text).keys)

    def _split(self, text: bytes) -> Records:
        return split(markers.settled(text, self._start), self._start)


def _taken_out(path: str, loss: Loss, *, alone: bool) -> str:
    """Return one line on a revert, which is no refusal: what it undoes was a commit's own.

    One of several is no longer HEAD when the line is read.
    """
    more = f" and {loss.more} more" if loss.more else ""
    trailer = f"Coord-Resolved: {refusal.path_word(path)} reverted on purpose"
    explain = f"git commit --amend --no-edit --trailer {quote(trailer)}" if alone else trailer
    return (
        f"coord: log-rewritten: {shown(path)}:{loss.line}: this revert takes "
        f'"{shown(_shortened(loss.record))}"{more} out of a log, and git coord check will say so, '
        f"unless the commit explains it: {explain}\n"
    )


def _shortened(record: bytes) -> str:
    first = os.fsdecode(record.partition(b"\n")[0])
    return first[:_WIDTH] + ("…" if len(first) > _WIDTH else "")


def _refused(path: str, loss: Loss, shared: str) -> Refused:
    record = _shortened(loss.record)
    more = f", and {loss.more} more" if loss.more else ""
    return Refused(
        "log-rewritten",
        f"a record of shared history would be changed or lost{more}",
        where=f"{path}:{loss.line}",
        why=f'"{record}" {shared}; a log only grows',
        run=f"git coord resolve {operand(path)} --take worktree "
        "--reason 'history is rewritten on purpose'",
    )
