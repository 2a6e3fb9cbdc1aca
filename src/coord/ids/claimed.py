"""Who claimed a path in a history, however its merges came out."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import TYPE_CHECKING

from coord.history import changes, commits
from coord.ids import claimtext

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from coord.history.blobs import Blobs
    from coord.history.commits import Commit
    from coord.history.door import Door

Additions = dict[tuple[bytes, str], list["Commit"]]


def additions(door: Door, tips: Sequence[str], paths: Iterable[bytes]) -> Additions:
    """Return (path, blob) → the commits that added it, those that copy one of them left out.

    A picked claim keeps author, date and subject.

    Args:
        door: the repository.
        tips: commits whose history is read.
        paths: literal paths from the top level.

    Raises:
        GitError: git cannot read the history.
    """
    wanted = list(paths)
    pathspecs = [f":(top,literal){os.fsdecode(path)}" for path in wanted]
    if not wanted or not tips:
        return {}
    listed = [
        commit
        for commit in commits.read(door, tips, [], *pathspecs)
        if len(commit.parents) == 1  # what a merge takes over was added by one of these
    ]
    edges = [(commit.id, commit.parents[0]) for commit in listed]
    found: Additions = defaultdict(list)
    for commit, raws in zip(listed, changes.along(door, edges, *pathspecs), strict=True):
        for raw, path in raws:
            change = changes.change(raw)
            if change.old is None and change.new is not None:
                before = found[path, change.new]
                if commit.origin not in {other.origin for other in before}:
                    before.append(commit)
    return found


def claims(blobs: Blobs, added: Additions) -> dict[bytes, tuple[int, str]]:
    """Return claim → how many made it, and a blob that holds it.

    With a nonce in it, the same bytes are the same claim whoever committed them.
    """
    found: dict[bytes, tuple[int, str]] = {}
    for (_, blob), makers in added.items():
        text = blobs.read(blob)
        number = 1 if claimtext.has_nonce(text) else len(makers)
        before, _ = found.get(claimtext.claim_of(text), (0, blob))
        found[claimtext.claim_of(text)] = max(before, number), blob
    return found


def holders(texts: Mapping[bytes, bytes], path: bytes, what: bytes) -> int:
    """Return how many of the files beside `path`, itself included, hold one of its claims."""
    own = path in texts and claimtext.claim_of(texts[path]) == what
    folder = path.rpartition(b"/")[0]
    return own + sum(
        claimtext.has_moved_to(name, text, what)
        for name, text in texts.items()
        if name != path and name.rpartition(b"/")[0] == folder
    )
