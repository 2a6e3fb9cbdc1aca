"""``id``: identifiers that no two claimants share, across branches, worktrees and clones."""

from __future__ import annotations

import gc

import click

from coord.base.cquote import c_quoted
from coord.cli import edge, show
from coord.documents import ids as documents
from coord.history.problem import counted
from coord.ids import listing, taken
from coord.work import ids, where


@click.group()
def id() -> None:  # noqa: A001  # the verb's name
    """Number things so that no two of them are one, in any branch, worktree or clone."""


@id.command(name="next")
@click.argument("namespace")
@show.json_option
@click.pass_obj
def next_(asked: str | None, *, namespace: str, as_json: bool) -> None:
    """Take the next free identifier of NAMESPACE, and write and stage its file."""
    done = ids.take(edge.call(asked, "id next", [namespace]), namespace)
    if done.unstaged is not None:
        show.refusal(done.unstaged)
    if as_json:
        show.document(documents.numbered(done))
        return
    show.line(done.id)


@id.command(name="list", short_help="Show all identifiers, also those only reserved.")
@click.argument("namespace", required=False)
@show.json_option
def list_(*, namespace: str | None, as_json: bool) -> None:
    """Show the identifiers of every branch and worktree, and those that are only reserved."""
    gc.disable()  # as for the board: all that is read here is kept to the end
    rows = ids.listed(edge.call(None, "id list", [namespace] if namespace else []), namespace)
    if as_json:
        show.document(documents.listing(rows))
        return
    show.lines(listing.lines(rows))


@id.command(short_help="Prove that no identifier has two claimants.")
@show.json_option
def check(*, as_json: bool) -> int:
    """Prove that no identifier of this clone has two claimants; exit 1 when one has."""
    gc.disable()
    report = taken.judge(where.located(edge.call(None, "id check")))
    if as_json:
        show.document(documents.checked(report))
        return int(bool(report.problems))
    for problem in report.problems:
        show.line(f"{problem.rule}: {problem.path}: {problem.message}")
        show.line(f"  run: {problem.run}")
    plural = "" if report.sources == 1 else "es"
    seen = f"{counted(report.ids, 'identifier')} in {report.sources} branch{plural}"
    bad = len(report.problems)
    show.line(f"{counted(bad, 'problem')} in {seen}" if bad else f"ok: {seen}")
    return int(bool(bad))


@id.command(name="renumber")
@click.argument("path")
@show.json_option
@click.pass_obj
def renumber_(asked: str | None, *, path: str, as_json: bool) -> None:
    """Give one of two claims of PATH a number of its own; the other keeps PATH.

    PATH is a write-once file. In a merge the younger claim moves; in a rebase or pick the one that
    is brought in; without a conflict the one that a merge has dropped, else this branch's.
    """
    done = ids.renumber(edge.call(asked, "id renumber", [path]), path)
    if as_json:
        show.document(documents.renumbered(done))
        return
    show.line(f"{done.moved} has {c_quoted(done.new_path)} now")
    show.line(f"{c_quoted(done.path)} {f'is {done.kept}’s' if done.kept else 'is free of it'}")
    show.note("both are staged; commit them")
