"""What several verbs answer: how claims stand, what became of an offer, which paths meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.names import quote
from coord.board import view
from coord.cli import show
from coord.work import lost

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coord.board.events import State
    from coord.overlap.pathspecs import Meeting
    from coord.work.claim import Claim, Claims
    from coord.work.leaving import Given


def claims(made: Claims, *, as_json: bool) -> None:
    """Print how claims stand."""
    if as_json:
        from coord.documents import claims as documents  # noqa: PLC0415  # scripts pay for it

        show.document(documents.document(made))
        return
    for one in made.made:
        _claim(made, one)


def _claim(made: Claims, one: Claim) -> None:
    scope, state, holder = one.scope, one.state, one.state.line[0]
    mine = view.claimant(state, one.place, made.roll)
    if mine.state == "held":
        show.line(f"{scope} is yours, generation {state.generation}")
        return
    gone = lost.found(scope, holder, made.roll, state.generation, made.worker.branch)
    by = f"{view.told(holder, made.roll)}{gone.words if gone else ''}"
    number = mine.number or len(state.line)
    is_order = view.orders_merges(scope, state.line)
    end = " in the order of merging" if is_order else ", and do not hold it yet"
    show.line(f"{scope} is held by {by}; you are number {number}{end}")
    if is_order:
        show.note(_go_on(one))
    if holder.instance != made.worker.instance:
        _pause(scope, state)
        if not is_order and not (gone and gone.surely):
            show.note(f"to wait for it: git coord wait {quote(scope)}; claim --wait does both")
        if gone is not None and (gone.surely or not is_order):
            show.note(gone.offer)
    elif made.roll.is_finished(holder):
        show.note(f"that is your claim for {holder.branch}, until the branch has landed")


def _go_on(one: Claim) -> str:
    """Return what a place in the line for an artifact means to whoever has it."""
    before = one.state.line[one.state.line.index(one.place) - 1]
    after = before.branch or f"what {before.actor} does"
    return f"go on, nobody has to wait for {one.scope}: your branch is merged after {after}"


def _pause(scope: str, state: State) -> None:
    """Say that nobody is at work on a scope, and why, in its holder's words."""
    if state.paused_at is None:
        return
    show.note(f"{state.line[0].actor} has paused {scope} since {state.paused_at[:19]}Z")
    for line in state.paused_why.split("\n") if state.paused_why else ():
        show.quoted(line)


def ended_offers(given: Given) -> None:
    """Say which offers ended with what was given up."""
    for offer in given.offers:
        show.note(f"the offer of {given.scope} to {offer.name} ended with it")


def overlaps(made: Claims, met: Iterable[Meeting]) -> None:
    """Say, as commentary, where declared paths meet."""
    from coord.overlap import text  # noqa: PLC0415  # most claims declare no paths

    for line in text.told(met, made.worker.instance):
        show.note(line)
