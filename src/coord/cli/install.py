"""The entry of ``coord-install``."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, NoReturn

import click

import coord
from coord.base import command
from coord.base.errors import CoordError, Usage
from coord.cli import show
from coord.cli.main import answer
from coord.doctor import installation
from coord.guard import trust
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
from coord.repo import worktree

if TYPE_CHECKING:
    from types import FrameType

    from coord.installer.steps import Step
    from coord.installer.survey import Survey
    from coord.repo.worktree import Worktree


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", "versioned", is_flag=True, help="Show the version and exit.")
@click.option("--dry-run", is_flag=True, help="Print what would be done; touch nothing.")
@click.option("--check", "checking", is_flag=True, help="Ask git whether all is in force.")
@click.option("--uninstall", is_flag=True, help="Take everything out of the git dir again.")
@click.option("--purge", is_flag=True, help="With --uninstall: drop pending refusals and claims.")
@click.option("--no-hooks", is_flag=True, help="Install all but hooks; print how to call them.")
@click.option("--pin-existing", is_flag=True, help="Also pin every linked worktree there is.")
@click.option("--fleet", is_flag=True, help="Also lay down the fleet's sections and ledgers.")
@show.json_option
def main(
    *,
    versioned: bool,
    dry_run: bool,
    checking: bool,
    uninstall: bool,
    purge: bool,
    no_hooks: bool,
    pin_existing: bool,
    fleet: bool,
    as_json: bool,
) -> int:
    """Install hooks, merge drivers and the alias `git coord` into this repository."""
    if versioned:
        _tell_version(as_json=as_json)
        return 0
    chosen = {
        "--check": checking,
        "--uninstall": uninstall,
        "--no-hooks": no_hooks,
        "--pin-existing": pin_existing,
        "--fleet": fleet,
    }
    _require_one_job(chosen, purge=purge, dry_run=dry_run)
    again = command.install(*(flag for flag, given in chosen.items() if given))
    here = worktrees.with_top(worktree.discover(os.getcwd()))
    if checking:
        return _checked(here, as_json=as_json)
    if uninstall:
        return _uninstalled(here, again, purge=purge, dry_run=dry_run, as_json=as_json)
    found = survey.survey(here, hooks=not no_hooks, again=again, with_fleet=fleet)
    if dry_run:
        return _planned(found, again, pin_existing=pin_existing, as_json=as_json)
    return _installed(found, again, pin_existing=pin_existing, as_json=as_json)


def _tell_version(*, as_json: bool) -> None:
    if as_json:
        show.document({"version": coord.VERSION})
    else:
        show.line(f"{command.NAME} {coord.VERSION}")


def run() -> NoReturn:
    """Run ``coord-install`` and leave with its exit code."""
    # A lock file of git's must not outlive us: die by the way that cleans up.
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _leave)
    sys.exit(answer(main, sys.argv[1:], command.NAME))


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    sys.exit(128 + number)


def _require_one_job(chosen: dict[str, bool], *, purge: bool, dry_run: bool) -> None:
    """Insist on options that go together.

    Raises:
        Usage: they do not.
    """
    given = [flag for flag, is_given in chosen.items() if is_given]
    clash = len(given) > 1 and {"--check", "--uninstall"} & set(given)
    if clash or (purge and given != ["--uninstall"]) or (dry_run and given == ["--check"]):
        raise Usage(
            "usage",
            "options that do not go together",
            where=" ".join([*given, *(["--purge"] if purge else [])]),
            why="--check and --uninstall stand alone; --purge belongs to --uninstall",
            run=command.install("-h"),
        )


def _checked(here: Worktree, *, as_json: bool) -> int:
    from coord.doctor import examine  # noqa: PLC0415  # an install has no use for it

    problems = examine.basics(here, os.environ)
    try:
        problems += installation.check(here)
    except CoordError:
        if not problems:  # else git has failed of what is known already
            raise
    if as_json:
        show.document({"ok": not problems, "problems": [asdict(one) for one in problems]})
    for text in [] if as_json else report.checked(problems):
        show.line(text)
    return 1 if problems else 0


def _installed(found: Survey, again: str, *, pin_existing: bool, as_json: bool) -> int:
    common = found.here.common_dir
    with apply.alone(common, again=again):
        steps = found.steps(again=again)
        apply.apply(steps, common, again=again)
        try:
            trust.accept(common, [rule.regenerate for rule in found.declared.derived])
            authorship.mend(found.here, found.rule)
            told = authorship.pin_existing if pin_existing else authorship.changes
            changes = told(found.here, found.rule)
        except OSError as error:
            raise apply.refused(error, common, again) from error
        _require_no_lock(common, again)
    _tell(report.installed(found, steps, changes, done=True), as_json=as_json)
    return 0


def _planned(found: Survey, again: str, *, pin_existing: bool, as_json: bool) -> int:
    changes = authorship.changes(found.here, found.rule)
    if pin_existing:
        changes = [replace(one, state="new") if one.state == "later" else one for one in changes]
    _tell(report.installed(found, found.steps(again=again), changes, done=False), as_json=as_json)
    return 0


def _uninstalled(here: Worktree, again: str, *, purge: bool, dry_run: bool, as_json: bool) -> int:
    common = here.common_dir
    survey.require_no_links(common, again=again)
    steps: list[Step] = []
    notes: list[str] = []
    if undo.has_traces(here):
        with apply.alone(common, again=again):
            if not purge:
                undo.require_settled(here, again=again)
            steps, notes = undo.uninstall(here, hookspath.ask(here.cwd).folder)
            apply.apply([] if dry_run else steps, common, again=again)
            _require_no_lock(common, again)
    else:
        _require_no_lock(common, again)
    _tell(report.undone(here, steps, notes, done=not dry_run), as_json=as_json)
    return 0


def _require_no_lock(common: str, again: str) -> None:
    """Say when an installer that was killed has left git's config locked."""
    config = os.path.join(common, plan.CONFIG)
    configlock.require_none_of_ours(config, include.removed, again=again)


def _tell(told: report.Report, *, as_json: bool) -> None:
    if as_json:
        show.document(told.document)
        return
    for text in told.lines:
        show.line(text)
    for text in told.notes:
        show.note(text)
