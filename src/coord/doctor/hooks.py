"""Which hooks git runs, from each worktree, and what keeps it from running ours."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base import command
from coord.base.names import quote
from coord.doctor import confighooks, probes
from coord.doctor.configured import in_order
from coord.doctor.findings import Finding, Verdict, verdict
from coord.installer import hookspath
from coord.installer.hookfile import EVENTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coord.doctor.facts import View
    from coord.doctor.probes import Hooks


def judge(views: Sequence[View], version: tuple[int, ...]) -> Verdict:
    """Judge the hooks of every worktree; `version` is git's."""
    probed = [(view, view.hooks) for view in views if view.hooks is not None]
    findings = [finding for view, found in probed for finding in _of(view, found, version)]
    return verdict("hooks", _right(probed), findings, _notes(probed))


def _of(view: View, found: Hooks, version: tuple[int, ...]) -> Iterator[Finding]:
    fatal = list(confighooks.fatal(view.config, version, view.folder))
    yield from fatal
    alive = {*probes.IN_FORCE, probes.SILENT} if fatal else probes.IN_FORCE
    dead = [event for event in EVENTS if found.states[event] not in alive]
    if dead:
        yield _dead(view, found, dead)


def _dead(view: View, found: Hooks, events: list[str]) -> Finding:
    """Return the finding about hooks of ours that git does not run in a worktree."""
    setting = _setting(view, found.folder)
    names = "no hook of ours" if len(events) == len(EVENTS) else f"not {' '.join(events)}"
    fault = hookspath.fault(setting) if setting.scope else None
    if setting.scope:
        where = f"{setting.scope} {hookspath.KEY} = {setting.value or '(empty)'} in {setting.file}"
        why = f"{where} {fault[0]}" if fault else f"{where} leads to {setting.folder}"
    else:
        states = dict.fromkeys(found.states[event] for event in events)
        why = f"what is in {setting.folder} {', '.join(states)}"
    return Finding("hooks-path", view.folder, f"git runs {names} here: {why}", _run(view, setting))


def _setting(view: View, folder: str) -> hookspath.Setting:
    """Return what git makes of ``core.hooksPath`` in a worktree, from what it reads there."""
    entry = view.config.last("core.hookspath")
    if entry is None:
        return hookspath.Setting(folder)
    top = os.path.realpath(view.folder)
    return hookspath.Setting(folder, entry.scope, entry.file, entry.value, top)


def _run(view: View, setting: hookspath.Setting) -> str:
    """Return the command that makes git run our hooks in a worktree."""
    if not setting.scope:
        return command.install()
    if setting.scope == "command":
        return "unset GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT"
    if setting.scope in hookspath.OWN and setting.relative and setting.value:
        return _relative(view, setting)
    if hookspath.fault(setting):
        return hookspath.way_out(setting, command.install())
    return f"cd {quote(view.folder)} && {command.install()}"


def _relative(view: View, setting: hookspath.Setting) -> str:
    """Return the command for a relative setting: each worktree has a folder of its own for it.

    `.git/hooks` and its like lead to the default folder in the main worktree, and in linked ones,
    where `.git` is a file, nowhere. Without any setting all find that folder.
    """
    if setting.value.startswith((".git/", "./.git/")):
        unset = f"git config --file {quote(setting.file)} --unset-all {hookspath.KEY}"
        return in_order([unset, command.install()])
    if hookspath.is_generated(setting.folder):
        return f"cd {quote(view.folder)} && {command.install(hookspath.BYPASS)}"
    made = [] if os.path.isdir(setting.folder) else [f"mkdir -p {quote(setting.folder)}"]
    return in_order([*made, f"cd {quote(view.folder)}", command.install()])


def _right(probed: Sequence[tuple[View, Hooks]]) -> str:
    if not probed:
        return ""
    fired = sum(found.fired for _, found in probed)
    where = f"each of {len(probed)} worktrees" if len(probed) > 1 else "the only worktree"
    return f"git runs all {len(EVENTS)} of ours from {where} (probes fired: {fired})"


def _notes(probed: Sequence[tuple[View, Hooks]]) -> Iterator[str]:
    """Yield what runs beside or above ours."""
    for _, found in probed:
        chained = [event for event, state in found.states.items() if state == probes.CHAINED]
        if chained:
            yield (
                f"{' '.join(chained)} in {found.folder}: another tool's hook runs ours (read, not "
                "fired: it would really do its work)"
            )
        if found.configured:
            yield f"git's config adds hooks before ours: {' '.join(found.configured)}"
