"""Settle a path by hand, with a reason that the commit will bear.

Three cases, told apart by what is there: a live refusal of a merge driver; a conflict of a guarded
path that no driver recorded (a clone without the drivers); and a guarded log or write-once file
whose history was edited on purpose, which the commit gate would stop.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from coord.base import peerfile
from coord.base.errors import Refused, Usage
from coord.base.names import quote
from coord.drivers import facts, join, markers
from coord.guard import guarded, refusal, trailers, written
from coord.history.problem import counted
from coord.repo import git
from coord.settle import bothsides, index, sides

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.guard.refusal import Record
    from coord.repo.worktree import Worktree
    from coord.settle.bothsides import BothSides
    from coord.settle.index import Entry, Spot

TAKES = ("ours", "theirs", "both", "worktree")
_STAGES = {"ours": "2", "theirs": "3"}


@dataclass(frozen=True)
class Case:
    """A path to settle.

    Attributes:
        spot: where it was asked for.
        path: relative to the top level.
        kind: one of ``guarded.KINDS``.
        records: its live records; none for a conflict that no driver saw, or a fresh edit.
        stages: its conflict stages, also when it was staged since; empty for an edited history.
        mode: file mode for a side whose stage is lost.
    """

    spot: Spot
    path: str
    kind: str
    records: tuple[Record, ...]
    stages: Mapping[str, Entry]
    mode: str

    @property
    def is_conflict(self) -> bool:
        """Whether two sides met here; otherwise somebody edited a history on purpose."""
        return bool(self.stages) or any(one.ours != one.theirs for one in self.records)

    def side(self, take: str) -> Entry | None:
        """Return mode and blob of ``ours`` or ``theirs``; None where that side has no file."""
        entry = self.stages.get(_STAGES[take])
        if entry is None and self.records:
            return index.Entry(self.mode, getattr(self.records[0], take))
        return entry


def case(spot: Spot, word: str, assumed: str = "") -> Case:
    """Return what there is to settle at the path that `word` names.

    Args:
        spot: where the user stands.
        word: the path as typed.
        assumed: kind of a path that no attribute guards; empty: that is refused.

    Raises:
        Usage: nothing is known of such a path.
        Refused: the path is not guarded, or a merge was cut off.
    """
    found, cut = refusal.sifted(spot.here, git.elsewhere())
    refusal.require_whole(cut)
    live = [record for record, _ in found]
    for path in spot.spellings(word):
        records = tuple(record for record in live if record.path == path)
        staged = index.stages(spot.here, path)
        if records or staged or _before(spot, path):
            kind = records[0].kind if records else guarded.kinds(spot.here, [path]).get(path)
            kind = kind or assumed
            if not kind:
                raise _unguarded(spot, path)
            spot.require_inside(path)
            stages = {stage: entry for stage, entry in staged.items() if stage != "0"}
            if records and not stages:
                stages = index.stages(spot.here, path, "--resolve-undo")
            mode = staged["0"].mode if "0" in staged else "100644"
            return Case(spot, path, kind, records, stages, mode)
    raise Usage(
        "path-unknown",
        "git tracks no such file, and no driver refused one",
        where=word,
        why="a path is relative to the current folder, or to the top level",
        run="git status",
    )


def settle(case: Case, take: str, reason: str) -> str:
    """Stage what was chosen, note why, and return the blob; empty when the file is gone.

    Raises:
        Refused: the choice makes no sense for this path, the file has conflict markers, or it lacks
            records of a log that the reason does not tell of.
    """
    _require_sense(case, take)
    if take == "worktree":
        _require_named(case, reason)
        _require_of_both(case)
    before = _before(case.spot, case.path)
    blob = _staged(case, take)
    if not case.is_conflict and blob == before:
        raise _untouched(case)
    _note(case, before, blob or refusal.ABSENT, reason)
    return blob


def _staged(case: Case, take: str) -> str:
    """Stage what was chosen and return its blob, with the records saying so meanwhile.

    git deletes a file before it writes it anew: a kill, or a full disk, in between leaves none.
    """
    for record in case.records:
        refusal.begin(record, f"git coord resolve --take {take}")
    try:
        return _from_worktree(case) if take == "worktree" else _from_sides(case, take)
    except Refused:  # before anything was done
        for record in case.records:
            refusal.give_up(record)
        raise


def _before(spot: Spot, path: str) -> str:
    """Return HEAD's blob, empty when there is none."""
    return git.ask("rev-parse", "--verify", "--quiet", f"HEAD:{path}", cwd=spot.top).text


