"""What a commit would do to guarded files that were there before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.guard import guarded, refusal
from coord.repo import git

if TYPE_CHECKING:
    from coord.repo.worktree import Worktree


def changes(here: Worktree, kind: str) -> dict[str, str]:
    """Return path → staged blob of each file of a kind that HEAD has otherwise; empty: deleted.

    Left out are those whose change was settled with a reason, which the commit will bear.
    """
    staged = _differing(here, kind)
    if not staged:
        return {}
    settled = {
        record.path
        for record, facts in refusal.live(here, git.here())
        if refusal.is_settled(record, facts)
    }
    return {path: blob for path, blob in staged.items() if path not in settled}


def _differing(here: Worktree, kind: str) -> dict[str, str]:
    """Ask git: ``:OLDMODE NEWMODE OLD NEW STATUS`` NUL ``PATH`` NUL, of ``diff-index --raw -z``."""
    ask = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "--diff-filter=a", "HEAD")
    pathspec = f":(top,attr:{guarded.attribute(kind)})"
    fields = git.tell(*ask, "--", pathspec, cwd=here.cwd, env=git.here()).fields
    blobs = [entry.split(" ")[3] for entry in fields[::2]]
    return {
        path: blob if blob.strip("0") else ""
        for path, blob in zip(fields[1::2], blobs, strict=True)
    }
