"""What ``coord-install`` says: what was done, line by line, and what changes for whom."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import coord
from coord.base import command
from coord.base.names import shown
from coord.installer import authorship, hookfile, hooktools, steps
from coord.installer.steps import Drop, Keep, Leave, Move, Step, Write
from coord.repo import localremotes
from coord.settings import config

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coord.base.finding import Problem
    from coord.installer.authorship import Change
    from coord.installer.survey import Survey
    from coord.repo.worktree import Worktree


@dataclass(frozen=True)
class Report:
    """What was done, or would be.

    Attributes:
        state: ``installed``, ``uninstalled`` or ``planned``.
        steps: the steps, in their order.
        lines: the answer, for stdout.
        notes: remarks, for stderr.
        authors: what becomes of the author of each worktree.
        snippet: how to call the hooks that were not to be written; None where they were.
    """

    state: str
    steps: Sequence[Step]
    lines: list[str]
    notes: list[str]
    authors: Sequence[Change] = ()
    snippet: str | None = None


@dataclass(frozen=True)
class Consent:
    """Producers that are accepted by this run, and those declared ones that nobody has accepted."""

    accepted: tuple[str, ...]
    refused: tuple[str, ...]


def installed(
    found: Survey,
    plan: Sequence[Step],
    changes: Sequence[Change],
    consent: Consent,
    *,
    done: bool,
) -> Report:
    """Return what an install did, or would do."""
    common = found.here.common_dir
    lines = _grouped(plan, common)
    lines += [f"accept  {shown(text)}" for text in consent.accepted]
    lines += _told(found, changes, first=bool(plan))
    lines.append(_state(common, changed=bool(plan), done=done))
    notes = [*_notes(found), *_unrun(plan), *_unaccepted(consent), *_later(changes)]
    notes += found.laid.notes() if done else []
    snippet = None
    if found.wanted.hook_folder is None:
        snippet = hooktools.snippet(found.here.top)
        lines += snippet.splitlines()
    state = "installed" if done else "planned"
    return Report(state, plan, lines, notes, changes, snippet)


def undone(here: Worktree, plan: Sequence[Step], notes: list[str], *, done: bool) -> Report:
    """Return what an uninstall did, or would do."""
    lines = _grouped(plan, here.common_dir)
    if not plan:
        lines.append(f"nothing to do: git-coord is not in {here.common_dir}")
    else:
        lines.append(f"{'uninstalled from' if done else 'would uninstall from'} {here.common_dir}")
    return Report("uninstalled" if done else "planned", plan, lines, notes)


def checked(problems: Sequence[Problem]) -> Iterator[str]:
    """Yield the lines of a check."""
    if not problems:
        yield "ok: hooks, drivers, alias and authors are in force in every worktree"
    for problem in problems:
        yield f"{problem.rule}: {problem.message}: {problem.worktree}"
        yield f"  run: {problem.run}"


def _told(found: Survey, changes: Sequence[Change], *, first: bool) -> Iterator[str]:
    """Yield the lines about authors; a repeated install repeats only news."""
    yield from (change.line() for change in changes if first or change.state == "new")
    if first:
        before = authorship.unpinned(found.here)
        after = authorship.after(found.rule, "{actor}", before)
        yield f"author  new worktrees: {before or 'none set'} -> {after or 'none set'}"


def _state(common: str, *, changed: bool, done: bool) -> str:
    if not changed:
        return f"nothing to do: git-coord {coord.VERSION} is in {common}"
    verb = "installed" if done else "would install"
    return f"{verb} git-coord {coord.VERSION} in {common}"


def _notes(found: Survey) -> Iterator[str]:
    yield from hooktools.notes(found.here.top)
    yield from found.warnings()
    yield from localremotes.notes(found.here)
    yield from (key.told(config.FILE) for key in found.declared.unknown)


def _unrun(plan: Sequence[Step]) -> Iterator[str]:
    for step in plan:
        if isinstance(step, Keep) and not step.runs:
            yield _changed(step.path, step.beside)
        elif isinstance(step, Move) and hookfile.is_changed_copy(step.to):
            yield _changed(step.path, step.to)
        elif isinstance(step, Move) and hookfile.is_set_aside(step.to):
            yield f"{step.to} is kept, but not run: another tool was told to replace that hook"


def _changed(path: str, copy: str) -> str:
    own = path.removesuffix(hookfile.LEGACY).removesuffix(hookfile.OLD) + hookfile.PRIOR
    return (
        f"{copy} is our hook as somebody had changed it, kept and not run; lines of your own go "
        f"into an executable {own}, which ours runs first"
    )


def _unaccepted(consent: Consent) -> Iterator[str]:
    for text in consent.refused:
        again = command.install("--trust")
        yield f"not accepted in this clone, and not run: {shown(text)} (read it, then {again})"


def _later(changes: Sequence[Change]) -> Iterator[str]:
    if any(change.state == "later" for change in changes):
        again = command.install("--pin-existing")
        yield f"pin the worktrees there are right now with {again}"


def _grouped(plan: Sequence[Step], common: str) -> list[str]:
    """Return one line a step; files written into, or deleted from, one folder share a line."""
    lines = []
    for key, group in groupby(plan, key=_kind_and_folder):
        same = list(group)
        if key is None or len(same) == 1:
            lines += [steps.described(step, common) for step in same]
            continue
        verb, folder = key
        names = " ".join(os.path.basename(step.path) for step in same)
        lines.append(f"{verb}  {steps.near(folder, common)}/: {names}")
    return lines


def _kind_and_folder(step: Step) -> tuple[str, str] | None:
    verb = {Write: "write ", Drop: "delete", Leave: "delete"}.get(type(step))
    return (verb, os.path.dirname(step.path)) if verb else None
