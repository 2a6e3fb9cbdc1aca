"""``regenerate``: the producers of refused derived files run, as far as this clone trusts them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import Refused
from coord.guard import trust
from coord.installer.apply import alone
from coord.settle import index
from coord.settle import regenerate as regenerating
from coord.work import where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.repo.worktree import Worktree
    from coord.settle.regenerate import Made, Plan
    from coord.work.call import Call


class Regenerated(NamedTuple):
    """What there was to regenerate, what was made of it (None: nothing ran), whom nobody trusts."""

    plan: Plan
    made: Made | None
    untrusted: frozenset[str]


def regenerate(
    call: Call, words: Sequence[str] = (), *, dry_run: bool = False, trusting: bool = False
) -> Regenerated:
    """Regenerate, stage and settle the files `words` name, or all that are refused.

    Args:
        call: who calls; told of each producer before it runs.
        words: paths as typed.
        dry_run: run nothing.
        trusting: accept these producers in this clone.

    Raises:
        Usage: a path that nothing is known of.
        Refused: a path has no producer, one is not accepted or failed, or an input is unmerged.
        Environment: there is no working tree, or ``.coord.toml`` cannot be used.
        GitError: git could not stage what they made.
    """
    here = where.located(call)
    where.lazily_pin(call, here)
    plan = regenerating.plan(index.spot(here, call.cwd, "regenerate"), words)
    _announce(call, plan)
    if not dry_run:
        _require_trust(call, plan, named=bool(words), trusting=trusting)
    made = None if dry_run or not plan.jobs else regenerating.carry_out(plan)
    return Regenerated(plan, made, frozenset(job.text for job in plan.untrusted()))


def _announce(call: Call, plan: Plan) -> None:
    """Say what will run before it runs."""
    for job in plan.jobs:
        first, *more = job.paths
        others = f" (and {len(more)} more)" if more else ""
        call.note(f"{first}{others} is made by: {job.command}")
    if plan.conflicts:
        call.note(
            f"still unmerged: {', '.join(plan.conflicts)}; if it is made from these, resolve them "
            "first (inputs = [...] in .coord.toml lets this be checked)"
        )


def _require_trust(call: Call, plan: Plan, *, named: bool, trusting: bool) -> None:
    """Accept new producers, or refuse to run them.

    Raises:
        Refused: this clone has not accepted one of them, and the user did not either.
    """
    foreign = plan.untrusted()
    if not foreign:
        return
    if trusting:
        _accept(call, plan.spot.here, [job.text for job in foreign])
        return
    paths = f" {plan.spot.typed(*plan.paths)}" if named else ""
    raise Refused(
        "producer-untrusted",
        "a producer that this clone has not accepted",
        where=", ".join(path for job in foreign for path in job.paths),
        why="it comes from a committed file and would run with your rights: "
        + "; ".join(job.text for job in foreign),
        run=f"git coord regenerate --trust{paths}",
    )


def _accept(call: Call, here: Worktree, texts: Sequence[str]) -> None:
    """Accept producers for good, or this once where nothing may be written beside the hooks."""
    if not here.installed:
        return
    try:
        with alone(here.common_dir, again="git coord regenerate --trust"):
            trust.accept(here.common_dir, texts)
    except OSError as error:
        call.note(f"accepted this once: {error.strerror}: hooks/coord")
