"""Giving up a place: the offers that end with it, and what its successor is told was done."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base.errors import CoordError
from coord.base.frozen import NamedTuple
from coord.board import claims, events, view
from coord.settings import config
from coord.stores import scopes

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from coord.board.events import Change, State
    from coord.board.line import Place
    from coord.board.offer import Offer
    from coord.board.roll import Roll
    from coord.fleet.ledger import Move
    from coord.work.arrive import Worker

_GLANCE = 1 << 16  # what a worker has shipped since it claimed lies at the very end
_MOVES = 3
_LIMIT = 2000


class Given(NamedTuple):
    """What was given up.

    Attributes:
        scope: canonical scope.
        before: the scope's generation before it.
        state: the scope's state after it.
        offers: the offers that ended with it.
        shipped: what the worker has shipped there since it took its place, a line a move.
        run: what runs there still and holds the scope until it ends, if something does.
    """

    scope: str
    before: int
    state: State
    offers: tuple[Offer, ...]
    shipped: str
    run: str | None = None


def give_up(
    worker: Worker,
    roll: Roll,
    scope: str,
    moves: Sequence[Move],
    kept: Collection[Place] = (),
    *,
    others: Collection[str] = (),
) -> Given:
    """Give up what `worker` has in `scope` but the places `kept`; `moves` are :func:`own_moves`.

    A run leaves only when it ends: what it needs is not the worker's to give up.
    """
    offers: tuple[Offer, ...] = ()
    words, before = "", 0

    def decide(state: State) -> Change | None:
        nonlocal offers, words, before
        before = state.generation
        gone = [one for one in own(state, worker, roll, others) if one not in kept]
        held = state.holder in gone
        offers = state.offers if held else ()
        words = shipped(moves, scope, gone[0].since) if held else ""
        change = events.left(state, lambda place: place in gone, roll.is_dead, roll.rank(scope))
        if change is None or not words:
            return change
        return change._replace(details={**change.details, "shipped": words})

    state = claims.change(worker.store, scope, worker.me, decide).state
    running = [view.run(one) for one in view.running(state, worker.instance, roll)]
    return Given(scope, before, state, offers, words, " and ".join(running) or None)


def own(state: State, worker: Worker, roll: Roll, others: Collection[str] = ()) -> list[Place]:
    """Return what `worker` may give up: its claims, and what a killed run has left.

    What one of its sessions `others` has claimed is that one's to give up.
    """
    return [
        one
        for one in state.places_of(worker.instance)
        if one.by not in others and (not one.run or roll.is_dead(one))
    ]


def own_moves(worker: Worker) -> Sequence[Move]:
    """Return what `worker` has shipped lately, newest first.

    A ledger that cannot be read says nothing: it never keeps a place from being given up.
    """
    top = worker.here.top
    if top is None:
        return []
    try:
        name = config.load(top).fleet.moves
        if not os.path.lexists(os.path.join(top, name)):
            return []
        from coord.fleet.ledger import Move  # noqa: PLC0415  # only where something was shipped
        from coord.fleet.ledgerfile import Ledger  # noqa: PLC0415

        found = Ledger(top, name, Move).newest(_GLANCE)
        return [one for one in found if one.instance and worker.instance.startswith(one.instance)]
    except (CoordError, OSError):
        return []


def shipped(moves: Sequence[Move], scope: str, since: str) -> str:
    """Return what was shipped as `scope`, or for the lane that it is, from `since` on."""
    lane = scopes.name_of(scope) if scopes.kind_of(scope) == "lane" else None
    found = [one for one in moves if one.at >= since and (one.scope == scope or one.lane == lane)]
    lines = (f"{one.kind}: {' '.join(one.summary.split())}" for one in reversed(found[:_MOVES]))
    return "\n".join(lines)[:_LIMIT]
