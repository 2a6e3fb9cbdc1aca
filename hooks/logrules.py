"""Log rules at commit: a log may lose no record that history outside this branch knows.

Judged is what a merge loses against its parents taken together, what an amended commit loses
against the parents of the old one too, and only records of commits that another branch, tag or
remote can reach: one's own new records may change until they are shared (docs/drivers.md). The sh
in front lets an append pass and skips every replay; of a revert it is only said what it takes out.
"""

from __future__ import annotations

import os
from collections import Counter

from coord.base.errors import Refused
from coord.base.names import operand, quote, shown
from coord.drivers import law, markers
from coord.drivers.join import LEAST
from coord.drivers.prefix import agreement, boundary
from coord.drivers.records import split
from coord.guard import guarded, refusal
from coord.guard.missing import missing
from coord.hooks import conflicts, lineage, staged
from coord.hooks.loss import Loss
from coord.hooks.versions import Versions
from coord.settings import config

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.hooks.documentrules import Document
    from coord.repo.worktree import Worktree

_LARGE = 1 << 20  # bytes of a document from which reading it in chunks pays
_WIDTH = 60


def judge(here: Worktree, args: Sequence[str]) -> str:
    """Refuse a commit by which a log loses records of shared history; return what to say of others.

    Args:
        here: the worktree.
        args: the arguments of prepare-commit-msg: message file, source, commit.

    Raises:
        Refused: naming path, record and line, and the command that settles it with a reason.
    """
    kinds = {kind: staged.changes(here, kind) for kind in law.KINDS}
    paths = [path for changes in kinds.values() for path in changes]
    if not paths:
        return ""
    versions = Versions(here, lineage.of(here, args), args[0])
    rules = guarded.log_rules(here, config.load(here.top), paths)
    said = ""
    for kind, changes in kinds.items():
        for path, blob in changes.items():
            rule = rules.get(path)
            start = None if rule is None or rule.start is None else rule.start.encode()
            loss, taken = _judged(versions, kind, path, blob, start)
            if loss is not None and not versions.replays:
                raise _refused(path, loss, lineage.where_shared(here))
            if taken is not None:
                said += _taken_out(path, taken, alone=not here.has("sequencer"))
    return said


def _judged(
    versions: Versions, kind: str, path: str, blob: str, start: bytes | None
) -> tuple[Loss | None, Loss | None]:
    """Return the first record of shared history that staging `blob` would lose.

    And the first that it takes out as the commit had brought it which this one reverts.
    """
    parents = versions.past.parents
    if blob and kind == "log" and start is None and _only_adds(versions, path, blob):
        return None, None
    if blob and law.is_document(kind, start) and _joins(versions, kind, path, blob, start):
        return None, None
    new = versions.blob(blob) if blob else b""
    texts = [versions.text(parent, path) for parent in parents]
    if new in texts:
        return None, None  # taken whole from a parent, which was judged when it was made
    conflicts.require_none(kind, path, new, texts + versions.replayed(path))
    if versions.copies:
        return None, None
    loss, taken = _log(versions, kind, path, start).loss(new, texts)
    if loss is not None and (converted := versions.converted(path)):
        texts = [converted.text(parent, path) for parent in parents]
        new = converted.staged(path, blob) if blob else b""
        versions = converted
        loss, taken = _log(versions, kind, path, start).loss(new, texts)
    if loss is not None and parents[1:]:
        for number, parent in enumerate(parents):
            if versions.is_elsewhere(parent, path, kind, start):
                texts[number] = b""
        loss, taken = _log(versions, kind, path, start).loss(new, texts)
    return loss, taken


def _only_adds(versions: Versions, path: str, blob: str) -> bool:
    """Tell whether a log of lines, read a chunk at a time, keeps all that its parents have."""
    from coord.hooks import appended  # noqa: PLC0415  # most commits to a log end here

    parents = versions.past.parents
    if not parents[1:]:
        return appended.is_growth(versions.cwd, parents[0], path, blob)
    names = [blob, *(f"{parent}:{path}" for parent in parents)]
    tails = appended.behind(versions.cwd, names)
    if tails is None:
        return False
    new, *texts = (Counter(split(tail, None).keys) for tail in _besides(tails))
    return not missing(new, texts, Counter())