def _require_sense(case: Case, take: str) -> None:
    again = f"git coord resolve {case.spot.typed(case.path)}"
    if take != "worktree" and not case.is_conflict:
        raise Refused(
            "nothing-refused",
            f"there are no two sides to take {take} from",
            where=case.path,
            why="no merge is open on this file; an edit of its history is settled as it stands",
            run=f"{again} --take worktree --reason 'history edited on purpose'",
        )
    if take == "both" and case.kind not in guarded.JOINED:
        way_out = f"git coord regenerate {case.spot.typed(case.path)}"
        raise Refused(
            "not-a-log",
            f"a {case.kind} file cannot be both sides at once",
            where=case.path,
            why="only the records of a log can be joined",
            run=way_out
            if case.kind == "derived"
            else f"{again} --take theirs --reason 'theirs was first'",
        )


def _from_worktree(case: Case) -> str:
    full = case.spot.full(case.path)
    if not os.path.lexists(full):
        index.stage_removal(case.spot.here, case.path)
        return ""
    line = _marker_line(case, full)
    if line:
        word = case.spot.typed(case.path)
        raise Refused(
            "conflict-markers",
            "the file still has conflict markers",
            where=f"{case.path}:{line}",
            why="they would be committed as content",
            run=f"${{EDITOR:-vi}} {word} && git coord resolve {word} --take worktree "
            "--reason 'joined by hand'",
        )
    return index.stage_files(case.spot.here, [case.path])[case.path]


def _marker_line(case: Case, full: str) -> int:
    """Return the line of a conflict that is none of HEAD's nor of a side's, 0 where there is none.

    Where no merge is open on the file, whoever gives a reason knows what stands in it.
    """
    if not case.is_conflict:
        return 0
    line = index.marker_line(full)
    if not line or case.kind not in guarded.JOINED:
        return line
    known = [_content(case.spot.here, case.side(take)) for take in ("ours", "theirs")]
    text = peerfile.read(full, peerfile.WHOLE)
    return markers.line(text, frozenset().union(*map(markers.conflicts, known)))


def _from_sides(case: Case, take: str) -> str:
    """Stage one side, or the join of both, and write it to the working tree."""
    here, path = case.spot.here, case.path
    entry = _joined(case) if take == "both" else case.side(take)
    if entry is None:  # that side deleted the file
        index.stage_removal(here, path)
        if os.path.lexists(case.spot.full(path)):
            os.unlink(case.spot.full(path))
        return ""
    return index.stage_blob(here, path, entry)


def _joined(case: Case) -> Entry | None:
    """Return the join of both sides; of a log that has none, all of ours, then what theirs adds.

    None when neither has the file.

    Raises:
        Refused: a document has no order in which both could simply stand.
    """
    ours, theirs, here = case.side("ours"), case.side("theirs"), case.spot.here
    if ours is None or theirs is None:
        return ours or theirs
    try:
        text = bothsides.joined(_both(case))
    except join.Refused as error:
        raise _not_both(case, error) from None
    written = git.tell("hash-object", "-w", "--stdin", cwd=here.cwd, stdin=text)
    return index.Entry(ours.mode, written.text)


def _both(case: Case) -> BothSides:
    stages = (case.stages.get("1"), case.side("ours"), case.side("theirs"))
    return bothsides.read(case.spot, case.path, case.kind, stages)


def _require_named(case: Case, reason: str) -> None:
    """Refuse a log joined by hand that lacks records of a side, unless the reason says how many.

    What has no join is for a person to tell: it is settled as it stands.
    """
    full = case.spot.full(case.path)
    by_hand = any(record.take for record in case.records)
    if case.kind != "log" or not case.is_conflict or by_hand or not os.path.isfile(full):
        return
    made = _made(case, full)
    lost = bothsides.lost(_both(case), git.tell("cat-file", "blob", made, cwd=case.spot.top).out)
    said = f"without {counted(len(lost), 'record')}"
    if lost and said not in reason:
        raise Refused(
            "log-rewritten",
            f"the file lacks {counted(len(lost), 'record')} of what both sides have",
            where=case.path,
            why=f"a log only grows, and {facts.shown(lost[0])}{' and more' if lost[1:] else ''} "
            f"would be lost for good. If that is right, the reason has to say: {said}",
            run=f"git coord resolve {case.spot.typed(case.path)} --take both "
            "--reason 'what both sides have'",
        )


