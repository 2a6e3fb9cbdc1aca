"""``id``: identifiers that no two claimants share, across branches, worktrees and clones."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from coord.base.cquote import c_quoted
from coord.base.errors import CoordError, Environment
from coord.base.names import quote
from coord.board import chosen
from coord.cli import edge, show
from coord.guard import guarded
from coord.history.problem import counted
from coord.identity import pin, whoami
from coord.ids import claim as claims
from coord.ids import files, listing, namespaces, renumber, series, taken
from coord.repo import git
from coord.settle import index
from coord.work import where

if TYPE_CHECKING:
    from coord.ids.claim import Claim
    from coord.settle.index import Spot


@click.group()
def id() -> None:  # noqa: A001  # the verb's name
    """Number things so that no two of them are one, in any branch, worktree or clone."""


@id.command(name="next")
@click.argument("namespace")
@show.json_option
@click.pass_obj
def next_(asked: str | None, *, namespace: str, as_json: bool) -> None:
    """Take the next free identifier of NAMESPACE, and write and stage its file."""
    namespaces.require_namespace(namespace)
    spot, mine = _seat(asked, f"id next {quote(namespace)}", namespace)
    counted_in = series.of_namespace(spot.top, namespace)
    spot.require_inside(counted_in.path("x"))
    files.require_folder(spot, counted_in.path("x"))
    text = series.take(chosen.board_of(spot.here.common_dir), spot.here, counted_in, mine)
    path = counted_in.path(text)
    files.write(spot, path, mine._replace(id=text).text())
    _stage(spot, path)
    if as_json:
        show.document({"namespace": namespace, "id": text, "path": path})
        return
    show.line(text)


@id.command(name="list")
@click.argument("namespace", required=False)
@show.json_option
def list_(*, namespace: str | None, as_json: bool) -> None:
    """Show the identifiers of every branch and worktree, and those that are only reserved."""
    if namespace is not None:
        namespaces.require_namespace(namespace)
    here = edge.located()
    rows = listing.rows(here, chosen.board_of(here.common_dir), namespace)
    if as_json:
        show.document({"ids": [row.document() for row in rows]})
        return
    show.lines(listing.lines(rows))


@id.command()
@show.json_option
def check(*, as_json: bool) -> int:
    """Prove that no identifier of this clone has two claimants; exit 1 when one has."""
    here = edge.located()
    report = taken.judge(here)
    if as_json:
        problems = [problem.document() for problem in report.problems]
        show.document({"ok": not problems, "problems": problems, "ids": report.ids})
        return int(bool(problems))
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

    PATH is a write-once file: tracked as such, or below coordination/ids.
    In a merge the younger claim moves, or this branch's where they bear no dates; in a rebase or
    pick the one that is brought in. Without a conflict: the claim that a merge has dropped, else
    this branch's.
    """
    spot, mine = _seat(asked, f"id renumber {quote(path)}", "")
    done = renumber.carry_out(spot, path, chosen.board_of(spot.here.common_dir), mine)
    if as_json:
        show.document(
            {
                "path": done.path,
                "kept": done.kept,
                "id": done.id,
                "new_path": done.new_path,
                "moved": done.moved,
            }
        )
        return
    show.line(f"{done.moved} has {c_quoted(done.new_path)} now")
    show.line(f"{c_quoted(done.path)} {f'is {done.kept}’s' if done.kept else 'is free of it'}")
    show.note("both are staged; commit them")


def _seat(asked: str | None, verb: str, namespace: str) -> tuple[Spot, Claim]:
    """Return where the user stands, and a claim of theirs that has no number yet."""
    call = edge.call(asked, verb)
    here = where.located(call)
    where.lazily_pin(call, here)
    me = whoami.resolve(here, asked)
    whoami.require_consistent(me, here, verb)
    spot = index.spot(here, call.cwd, verb)
    nonce = os.urandom(8).hex()
    return spot, claims.Claim("", namespace, me.actor, me.instance or "", nonce, pin.now())


def _stage(spot: Spot, path: str) -> None:
    """Stage a claim, so that the next commit takes it along; say what is left to do."""
    try:
        files.stage(spot, path)
    except CoordError as error:
        force = git.ask("check-ignore", "-q", "--", path, cwd=spot.top).code == 0
        unstaged = Environment(
            "not-staged",
            "the claim is written, but git did not stage it",
            where=path,
            why=error.why,
            run=f"git add {'-f ' if force else ''}{spot.typed(path)}",
        )
        click.echo(unstaged.lines(), nl=False, err=True)
        return
    show.note(f"wrote {path} and staged it: the next commit takes it along")
    if guarded.kinds(spot.here, [path]).get(path) != "once":
        pattern = quote(f"{claims.FOLDER}/**")
        show.note(f"two branches could claim one: git coord track once {pattern}")
