"""``check``: the rules of hooks and drivers, judged on commits that may have met neither."""

from __future__ import annotations

import gc
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from coord.base.errors import Usage
from coord.check.mend import told
from coord.cli import annotated, edge, outfile, progress, show
from coord.documents import check as documents
from coord.history.problem import counted
from coord.repo import caller
from coord.work import check as checking

if TYPE_CHECKING:
    from coord.check.judge import Repair, Report
    from coord.history.problem import Problem


@click.command()
@click.argument("words", required=False, metavar="[RANGE]")
@click.option("--tree", is_flag=True, help="Judge the tree and what is uncommitted, no history.")
@click.option("--mend", is_flag=True, help="Put back what logs and write-once files lost.")
@click.option("--github", is_flag=True, help="Print annotations for GitHub Actions as well.")
@click.option("--gitlab", metavar="FILE", help="Write a code quality report for GitLab as well.")
@show.json_option
def check(
    words: str | None, *, tree: bool, mend: bool, github: bool, gitlab: str | None, as_json: bool
) -> int:
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
    gc.disable()  # trees of documents hold no cycles; looking for some takes half the time
    options = {"--tree": tree, "--mend": mend}
    call = edge.call(None, "check", [] if words is None else [words], options)
    file = (
        None
        if gitlab is None
        else outfile.require(
            call.cwd, gitlab, f"git coord {call.words}", "--gitlab gl-code-quality-report.json"
        )
    )
    if mend:  # it commits, and the user's hooks may have something to say
        _print_mended(checking.mend(call, words, progress.uncounted), as_json=as_json)
        return 0
    with progress.going("checking") as tick:
        report = checking.of_tree(call, tick) if tree else checking.of_range(call, words, tick)
    for note in report.notes:
        show.note(note)
    report = replace(report, problems=tuple(map(_placed, report.problems)))
    _print(report, as_json=as_json)
    if github:
        click.echo("\n".join(annotated.github(report.problems)), err=True)  # stdout is the answer
    if file is not None:
        outfile.write(file, annotated.gitlab(report.problems).encode())
    return int(bool(report.problems))


def _print_mended(done: Repair, *, as_json: bool) -> None:
    if as_json:
        show.document(documents.mended(done))
        return
    for each in done.mended:
        show.line(told(each))
    show.line(f"committed as {done.commit[:12]}" if done.commit else "nothing to put back")


def _placed(problem: Problem) -> Problem:
    return replace(problem, run=caller.placed(problem.run))


def _print(report: Report, *, as_json: bool) -> None:
    if as_json:
        show.document(documents.checked(report))
        return
    for problem in report.problems:
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
