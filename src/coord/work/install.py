"""``coord-install``: hooks, drivers and alias put into a clone, asked after, and taken out again.

``again`` is the command as typed, for "run it again": it is no verb of ``git coord``.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from coord.base import sharing
from coord.base.errors import CoordError
from coord.guard import refusal, trust
from coord.installer import (
    apply,
    authorship,
    configlock,
    hookspath,
    include,
    plan,
    report,
    survey,
    undo,
    worktrees,
)
from coord.repo import git
from coord.work import where

if TYPE_CHECKING:
    from coord.base.finding import Problem
    from coord.installer.report import Report
    from coord.installer.steps import Step
    from coord.repo.worktree import Worktree
    from coord.work.call import Call


def install(  # one a flag of the command
    call: Call, again: str, *, hooks: bool, pin_existing: bool, fleet: bool, trusting: bool
) -> Report:
    """Install, or bring an install up to date.

    Args:
        call: who calls.
        again: the command as typed.
        hooks: whether git's hooks are to be ours; otherwise the report says how to call them.
        pin_existing: pin every linked worktree there is.
        fleet: lay down the fleet's sections and ledgers.
        trusting: accept the producers that are declared, all of which are shown.

    Raises:
        Refused: another installer is at work, or something in the way is not ours to change.
        Environment: the git dir cannot be written.
    """
    found = survey.survey(_located(call), hooks=hooks, again=again, with_fleet=fleet)
    common = found.here.common_dir
    with apply.alone(common, again=again):
        steps = found.steps(again=again)
        consent = _consent(found, trusting=trusting)
        apply.apply(steps, common, again=again)
        try:
            trust.accept(common, consent.accepted)
            authorship.mend(found.here, found.rule)
            told = authorship.pin_existing if pin_existing else authorship.changes
            changes = told(found.here, found.rule)
        except OSError as error:
            raise apply.refused(error, common, again) from error
        _require_no_lock(common, again)
    _forget_ended(found.here)
    return report.installed(found, steps, changes, consent, done=True)


def _forget_ended(here: Worktree) -> None:
    """Drop what was refused in operations that have ended.

    A missing driver leaves a record that does not tell of which merge it is; it is installed again
    between that one's abort and the next, which a reftable, whose logs count seconds, may not tell.
    """
    homes = (here.common_dir, *sharing.private_dirs(here.common_dir))
    if any(os.path.isdir(os.path.join(home, refusal.FOLDER)) for home in homes):
        for there in worktrees.present(here):
            with suppress(CoordError):
                refusal.live(there, git.elsewhere())


def planned(  # as above
    call: Call, again: str, *, hooks: bool, pin_existing: bool, fleet: bool, trusting: bool
) -> Report:
    """Return what :func:`install` would do; touch nothing."""
    found = survey.survey(_located(call), hooks=hooks, again=again, with_fleet=fleet)
    changes = authorship.changes(found.here, found.rule)
    if pin_existing:
        changes = [replace(one, state="new") if one.state == "later" else one for one in changes]
    steps = found.steps(again=again)
    return report.installed(found, steps, changes, _consent(found, trusting=trusting), done=False)


def _consent(found: survey.Survey, *, trusting: bool) -> report.Consent:
    """Return what is accepted: all that is declared at the first install, afterwards on request.

    The command is printed in many places as a repair; pasting it is no consent to what a peer has
    put into a committed file since.
    """
    common = found.here.common_dir
    new = trust.unknown(common, [rule.regenerate for rule in found.declared.derived])
    if trusting or survey.read_manifest(common) is None:
        return report.Consent(tuple(new), ())
    return report.Consent((), tuple(new))


def uninstall(call: Call, again: str, *, purge: bool, dry_run: bool) -> Report:
    """Take everything out of the git dir again.

    Args:
        call: who calls.
        again: the command as typed.
        purge: drop pending refusals and claims, too.
        dry_run: say what would be done; touch nothing.

    Raises:
        Refused: another installer is at work, a refusal is pending, or a link stands in the way.
        Environment: the git dir cannot be written.
    """
    here = _located(call)
    common = here.common_dir
    survey.require_no_links(common, again=again)
    steps: list[Step] = []
    notes: list[str] = []
    if undo.has_traces(here):
        with apply.alone(common, again=again):
            if not purge:
                undo.require_settled(here, again=again)
            left = undo.left_behind(here) if purge else []
            steps, notes = undo.uninstall(here, hookspath.ask(here, call.environ).folder)
            notes += left
            apply.apply([] if dry_run else steps, common, again=again)
            _require_no_lock(common, again)
    else:
        _require_no_lock(common, again)
    return report.undone(here, steps, notes, done=not dry_run)


def checked(call: Call) -> list[Problem]:
    """Return what is not in force, asked of git in every worktree.

    Raises:
        CoordError: git fails, of something that is not among the problems.
    """
    from coord.doctor import examine, installation  # noqa: PLC0415  # no use to an install

    here = _located(call)
    problems = examine.basics(here, call.environ)
    try:
        problems += installation.check(here)
    except CoordError:
        if not problems:  # else git has failed of what is known already
            raise
    return problems


def _located(call: Call) -> Worktree:
    return worktrees.with_top(where.located(call))


def _require_no_lock(common: str, again: str) -> None:
    """Say when an installer that was killed has left git's config locked."""
    config = os.path.join(common, plan.CONFIG)
    configlock.require_none_of_ours(config, include.removed, again=again)
