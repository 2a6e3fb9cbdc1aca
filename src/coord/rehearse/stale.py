"""Which rehearsed merges leave a derived file older than its inputs, by the rule of ``check``.

Each branch may be right alone: one regenerates the file, another changes an input, and git merges
both without a word. Nothing is read where no declared rule has inputs.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.rehearse.report import CLEAN, REFUSED, STALE, Artifact, Stale
from coord.settings import config
from coord.settings.sections import ConfigInvalid

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from coord.check.derived import Fault
    from coord.rehearse.report import Step
    from coord.rehearse.stage import Stage
    from coord.repo.worktree import Worktree

    Met = tuple[Fault, bool, list[bytes]]  # why, whether a driver will refuse, files of the rule


def marked(here: Worktree, stage: Stage, steps: Sequence[Step]) -> Sequence[Step]:
    """Return the steps, marked where what is built leaves a derived file stale.

    Each is judged as if the files of those before had been made anew, as their commands do.

    Raises:
        GitError: git could not read what the branches changed.
    """
    line = {
        step.commit: {os.fsencode(one.path) for one in step.refused}
        for step in steps
        if step.commit
    }
    if not line or not _declares_inputs(stage.scratch.top):
        return steps
    met: dict[str, list[Met]] = {}
    for commit, one in _met(here, stage, line):
        met.setdefault(commit, []).append(one)
    return [_marked(step, met.get(step.commit, [])) for step in steps]


def _declares_inputs(top: str) -> bool:
    try:
        return any(rule.inputs for rule in config.load(top).derived)
    except ConfigInvalid:  # nobody can regenerate by it: `check` tells
        return False


def _met(here: Worktree, stage: Stage, line: Mapping[str, set[bytes]]) -> Iterator[tuple[str, Met]]:
    from coord.check import derived, judge  # noqa: PLC0415  # 20 ms, for those that declare inputs
    from coord.check.textmerge import Merges  # noqa: PLC0415
    from coord.history.door import WHOLE, Door  # noqa: PLC0415
    from coord.history.revisions import Range  # noqa: PLC0415

    door = Door(stage.scratch.top, {**stage.scratch.env, **WHOLE, "GIT_NO_REPLACE_OBJECTS": "1"})
    asked = Range((stage.commit,), (stage.base,), "")
    with judge.reading(here, here.cwd, door, asked, lambda *_: None) as found:
        merges = Merges(door, found.blobs)
        for commit, fault, refused in derived.along(found.history, found.units, merges, line):
            made = next(unit.paths for unit in found.units if fault.path in unit.paths)
            yield (
                commit,
                (fault, refused, sorted(made, key=lambda path: (path != fault.path, path))),
            )


def _marked(step: Step, met: Sequence[Met]) -> Step:
    from coord.check import commands  # noqa: PLC0415  # loaded already, where there is something

    for fault, refused, made in met:
        path = os.fsdecode(fault.path)
        if refused:
            both = Artifact(path, "derived", fault.message)
            step = step._replace(outcome=REFUSED, refused=(*step.refused, both))
        else:
            one = Stale(path, fault.message, commands.regenerate_all(made))
            outcome = STALE if step.outcome == CLEAN else step.outcome
            step = step._replace(outcome=outcome, stale=(*step.stale, one))
    return step
