"""``regenerate`` and ``resolve``: the ways out of a refused merge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from coord.base.errors import Refused, Usage
from coord.cli import edge, show
from coord.guard import trust
from coord.installer.apply import alone
from coord.settle import index, sides
from coord.settle import regenerate as regenerating
from coord.settle import resolve as resolving
from coord.work import where

if TYPE_CHECKING:
    from coord.repo.worktree import Worktree
    from coord.settle.index import Spot
    from coord.settle.regenerate import Made, Plan


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
    spot = _spot(asked, "regenerate")
    plan = regenerating.plan(spot, words)
    _show(plan)
    if not dry_run:
        _require_trust(plan, words, trusting=trusting)
    made = None if dry_run or not plan.jobs else regenerating.carry_out(plan)
    if as_json:
        show.document({"dry_run": dry_run, "regenerated": _listing(plan, made)})
        return
    for path in plan.paths:
        show.line(f"{_done(path, made)} {path}")
    if not plan.jobs:
        show.line("nothing to regenerate: no derived file is refused here")


@click.command()
@click.argument("path")
@click.option("--take", type=click.Choice(resolving.TAKES), required=True, help="What to keep.")
@click.option("--reason", required=True, metavar="TEXT", help="Why; the commit will say it.")
@show.json_option
@click.pass_obj
def resolve(asked: str | None, *, path: str, take: str, reason: str, as_json: bool) -> None:
    """Settle a guarded PATH by hand: stage what was chosen, with a reason.

    ours is the commit that is built on (in a rebase: the new base), theirs what is brought in, both
    all records of a log; worktree the file as it stands, also after an edit of history on purpose.
    """
    why = " ".join(reason.split())
    if not why:
        raise Usage(
            "usage",
            "--reason is empty",
            where="git coord resolve",
            why="the commit bears it, for whoever wonders later",
            run="git coord resolve --help",
        )
    spot = _spot(asked, "resolve")
    case = resolving.case(spot, path)
    met = sides.labels(spot.here) if case.is_conflict else None
    blob = resolving.settle(case, take, why)
    if as_json:
        show.document(
            {
                "path": case.path,
                "kind": case.kind,
                "take": take,
                "blob": blob or None,
                "reason": why,
                "ours": met.ours if met else None,
                "theirs": met.theirs if met else None,
            }
        )
        return
    show.line(f"{case.path}: {'staged' if blob else 'removed'}, {_taken(take, met)}")
    show.note(f"the commit will say: {why}")


def _spot(asked: str | None, verb: str) -> Spot:
    call = edge.call(asked, verb)
    here = where.located(call)
    where.lazily_pin(call, here)
    return index.spot(here, call.cwd, verb)


def _show(plan: Plan) -> None:
    """Show what will run before it runs."""
    for job in plan.jobs:
        first, *more = job.paths
        others = f" (and {len(more)} more)" if more else ""
        show.note(f"{first}{others} is made by: {job.command}")
    if plan.conflicts:
        show.note(
            f"still unmerged: {', '.join(plan.conflicts)}; if it is made from these, resolve them "
            "first (inputs = [...] in .coord.toml lets this be checked)"
        )


def _require_trust(plan: Plan, words: tuple[str, ...], *, trusting: bool) -> None:
    """Accept new producers, or refuse to run them.

    Raises:
        Refused: this clone has not accepted one of them, and the user did not either.
    """
    foreign = plan.untrusted()
    if not foreign:
        return
    if trusting:
        _accept(plan.spot.here, [job.text for job in foreign])
        return
    named = f" {plan.spot.typed(*plan.paths)}" if words else ""
    raise Refused(
        "producer-untrusted",
        "a producer that this clone has not accepted",
        where=", ".join(path for job in foreign for path in job.paths),
        why="it comes from a committed file and would run with your rights: "
        + "; ".join(job.text for job in foreign),
        run=f"git coord regenerate --trust{named}",
    )


def _accept(here: Worktree, texts: list[str]) -> None:
    """Accept producers for good, or this once where nothing may be written beside the hooks."""
    if not here.installed:
        return
    try:
        with alone(here.common_dir, again="git coord regenerate --trust"):
            trust.accept(here.common_dir, texts)
    except OSError as error:
        show.note(f"accepted this once: {error.strerror}: hooks/coord")


def _done(path: str, made: Made | None) -> str:
    if made is None:
        return "would regenerate"
    if path in made.unchanged:
        return "unchanged, and staged as HEAD has it:"
    return "regenerated and staged"


def _listing(plan: Plan, made: Made | None) -> list[dict[str, object]]:
    foreign = {job.text for job in plan.untrusted()}
    return [
        {
            "path": path,
            "command": job.command,
            "refused": path in plan.records,
            "trusted": job.text not in foreign,
            "blob": made.blobs[path] if made else None,
            **({"unchanged": path in made.unchanged} if made else {}),
        }
        for job in plan.jobs
        for path in job.paths
    ]


def _taken(take: str, met: sides.Sides | None) -> str:
    if met is None:
        return "as it stands"
    chosen = {"ours": met.ours, "theirs": met.theirs}
    if take in chosen:
        return f"as {chosen[take]} has it"
    return f"{'joined from' if take == 'both' else 'by hand, from'} {met.ours} and {met.theirs}"
