"""Is this the clone that its board was made in, or a copy of it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.doctor.findings import Finding, Verdict, verdict
from coord.liveness import copied
from coord.repo import localremotes, worktree

if TYPE_CHECKING:
    from coord.repo.worktree import Worktree


def judge(here: Worktree) -> Verdict:
    """Judge whose board this is; a repository of which nobody has claimed anything has none."""
    common_dir = here.common_dir
    findings = []
    if copied.is_copied(common_dir):
        original = copied.original(common_dir)
        message = (
            f"a copy of {original}, and its board came along with it"
            if original
            else "copied, or moved or restored by copying, and its board came along with it"
        )
        run = "git coord clone-id new" if original else "git coord clone-id"
        findings.append(Finding("clone-copied", common_dir, message, run))
    worktree_of = worktree.copied_from(here)
    if worktree_of is not None and here.top is not None:
        message = f"a copy of {worktree_of}: both have one private git dir, which is the original's"
        run = worktree.own_worktree(here, worktree_of)
        findings.append(Finding("worktree-copied", here.top, message, run))
    return verdict("clone", "", findings, localremotes.notes(here))
