"""``regenerate`` and ``resolve``: the ways out of a refused merge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from coord.base.errors import Usage
from coord.cli import edge, show
from coord.documents import settle as documents
from coord.settle.resolve import TAKES
from coord.work import regenerate as regenerating
from coord.work import resolve as resolving

if TYPE_CHECKING:
    from coord.settle.regenerate import Made
    from coord.settle.sides import Sides


@click.command()
@click.argument("words", nargs=-1, metavar="[PATH]...")
@click.option("--all", "everything", is_flag=True, help="All that is refused (the default).")
@click.option("--dry-run", is_flag=True, help="Show the producers without running them.")
@click.option("--trust", "trusting", is_flag=True, help="Accept these producers in this clone.")
@show.json_option
@click.pass_obj
def regenerate(
    asked: str | None,
    *,
    words: tuple[str, ...],
    everything: bool,
    dry_run: bool,
    trusting: bool,
    as_json: bool,
) -> None:
    """Run the producers of refused derived files, stage the results, settle the refusals.

    A PATH that is not refused is regenerated and staged as well. Each producer runs once, at the
    top level, its output on stderr.
    """
    if words and everything:
        raise Usage(
            "usage",
            "--all and a PATH exclude each other",
            where="git coord regenerate",
            why="--all takes every refused file",
            run="git coord regenerate --all",
        )
    said = {"--all": everything, "--dry-run": dry_run, "--trust": trusting}
    call = edge.call(asked, "regenerate", words, said)
    done = regenerating.regenerate(call, words, dry_run=dry_run, trusting=trusting)
    if as_json:
        show.document(documents.regenerated(done, dry_run=dry_run))
        return
    for path in done.plan.paths:
        show.line(f"{_done(path, done.made)} {path}")
    if not done.plan.jobs:
        show.line("nothing to regenerate: no derived file is refused here")


@click.command()
@click.argument("path")
@click.option("--take", type=click.Choice(TAKES), required=True, help="What to keep.")
@click.option("--reason", required=True, metavar="TEXT", help="Why; the commit will say it.")
@show.json_option
@click.pass_obj
def resolve(asked: str | None, *, path: str, take: str, reason: str, as_json: bool) -> None:
    """Settle a guarded PATH by hand: stage what was chosen, with a reason.

    ours is the commit that is built on (in a rebase: the new base), theirs what is brought in, both
    all records of a log; worktree the file as it stands, also after an edit of history on purpose.
    """
    call = edge.call(asked, "resolve", [path], {"--take": take, "--reason": reason})
    done = resolving.resolve(call, path, take, reason)
    if as_json:
        show.document(documents.resolved(done))
        return
    state = "staged" if done.blob else "removed"
    show.line(f"{done.case.path}: {state}, {_taken(take, done.met)}")
    show.note(f"the commit will say: {done.reason}")


def _done(path: str, made: Made | None) -> str:
    if made is None:
        return "would regenerate"
    if path in made.unchanged:
        return "unchanged, and staged as HEAD has it:"
    return "regenerated and staged"


def _taken(take: str, met: Sides | None) -> str:
    if met is None:
        return "as it stands"
    chosen = {"ours": met.ours, "theirs": met.theirs}
    if take in chosen:
        return f"as {chosen[take]} has it"
    return f"{'joined from' if take == 'both' else 'by hand, from'} {met.ours} and {met.theirs}"
