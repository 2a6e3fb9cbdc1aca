"""Branches that were moved under a worktree which has them checked out: judgement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.names import quote
from coord.doctor.configured import in_order
from coord.doctor.findings import Finding, Verdict, verdict
from coord.repo import git

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from coord.doctor.facts import View
    from coord.repo.underneath import Moved


def judge(found: Sequence[Moved], views: Sequence[View]) -> Verdict:
    """Judge what was done to whom; `views` know who works where."""
    pinned = {view.here.git_dir for view in views if view.pin is not None}
    findings = [_of(one, pinned) for one in found]
    return verdict("branches", "each is where its worktree left it", findings)


def _of(moved: Moved, pinned: Iterable[str]) -> Finding:
    folder = moved.sibling.path
    here = f"git -C {quote(folder)}"
    if moved.renamed:
        message = f"{moved.what}: HEAD names no commit here"
        run = f"{here} symbolic-ref -m 'renamed from outside' HEAD {quote(moved.renamed)}"
        return Finding("branch-renamed", folder, message, run)
    message = f"{moved.what}: {moved.old[:12]} became {moved.sibling.head[:12]}"
    steps = [f"{here} read-tree -m -u {moved.old} HEAD"] if _files_differ(moved) else []
    # The copies bear whoever made them as committer.
    steps += [f"{here} coord reauthor --outgoing"] if moved.sibling.git_dir in pinned else []
    run = in_order([*steps, f"{here} reset -q --soft HEAD"])  # noted in its reflog: seen
    return Finding("branch-rewritten", folder, message, run)


def _files_differ(moved: Moved) -> bool:
    ask = ("diff-tree", "--quiet", "-r", moved.old, moved.sibling.head)
    return git.ask(*ask, cwd=moved.sibling.path).code == 1
