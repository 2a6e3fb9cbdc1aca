"""``sign-off``: the clean end of a session, refused where it could end somebody else's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from coord.base.names import quote
from coord.board import beats, chosen, done
from coord.board import claims as board
from coord.cli import answer, edge, show, who
from coord.guard import refusal
from coord.identity import whoami
from coord.repo import git, worktree
from coord.work import arrive, leaving, uncommitted, where

if TYPE_CHECKING:
    from collections.abc import Collection

    from coord.board.line import Event
    from coord.board.offer import Offer
    from coord.board.roll import Roll
    from coord.identity.whoami import Identity
    from coord.repo.worktree import Worktree
    from coord.work.arrive import Worker
    from coord.work.call import Call
    from coord.work.leaving import Given


@click.command()
@show.json_option
@click.pass_obj
def sign_off(asked: str | None, *, as_json: bool) -> None:
    """End your session here: check that it is yours, and say what is left behind."""
    call = edge.call(asked, "sign-off")
    here = where.located(call)
    worktree.refuse_leaked(here, call.cwd, call.words, call.environ)
    me = whoami.resolve(here, asked, call.environ)
    whoami.require_certain(me, here, "sign-off")
    who.warn_of_author(here)
    live = refusal.live(here, git.elsewhere())
    pending = sorted(
        {record.path for record, facts in live if not refusal.is_settled(record, facts)}
    )
    dirty = uncommitted.paths(here)
    released, kept, offered = _left(call, here, me)
    if as_json:
        show.document(
            {
                "actor": me.actor,
                "instance": me.instance,
                "pending": pending,
                "changed": dirty,
                "released": [leaving.document(one) for one in released],
                "kept": kept,
                "offered": [
                    {"scope": scope, **offer}
                    for scope, offers in offered.items()
                    for offer in leaving.offer_documents(offers)
                ],
            }
        )
        return
    show.line(f"{me.actor} signed off from {here.cwd}")
    for one in released:
        heir = one.state.holder
        show.line(f"released: {one.scope}{f', now held by {heir.actor}' if heir else ''}")
        answer.ended_offers(one)
    for scope in kept:
        show.line(_why_kept(scope, offered.get(scope, ())))
    for path in pending:
        show.line(f"still refused: {path}")
    if dirty:
        show.line(f"not committed: {len(dirty)} path{'s' if len(dirty) > 1 else ''}")


def _why_kept(scope: str, offers: Collection[Offer]) -> str:
    if not offers:
        return f"kept until its branch lands: {scope}"
    names = " and ".join(offer.name for offer in offers)
    return f"kept: {scope} is offered to {names}; git coord release {quote(scope)} gives it up"


def _left(
    call: Call, here: Worktree, me: Identity
) -> tuple[list[Given], list[str], dict[str, tuple[Offer, ...]]]:
    """Release what the worker holds and waits for, then take back its signs of life.

    What it claimed for a branch that it has finished stays until that lands, and what it offers
    to somebody until that is taken up.

    Returns:
        What was released, the scopes kept, and the offers that stand on some of these.
    """
    worker = arrive.Worker(here, me, chosen.board_of(here.common_dir), call.watch, [])
    tops = list(board.tops(worker.store)) if me.instance else []
    roll, moves, released = worker.roll(), leaving.own_moves(worker), []
    offered = {event.scope: found for event in tops if (found := _offered(worker, roll, event))}
    finished = done.finished_by(tops, worker.instance)
    mine = {event.scope: event.state.places_of(worker.instance) for event in tops}
    kept = {
        scope: [
            one
            for one in places
            if done.is_of(finished, scope, one) or (scope in offered and one == places[0])
        ]
        for scope, places in mine.items()
    }
    for scope in sorted(mine):
        if len(kept[scope]) < len(mine[scope]):
            stay = frozenset(kept[scope])
            released.append(leaving.give_up(worker, roll, scope, moves, stay))
    beats.drop(here.git_dir, me.instance)
    return released, sorted(scope for scope, places in kept.items() if places), offered


def _offered(worker: Worker, roll: Roll, event: Event) -> tuple[Offer, ...]:
    """Return the offers of `worker` that somebody whose worktree is there may still take up."""
    holder = event.state.holder
    if holder is None or holder.instance != worker.instance:
        return ()
    return tuple(
        offer for offer in event.state.offers if not all(roll.of(one).gone for one in offer.to)
    )
