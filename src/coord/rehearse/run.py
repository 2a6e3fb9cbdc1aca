"""``merge-order --rehearse``: branches merged one on top of the other, with nobody noticing.

No worktree, index, ref or record of the repository is touched. The merge drivers really run, with
the declarations of the tree that is built on; they leave no record (COORD_PREVIEW). A refused file
is taken as ours, and a branch that needs a person is left out, so that one bad branch does not hide
what the others would do.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.rehearse import stale, verdict
from coord.rehearse.report import CONFLICT, LEFT_OUT, Rehearsal, Step
from coord.rehearse.stage import Stage
from coord.rehearse.trial import Trial
from coord.repo import heads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coord.repo.worktree import Worktree

    Tick = Callable[[str, int, int], None]


_SHORT = 12  # of a commit that no branch of that name has any more


def _silent(branch: str, number: int, total: int) -> None:
    del branch, number, total


def rehearse(
    here: Worktree,
    onto: str,
    branches: Sequence[str],
    command: str | None = None,
    *,
    tick: Tick = _silent,
    base: str | None = None,
    tips: Sequence[str | None] | None = None,
) -> Rehearsal:
    """Merge `branches` onto `onto`, in their order, and return what came of each.

    Args:
        here: the repository; HEAD means the one of its worktree.
        onto: a branch, or whatever git takes for a commit.
        branches: branches of this repository, or ``REMOTE/BRANCH``.
        command: what sh runs in a checkout of each step that merges; a step it fails is left out.
        tick: told before each branch (its name, its number, how many there are).
        base: the commit that `onto` means, where that has been looked up: a tag may have its name.
        tips: the same for `branches`; None: there is none, and another one may have its name.

    Raises:
        Usage: `onto` is no commit.
        GitError: git could not merge for a reason other than the branches.
    """
    with Stage(here, onto, base) as stage:
        trial = Trial(here, stage.scratch, command) if command is not None else None
        pairs = list(zip(branches, tips or stage.tips(branches), strict=True))
        typed = _typed(here, [branch for branch, tip in pairs if tip is not None])
        steps = []
        for number, (branch, tip) in enumerate(pairs, 1):
            tick(branch, number, len(branches))
            typed_as = typed.get(branch, branch if tip is None else tip[:_SHORT])
            step = _step(stage, onto, typed_as, tip, trial)
            steps.append(step._replace(branch=branch, typed=step.branch))
        steps = [_told_afterwards(stage, onto, step) for step in stale.marked(here, stage, steps)]
        return Rehearsal(onto, stage.base, stage.tree, tuple(steps))


def _typed(here: Worktree, branches: Sequence[str]) -> dict[str, str]:
    """Return what `git merge` has to be told of each branch; paths of its sides have that too."""
    known: dict[str, str] = {}
    for kind in ("refs/remotes/", heads.HEADS):
        refs = {f"{kind}{branch}": branch for branch in branches}
        known |= {refs[ref]: word for ref, word in heads.spelled(here.cwd, *refs).items()}
    return known


def _step(stage: Stage, onto: str, branch: str, tip: str | None, trial: Trial | None) -> Step:
    """Merge one branch, and build on it unless it is left out."""
    if tip is None:
        return Step(branch, LEFT_OUT, why="no such branch here")
    merge = stage.merge(tip)
    if merge is None:
        return Step(branch, LEFT_OUT, why=f"it has no history in common with {onto}", tip=tip)
    step = verdict.step(branch, tip, merge, stage.kind, _names(stage, onto, branch, tip))
    if step.outcome == CONFLICT:
        return step
    tree = stage.with_ours(merge, [os.fsencode(artifact.path) for artifact in step.refused])
    commit = stage.merged(tree, tip)
    step = step._replace(tree=tree, status=trial.run(commit) if trial else None)
    if step.status:
        return step._replace(outcome=LEFT_OUT, why=f"its test ended with {step.status}")
    stage.build_on(commit, tree)
    return step._replace(commit=commit)


def _told_afterwards(stage: Stage, onto: str, step: Step) -> Step:
    """Return a step in conflict with how the branch merges at the end, where a person does it."""
    merge = stage.merge(step.tip) if step.outcome == CONFLICT else None
    if merge is None:
        return step
    names = _names(stage, onto, step.typed, step.tip)
    last = verdict.step(step.typed, step.tip, merge, stage.kind, names)
    return step._replace(afterwards=last)


def _names(stage: Stage, onto: str, branch: str, tip: str) -> dict[str, str]:
    """Return what people call the sides: git names them by commit, before 2.44 not at all."""
    return {stage.commit: onto, tip: branch, "HEAD": onto, "the change brought in": branch}