def _made(case: Case, full: str) -> str:
    """Return the blob that the file as it stands would be."""
    return git.tell("hash-object", "-w", "--", full, cwd=case.spot.here.cwd).text


def _require_of_both(case: Case) -> None:
    """Refuse as made by hand what is one side, byte for byte, and lacks the other.

    A driver that cannot join leaves ours there: its command, pasted before anybody has looked,
    drops theirs under a false reason. Of a log with a join, the reason has said what it lacks.
    """
    full = case.spot.full(case.path)
    ours, theirs = (case.side(take) for take in ("ours", "theirs"))
    if case.kind not in guarded.JOINED or not os.path.isfile(full) or not (ours and theirs):
        return
    made = _made(case, full)
    if ours.blob == theirs.blob or made not in {ours.blob, theirs.blob} or _has_both(case, made):
        return
    met = sides.labels(case.spot.here)
    is_ours = made == ours.blob
    mine, other = (met.ours, met.theirs) if is_ours else (met.theirs, met.ours)
    stage, blob = ("3", theirs.blob) if is_ours else ("2", ours.blob)
    raise Refused(
        "one-side-only",
        f"nothing is joined yet: the file is still as {mine} has it",
        where=case.path,
        why=f"what {other} has would be lost under this reason. To take one side on purpose, "
        f"say --take {'ours' if is_ours else 'theirs'} and why. What the other one has",
        run=f"git show {quote(f':{stage}:{case.path}') if _is_unmerged(case) else blob}",
    )


def _has_both(case: Case, made: str) -> bool:
    """Tell whether a text that is one side has what the other one has, or was said to lack it."""
    both = _both(case)
    try:
        if not all(map(written.is_text, (both.ours, both.theirs))):
            return False
        bothsides.joined(both)
    except join.Refused:
        return False
    text = git.tell("cat-file", "blob", made, cwd=case.spot.top).out
    by_hand = any(record.take for record in case.records)
    return (case.kind == "log" and not by_hand) or not bothsides.lost(both, text)


def _is_unmerged(case: Case) -> bool:
    return len(index.stages(case.spot.here, case.path).keys() - {"0"}) > 0


def _not_both(case: Case, error: join.Refused) -> Refused:
    rule, _, what, why = facts.told(error, case.kind)
    word = case.spot.typed(case.path)
    what, why = (
        text.replace("{ours}", "ours").replace("{theirs}", "theirs") for text in (what, why)
    )
    return Refused(
        rule,
        what,
        where=case.path,
        why=f"{why}. Make one text of it",
        run=f"${{EDITOR:-vi}} {word} && git coord resolve {word} --take worktree "
        "--reason 'joined by hand'",
    )


def _content(here: Worktree, entry: Entry | None) -> bytes:
    return b"" if entry is None else git.tell("cat-file", "blob", entry.blob, cwd=here.cwd).out


def _note(case: Case, before: str, resolved: str, reason: str) -> None:
    """Rewrite the records as settled; where no driver left one, write it."""
    if case.records:
        done = [refusal.resolve(record, resolved, reason) for record in case.records]
        trailers.add_to_patch(case.spot.here, done)
        return
    ours, theirs = (case.side(take) for take in ("ours", "theirs"))
    head = git.ask("rev-parse", "--verify", "--quiet", "HEAD", cwd=case.spot.top).text
    refusal.add(
        case.spot.here.git_dir,
        refusal.Record(
            file="",
            kind=case.kind,
            path=case.path,
            head=head or "unborn",
            ours=ours.blob if ours else before or refusal.ABSENT,
            theirs=theirs.blob if theirs else before or refusal.ABSENT,
            resolved=resolved,
            reason=" ".join(reason.split()),
        ),
    )


def _unguarded(spot: Spot, path: str) -> Refused:
    return Refused(
        "not-guarded",
        "this file is none of ours to settle",
        where=path,
        why="only derived files, logs and write-once files are guarded; git alone asks here for "
        "no more than",
        run=f"{_edited(spot, path)}git add {spot.typed(path)}",
    )


def _edited(spot: Spot, path: str) -> str:
    """Return what takes the markers of an ordinary conflict away first; nothing without any."""
    return f"${{EDITOR:-vi}} {spot.typed(path)} && " if index.marker_line(spot.full(path)) else ""


def _untouched(case: Case) -> Refused:
    return Refused(
        "nothing-refused",
        "nothing is refused here, and nothing is changed",
        where=case.path,
        why="the file is as HEAD has it",
        run="git status",
    )
