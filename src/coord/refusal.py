"""Pending refusals of the merge drivers, and when one still binds (design.md §5, the gate).

No hook runs on an abort or a reset, so a record may outlive its merge: "the staged blob is still
one of the two" blocked innocent commits in 12 of 12 aborts. Whether a record is *live* is a pure
function of :class:`Facts`, which :func:`gather` reads through git.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from coord import git, publish

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.worktree import Place

FOLDER = "coord-refused"
_MARK = "coord-refused 1"
# Heads of operations in progress; for a revert, "theirs" is the parent of the reverted commit.
_HEADS = {
    "MERGE_HEAD": "MERGE_HEAD",
    "CHERRY_PICK_HEAD": "CHERRY_PICK_HEAD",
    "REBASE_HEAD": "REBASE_HEAD",
    "REVERT_HEAD": "REVERT_HEAD^",
}


@dataclass(frozen=True)
class Record:
    """One refused path.

    Attributes:
        file: the record's own path.
        kind: ``derived``, ``log`` or ``once``; empty when the record is torn.
        path: the refused path, relative to the top level.
        head: HEAD when the driver ran, ``unborn`` before the first commit.
        ours: blob of side A, the one left in the worktree.
        theirs: blob of side B.
        resolved: blob that ``regenerate`` or ``resolve`` staged, empty while pending.
        reason: why, as given with the resolution.
    """

    file: str
    kind: str
    path: str
    head: str
    ours: str
    theirs: str
    resolved: str = ""
    reason: str = ""

    @property
    def readable(self) -> bool:
        """Whether the record is whole; a torn one may guard anything."""
        return bool(self.kind and self.path and self.head and self.ours and self.theirs)

    def text(self) -> str:
        """Return the record in the format that drivers write in sh."""
        extra = f"resolved {self.resolved}\nreason {self.reason}\n" if self.resolved else ""
        return (
            f"{_MARK}\nkind {self.kind}\nhead {self.head}\nours {self.ours}\n"
            f"theirs {self.theirs}\n{extra}path {c_quoted(self.path)}\n"
        )


@dataclass(frozen=True)
class Facts:
    """What git says now about one record's path.

    Attributes:
        head: HEAD's commit, ``unborn`` before the first.
        unmerged: the path has conflict stages.
        in_progress: an operation in progress brings a commit that holds *theirs*.
        undone: blobs of stages 2 and 3 in the index's resolve-undo list, for this path.
        staged: blob in the index, empty when the path is not there.
        busy: any operation is in progress in this worktree.
    """

    head: str
    unmerged: bool
    in_progress: bool
    undone: tuple[str, str] | None
    staged: str
    busy: bool


def is_live(record: Record, facts: Facts) -> bool:
    """Tell whether `record` belongs to what this worktree is doing now.

    Unmerged paths bind. Once staged, the record binds while HEAD is where the driver found it, and
    either the commit being brought in still holds *theirs*, or git's resolve-undo list names both
    blobs: that list survives ``add -A`` and is dropped by abort, reset and checkout.
    """
    if not record.readable:
        return facts.busy
    if facts.unmerged:
        return True
    if facts.head != record.head:
        return False
    return facts.in_progress or facts.undone == (record.ours, record.theirs)


def blocks(record: Record, facts: Facts) -> bool:
    """Tell whether a commit of what is staged now would swallow the refusal."""
    if not is_live(record, facts):
        return False
    if not record.readable:
        return True
    return facts.staged in {record.ours, record.theirs} and facts.staged != record.resolved


def parse(file: str, text: str) -> Record:
    """Return the record in `text`; fields it lacks are empty (see :attr:`Record.readable`)."""
    fields = dict(line.partition(" ")[::2] for line in text.split("\n")[1:])
    whole = text.startswith(_MARK + "\n") and text.endswith("\n")
    return Record(
        file=file,
        kind=fields.get("kind", "") if whole else "",
        path=c_unquoted(fields.get("path", "")),
        head=fields.get("head", ""),
        ours=fields.get("ours", ""),
        theirs=fields.get("theirs", ""),
        resolved=fields.get("resolved", ""),
        reason=fields.get("reason", ""),
    )


def read_all(git_dir: str) -> list[Record]:
    """Return every record of a worktree, oldest first."""
    folder = os.path.join(git_dir, FOLDER)
    try:
        names = sorted(os.listdir(folder), key=lambda name: (len(name), name))
    except FileNotFoundError:
        return []
    records = []
    for name in names:
        file = os.path.join(folder, name)
        with open(file, encoding="utf-8", errors="surrogateescape") as handle:
            records.append(parse(file, handle.read()))
    return records


def live(place: Place, environ: Mapping[str, str]) -> list[tuple[Record, Facts]]:
    """Return the live records with their facts, and delete the stale ones.

    Args:
        place: the worktree.
        environ: environment of git's children (``git.here()`` inside a hook: its index counts).
    """
    found = []
    for record in read_all(place.git_dir):
        facts = gather(place, record, environ)
        if is_live(record, facts):
            found.append((record, facts))
        else:
            forget(record)
    return found


def forget(record: Record) -> None:
    """Delete a record; one that is gone already is no fault."""
    try:
        os.unlink(record.file)
    except FileNotFoundError:
        pass


def resolve(record: Record, blob: str, reason: str) -> Record:
    """Rewrite `record` as resolved by `blob`, in one step, and return it."""
    done = replace(record, resolved=blob, reason=" ".join(reason.split()))
    publish.replace(record.file, done.text().encode(errors="surrogateescape"))
    return done


def gather(place: Place, record: Record, environ: Mapping[str, str]) -> Facts:
    """Ask git what :func:`is_live` and :func:`blocks` need to know about `record`."""
    pathspec = f":(top,literal){record.path}"
    stages = _stages(place, environ, "--stage", pathspec)
    undo = _stages(place, environ, "--resolve-undo", pathspec)
    heads = [rev for name, rev in _HEADS.items() if os.path.exists(place.private(name))]
    head = git.ask("rev-parse", "--verify", "--quiet", "HEAD", cwd=place.cwd, env=environ)
    return Facts(
        head=head.text or "unborn",
        unmerged=any(stage in stages for stage in "123"),
        in_progress=any(_holds(place, environ, rev, record) for rev in heads),
        undone=(undo["2"], undo["3"]) if {"2", "3"} <= undo.keys() else None,
        staged=stages.get("0", ""),
        busy=bool(heads) or is_replaying(place.git_dir),
    )


def is_replaying(git_dir: str) -> bool:
    """Tell whether a rebase, am or sequence of picks is in progress."""
    names = ("rebase-merge", "rebase-apply", "sequencer")
    return any(os.path.isdir(os.path.join(git_dir, name)) for name in names)


def _stages(place: Place, environ: Mapping[str, str], option: str, pathspec: str) -> dict[str, str]:
    """Return {stage: blob} of one path from ``ls-files`` (``MODE BLOB STAGE<tab>PATH``)."""
    done = git.tell("ls-files", "-z", option, "--", pathspec, cwd=place.cwd, env=environ)
    entries = [field.partition("\t")[0].split(" ") for field in done.fields]
    return {stage: blob for _, blob, stage in entries}


def _holds(place: Place, environ: Mapping[str, str], rev: str, record: Record) -> bool:
    """Tell whether commit `rev` holds *theirs*: at the path, or anywhere after a rename."""
    at_path = git.ask(
        "rev-parse", "--quiet", "--verify", f"{rev}:{record.path}", cwd=place.cwd, env=environ
    )
    if at_path.text == record.theirs:
        return True
    tree = git.ask("ls-tree", "-r", "-z", "--full-tree", rev, cwd=place.cwd, env=environ).out
    return f" {record.theirs}\t".encode() in tree


def c_quoted(path: str) -> str:
    """Return `path` as git prints it with core.quotePath: odd bytes in C notation."""
    raw = os.fsencode(path)
    if all(byte in _PRINTABLE and byte not in _C_NAMES for byte in raw):
        return path
    return '"' + "".join(_c_byte(byte) for byte in raw) + '"'


_PRINTABLE = range(0x20, 0x7F)
_C_NAMES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_C_BYTES = {name: byte for byte, name in _C_NAMES.items()}


def _c_byte(byte: int) -> str:
    if byte in _C_NAMES:
        return "\\" + _C_NAMES[byte]
    return chr(byte) if byte in _PRINTABLE else f"\\{byte:03o}"


def c_unquoted(text: str) -> str:
    """Return the path that :func:`c_quoted`, git or a driver wrote."""
    if not (text.startswith('"') and text.endswith('"') and len(text) > 1):
        return text
    raw, rest = bytearray(), text[1:-1]
    while rest:
        plain, slash, rest = rest.partition("\\")
        raw += os.fsencode(plain)
        if slash and rest[:3].isdigit():
            raw.append(int(rest[:3], 8))
            rest = rest[3:]
        elif slash:
            raw.append(_C_BYTES.get(rest[:1], ord("\\")))
            rest = rest[1:]
    return os.fsdecode(bytes(raw))
