"""Is this the clone that its board was made in, or a copy of it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.doctor.findings import Finding, Verdict, verdict
from coord.liveness import copied
from coord.repo import localremotes

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
    return verdict("clone", "", findings, localremotes.notes(here))
