"""The commit gate: a refused path may not be committed as one of the two refused sides.

What is settled by ``git coord regenerate`` or ``resolve`` leaves a trailer instead, which ``check``
honours. The rule itself is ``coord.guard.refusal`` (docs/design.md).
"""

from __future__ import annotations

import os

from coord.base.errors import Environment, Refused
from coord.base.names import shown
from coord.guard import evidence, refusal, trailers
from coord.guard.guarded import JOINED
from coord.repo import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.guard.evidence import Facts
    from coord.guard.refusal import Record
    from coord.repo.worktree import Worktree


def judge(here: Worktree, message: str | None) -> str:
    """Refuse a commit that would swallow a refusal; note settled ones in `message`.

    Returns:
        What there is to say of an operation that was cut off, or of records that cannot be read
        while none goes on; empty for nothing.

    Raises:
        Refused: a pending path is staged as one of its two sides; or a log with the conflict that
            a merge left in it before it was cut off.
        Environment: what was refused cannot be judged.
    """
    environ = git.here()
    try:
        live, cut = refusal.sifted(here, environ)
    except Environment as error:
        if evidence.is_unfinished(here, environ):
            raise
        return error.lines()  # nothing awaits its commit: no refusal binds
    pending = [
        record
        for record, facts in live
        if refusal.blocks(record, facts) or _is_half_merged(here, record, facts)
    ]
    if pending:
        raise _refused(pending)
    refusal.require_whole([one for one in cut if _has_markers(here, *one)])
    if message is not None:
        _note(here, message, live)
    if not cut:
        return ""
    why, run = refusal.cut_off(cut[0][0])
    return f"coord: operation-cut-off: {shown(why)}\n  run: {run}\n"


def note(here: Worktree, message: str) -> None:
    """Note in `message` once more what was settled: an editor or a hook may have replaced it."""
    try:
        live = refusal.live(here, git.here())
    except Environment:
        if evidence.is_unfinished(here, git.here()):
            raise
        return  # as the hook before has said
    _note(here, message, live)


def _is_half_merged(here: Worktree, record: Record, facts: Facts) -> bool:
    """Tell whether a refused log is staged with the markers that its driver left.

    ``git add -A`` takes them; a log that is read by machines would then hold three strange records.
    Of a conflict that no driver noted the log rules speak.
    """
    if not os.path.exists(record.file) or not refusal.is_pending(record, facts):
        return False
    return _has_markers(here, record, facts)


def _has_markers(here: Worktree, record: Record, facts: Facts) -> bool:
    """Tell whether what is staged of a log has all the markers that a driver leaves."""
    if record.kind not in JOINED or not facts.staged:
        return False
    text = b"\n" + git.tell("cat-file", "blob", facts.staged, cwd=here.cwd, env=git.here()).out
    return all(b"\n" + mark in text for mark in (b"<<<<<<<", b"=======", b">>>>>>>"))


def _refused(pending: Sequence[Record]) -> Refused:
    first = pending[0]
    others = {record.path for record in pending} - {first.path}  # one merge may be tried twice
    more = f" (and {len(others)} more)" if others else ""
    if not first.readable:
        return Refused(
            "refusal-pending",
            "a merge driver refused a path, and its record is torn",
            where=first.file + more,
            why="which path that was is lost; compare both sides of what was merged, then",
            run=refusal.way_out(first),
        )
    if first.begun:
        return Refused(
            "refusal-pending",
            "a refused file was being settled, and that was cut off",
            where=first.path + more,
            why=f"what is there may be half of it, or none; it was settled by: {first.begun}",
            run=refusal.way_out(first),
        )
    by_hand = "; put both sides together by hand, then" if first.take == "worktree" else ""
    return Refused(
        "refusal-pending",
        f"a refused {first.kind} file is staged as it was refused",
        where=first.path + more,
        why=f"committed so, it would lack one side or hold conflict markers{by_hand}",
        run=_way_out(pending, others),
    )


def _way_out(pending: Sequence[Record], others: set[str]) -> str:
    """Return one command for all of them, where there is one."""
    together = others and all(record.kind == "derived" for record in pending)
    return "git coord regenerate --all" if together else refusal.way_out(pending[0])


def _note(here: Worktree, message: str, live: Sequence[tuple[Record, Facts]]) -> None:
    settled = [record for record, facts in live if refusal.is_settled(record, facts)]
    trailers.add(here, message, settled)
