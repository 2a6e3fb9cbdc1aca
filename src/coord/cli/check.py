"""``check``: the rules of hooks and drivers, judged on commits that may have met neither."""

from __future__ import annotations

import math
import os
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from coord.base.errors import Usage
from coord.check import judge, snapshot
from coord.check.judge import Report
from coord.check.mend import told
from coord.cli import edge, show
from coord.history import revisions
from coord.history.door import Door
from coord.history.problem import counted, printed
from coord.repo import caller, git

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.check.edges import Tick
    from coord.check.subject import Subject
    from coord.history.problem import Problem
    from coord.repo.worktree import Worktree

_PATIENCE = 1.0  # seconds before progress is shown


@click.command()
@click.argument("words", required=False, metavar="[RANGE]")
@click.option("--tree", is_flag=True, help="Judge the tree and what is uncommitted, no history.")
@click.option("--mend", is_flag=True, help="Put back what logs and write-once files lost.")
@show.json_option
def check(words: str | None, *, tree: bool, mend: bool, as_json: bool) -> int:
    """Judge commits by the rules that hooks and drivers hold, and the tree they end in.

    RANGE is A..B, A...B, or a revision with all it reaches; by default what HEAD has and its
    upstream, or the default branch, has not. Exit 1 when a rule is broken. --mend commits what was
    lost on top of HEAD.
    """
    if tree and (mend or words is not None):
        raise Usage(
            "usage",
            "--tree takes no range, and mends nothing",
            where=words or "--mend",
            why="it judges what is there now; a range judges history, which is what can be mended",
            run="git coord check --tree",
        )
    here = edge.located()
    git.require_version(here.cwd)
    if mend:
        _mend(here, words, as_json=as_json)
        return 0
    report = _of_tree(here) if tree else _of_range(here, words)
    for note in report.notes:
        show.note(note)
    _print(report, as_json=as_json)
    return int(bool(report.problems))


def _of_tree(here: Worktree) -> Report:
    with snapshot.taken(here) as (door, asked):
        if asked is None:
            return Report()
        with judge.reading(here, os.getcwd(), door, asked, _progress()) as found:
            return snapshot.uncommitted(judge.judge(found), asked)


def _of_range(here: Worktree, words: str | None) -> Report:
    with _reading(here, words) as found:
        return judge.judge(found) if found else Report()


def _mend(here: Worktree, words: str | None, *, as_json: bool) -> None:
    with _reading(here, words) as found:
        done = judge.mend(found) if found else judge.Repair((), None)
    if as_json:
        paths = [printed(each.path) for each in done.mended]
        show.document({"mended": paths, "commit": done.commit})
        return
    for each in done.mended:
        show.line(told(each))
    show.line(f"committed as {done.commit[:12]}" if done.commit else "nothing to put back")


@contextmanager
def _reading(here: Worktree, words: str | None) -> Iterator[Subject | None]:
    """Read the range that was typed, or the default one; None on an unborn branch."""
    door = Door(here.cwd)
    asked = revisions.default(door) if words is None else revisions.resolve(door, words)
    if asked is None:
        yield None
        return
    with judge.reading(here, os.getcwd(), door, asked, _progress()) as found:
        yield found


def _progress() -> Tick:
    """Return what shows progress on a terminal, once it takes a while."""
    shown_from = time.monotonic() + _PATIENCE if sys.stderr.isatty() else math.inf

    def tick(what: str, done: int, total: int) -> None:
        if time.monotonic() > shown_from:
            end = "\n" if done == total else "\r"
            click.echo(f"coord: {done} of {total} {what}{end}", nl=False, err=True)

    return tick


def _print(report: Report, *, as_json: bool) -> None:
    problems = [replace(each, run=caller.placed(each.run)) for each in report.problems]
    if as_json:
        show.document(
            {
                "ok": not report.problems,
                "problems": [problem.document() for problem in problems],
                "commits": report.commits,
                "guarded": report.guarded,
                "notes": report.notes,
            }
        )
        return
    for problem in problems:
        show.line(_headline(problem))
        show.line(f"  run: {problem.run}")
    seen = f"{counted(report.commits, 'commit')}, {counted(report.guarded, 'guarded file')}"
    show.line(
        f"{counted(len(report.problems), 'problem')} in {seen}"
        if report.problems
        else f"ok: {seen}"
    )


def _headline(problem: Problem) -> str:
    where = f"{problem.path}: " if problem.path else ""
    commit = f" ({problem.commit[:12]})" if problem.commit else ""
    return f"{problem.rule}: {where}{problem.message}{commit}"
