"""A diagnosis as one screen of text. Pure."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import coord
from coord.base.columns import aligned
from coord.doctor import pinned, probes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coord.doctor.examine import Diagnosis
    from coord.doctor.facts import View
    from coord.doctor.findings import Finding

_ROWS = 12  # worktrees
_GROUPS = 12  # findings
_NAMED = 3  # worktrees of one finding


def lines(found: Diagnosis) -> Iterator[str]:
    """Yield the lines of the screen: the worktrees, what is right, remarks, findings."""
    version = ".".join(map(str, found.git))
    yield f"git-coord {coord.VERSION}, git {version}: {found.here.common_dir}"
    yield ""
    yield from _table(found)
    yield ""
    for verdict in found.verdicts:
        if verdict.right and not verdict.findings:
            yield f"ok    {verdict.subject:<9} {verdict.right}"
    for verdict in found.verdicts:
        for note in verdict.notes:
            yield f"note  {verdict.subject:<9} {note}"
    yield ""
    groups = grouped(found.findings)
    for group in groups[:_GROUPS]:
        yield from _finding(group)
    if len(groups) > _GROUPS:
        yield f"and {len(groups) - _GROUPS} more: git coord doctor --json"
    yield _sum(groups)


def grouped(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Return the findings, those of one rule that one command mends together."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.rule, finding.run), []).append(finding)
    return list(groups.values())


def _finding(group: Sequence[Finding]) -> Iterator[str]:
    first = group[0]
    folders = list(dict.fromkeys(finding.worktree for finding in group))
    messages = list(dict.fromkeys(finding.message for finding in group))
    more = len(folders) - _NAMED
    where = " ".join(folders[:_NAMED]) + (f" and {more} more" if more > 0 else "")
    count = f"{len(folders)} worktrees: " if more > 0 else ""
    others = f" (and {len(messages) - 1} more like it)" if len(messages) > 1 else ""
    yield f"{first.rule}: {count}{first.message}{others}: {where}"
    yield f"  run: {first.run}"


def _sum(groups: Sequence[Sequence[Finding]]) -> str:
    if not groups:
        return "nothing is wrong"
    return f"{len(groups)} thing{'s' if len(groups) > 1 else ''} to mend"


def _table(found: Diagnosis) -> Iterator[str]:
    """Yield who works where, what they are pinned as, and how many of our hooks git runs there."""
    wrong = {finding.worktree for finding in found.findings}
    # The ones with a finding first, where there are too many for one screen.
    views = sorted(found.views, key=lambda view: view.folder not in wrong)
    views = list(found.views) if len(views) <= _ROWS else views[:_ROWS]
    rows = [("WORKTREE", "BRANCH", "WHO", "HOOKS", "AUTHOR"), *map(_row, views)]
    yield from ("  ".join(cells).rstrip() for cells in aligned(rows))
    if len(found.views) > _ROWS:
        yield f"and {len(found.views) - _ROWS} more worktrees"


def _row(view: View) -> tuple[str, str, str, str, str]:
    heard, asked = _hooks(view)
    hooks = f"{len(heard)}/{len(asked)}" if asked else "-"
    branch = "(bare)" if view.bare else view.branch or "(detached)"
    author = view.author if view.pin is None or not _follows(view) else "as pinned"
    return (_near(view.folder), branch, _who(view), hooks, author or "-")


def _near(folder: str) -> str:
    home = os.path.expanduser("~")
    return "~" + folder.removeprefix(home) if folder.startswith(home + os.sep) else folder


def _follows(view: View) -> bool:
    return view.pin is not None and view.author == f"{view.pin.name} <{view.pin.email}>"


def _who(view: View) -> str:
    if view.pin is not None:
        return view.pin.actor
    if view.pin_broken:
        return "(broken pin)"
    if view.fault or (view.away and view.here.linked):
        return "(broken)" if view.fault else "(gone)"
    return "(unpinned)" if pinned.is_unpinned(view) else "(its user)"


def _hooks(view: View) -> tuple[list[str], list[str]]:
    states = view.hooks.states if view.hooks else {}
    return [event for event, state in states.items() if state in probes.IN_FORCE], list(states)
