"""Write-once files: no commit changes, deletes or renames one, and no two claim one path.

git takes a one-sided change or an identical add without asking anybody, and a merge that is made
elsewhere may keep one of two claims.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.check import suspects
from coord.check.normal import normal
from coord.history.problem import printed
from coord.ids import claimtext

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.check.edges import History
    from coord.check.suspects import Fault
    from coord.history.blobs import Blobs
    from coord.history.changes import Change
    from coord.history.commits import Commit

RULE = "once-changed"
TAKEN = "id-taken"


def changes(history: History, blobs: Blobs) -> Iterator[Fault]:
    """Yield every change of a write-once file but by what git converts, newest first."""
    for fault in suspects.changed(history, "once"):
        old, new = fault.change
        if new is None or normal(blobs.read(old)) != normal(blobs.read(new)):
            yield fault


def is_healed(history: History, blobs: Blobs, fault: Fault) -> bool:
    """Tell whether the file is at the end of the range as it was first written.

    Of a claim that a merge dropped, also whether it is there under another number.
    """
    if history.at_tip(fault.commit.id, fault.path) == fault.change.old:
        return True
    return fault.is_merge and fault.change.new is not None and _has_moved(history, blobs, fault)


def _has_moved(history: History, blobs: Blobs, fault: Fault) -> bool:
    claim = claimtext.claim_of(blobs.read(fault.change.old))
    folder = fault.path.rpartition(b"/")[0]
    tree = history.trees[history.tips[fault.commit.id]]
    beside = (path for path in tree if path.rpartition(b"/")[0] == folder and path != fault.path)
    return any(claimtext.has_moved_to(path, blobs.read(tree[path]), claim) for path in beside)


def message(fault: Fault) -> str:
    """Return what is wrong, in one line."""
    by = f"the merge took the file of {fault.parent[:12]} away: " if fault.is_merge else ""
    if fault.renamed is not None:
        return f"{by}written once, then renamed to {printed(fault.renamed)}"
    return f"{by}written once, then {'changed' if fault.change.new else 'deleted'}"


def collision(fault: Fault) -> str:
    """Return what to say of a merge of which both sides had added the path."""
    return f"both sides of the merge claimed it, and the claim of {fault.parent[:12]} is gone"


def doubly_added(history: History, blobs: Blobs) -> Iterator[tuple[Commit, Commit, bytes]]:
    """Yield (later, earlier, path) where two commits claimed one path with the same bytes.

    On both sides of a merge that is clean to git, and both own it. A picked claim keeps author,
    date and subject; with a nonce in it, the same bytes are the same claim however they came.
    """
    first: dict[tuple[bytes, str], Commit] = {}
    for commit in reversed(history.commits):
        for path, change in _additions(history, commit):
            if change.new is None or history.at_tip(commit.id, path) != change.new:
                continue  # it was settled since
            before = first.setdefault((path, change.new), commit)
            if before.origin != commit.origin and not claimtext.has_nonce(blobs.read(change.new)):
                yield commit, before, path


def _additions(history: History, commit: Commit) -> Iterator[tuple[bytes, Change]]:
    edges = history.of(commit.id) if len(commit.parents) == 1 else []
    for edge in edges:
        for path, change in edge.guarded.items():
            if change.old is None and history.kind(commit.id, path) == "once":
                yield path, change