def _joins(versions: Versions, kind: str, path: str, blob: str, start: bytes | None) -> bool:
    """Tell whether a large document is what its driver makes of its parents, read in chunks.

    How large is asked of the file, which most often is what is staged.
    """
    parents = versions.past.parents
    try:
        size = os.stat(os.path.join(versions.cwd, path)).st_size
    except OSError:
        return False
    if size < _LARGE or len(parents) > 2 or (kind == "changelog" and not parents[1:]):  # noqa: PLR2004
        return False
    from coord.hooks import joined  # noqa: PLC0415  # only where a document is large

    commits = [versions.base(parents[1]), *parents] if parents[1:] else parents
    names = [f"{commit}:{path}" for commit in commits]
    return joined.is_join(versions.cwd, kind, start, blob, names)


def _besides(texts: list[bytes]) -> list[bytes]:
    """Return what is left of texts of lines without what all have: there nothing is lost."""
    if min(map(len, texts)) < LEAST:
        return texts
    from coord.drivers import segments  # noqa: PLC0415  # `re`, only where a log is large

    return segments.besides(texts)


def _log(versions: Versions, kind: str, path: str, start: bytes | None) -> _Log | Document:
    if law.is_document(kind, start):
        from coord.hooks.documentrules import Document  # noqa: PLC0415 - most logs are lines

        return Document(versions, path, kind, start)
    return _Log(versions, path, start)


class _Log:
    """One log of lines or paragraphs, and its versions."""

    def __init__(self, versions: Versions, path: str, start: bytes | None) -> None:
        self._versions = versions
        self._path = path
        self._start = start
        self._quoted: frozenset[bytes] = frozenset()

    def loss(self, new: bytes, texts: list[bytes]) -> tuple[Loss | None, Loss | None]:
        """Return what of shared history the text `new` would lose, and what it reverts.

        `texts` are those of the parents.
        """
        past = self._versions.past
        head = self._head([new, *filter(None, texts)])
        if head is not None:
            tails = [text[head:] for text in (new, *texts)]
            added, *had = map(self._count, tails if self._start is not None else _besides(tails))
            if not missing(added, had, Counter()):
                return None, None
        self._quoted = markers.conflicts(new)
        result = self._count(new)
        lost = missing(result, list(map(self._count, texts)), self._at(past.base))
        if not lost:
            return None, None
        if past.replaced:
            lost &= missing(result, [self._at(parent) for parent in past.replaced], Counter())
        undone = self._undone()
        shared = (lost & self._shared(result)) - undone
        return self._first(shared, texts), self._first(lost & undone, texts)

    def _head(self, texts: list[bytes]) -> int | None:
        """Return how many bytes of whole records all texts begin with: nothing is lost there.

        None where a conflict may stand behind them.
        """
        common = agreement(texts, min(map(len, texts)))
        head = boundary(lambda begin, end: texts[0][begin:end], common, self._start)
        return None if any(text.find(b">>>>>>> ", head) >= 0 for text in texts) else head

    def _shared(self, result: Counter[bytes]) -> Counter[bytes]:
        """Return how many of each record others know beyond those that are kept."""
        known: Counter[bytes] = Counter()
        for tip in self._versions.shared:
            known |= self._at(tip)
        return known - result

    def _undone(self) -> Counter[bytes]:
        """Return the records that a commit had brought which this one reverts."""
        if self._versions.reverted is None:
            return Counter()
        commit, against = self._versions.reverted
        return self._at(commit) - self._at(against)

    def _first(self, lost: Counter[bytes], texts: Sequence[bytes]) -> Loss | None:
        for text in texts:
            records = split(self._settled(text), self._start)
            for record, line in zip(records.keys, records.lines, strict=True):
                if lost[record]:
                    return Loss(line + 1, record, lost.total() - 1)
        return None

    def _at(self, commit: str) -> Counter[bytes]:
        return self._count(self._versions.text(commit, self._path))

    def _count(self, text: bytes) -> Counter[bytes]:
        return Counter(split(self._settled(text), self._start).keys)

    def _settled(self, text: bytes) -> bytes:
        return markers.settled(text, self._start, self._quoted)


def _taken_out(path: str, loss: Loss, *, alone: bool) -> str:
    """Return one line on a revert, which is no refusal: what it undoes was a commit's own.

    One of several is no longer HEAD when the line is read.
    """
    more = f" and {loss.more} more" if loss.more else ""
    trailer = f"Coord-Resolved: {refusal.path_word(path)} reverted on purpose"
    # No setting of trailers is asked, and nothing that is staged goes along.
    amend = 'git commit --amend --only -q -m "$(git log -1 --format=%B)" -m'
    explain = f"{amend} {quote(trailer)}" if alone else trailer
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
