"""``handoff``: offer what one holds; it stays one's own until another takes it up."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import Refused
from coord.board import claims, handover, letters, view
from coord.board.offer import Offer
from coord.identity.pin import now
from coord.stores import scopes
from coord.work import addressed, arrive, lost, unpublished
from coord.work.call import bounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.board.actors import Actor
    from coord.board.events import Change, State
    from coord.work.arrive import Worker
    from coord.work.call import Call

ID_LENGTH = 16


class Offering(NamedTuple):
    """A scope, how it stands, and the offer that was made of it."""

    scope: str
    state: State
    offer: Offer


def handoff(
    call: Call, to: str, names: Sequence[str] = (), note: str | None = None
) -> list[Offering]:
    """Offer the scopes `names`, or all that the worker holds, to an actor or an instance.

    An offer ends when the scope changes its holder in any way. The first ack of several has it.

    Raises:
        Usage: one is no scope, or the note is too long.
        Refused: one is not the worker's, or nobody is known by that name.
    """
    bounded(note, "--note", "handoff")
    for name in names:
        scopes.parse(name)
    worker = arrive.acting(call, [])
    letters.settle(worker.store, worker.instance)
    wanted = arrive.parsed(names, worker.here) or held(worker)
    if not wanted:
        raise _nothing_held(worker)
    for scope in wanted:
        _require_mine(worker, scope, claims.state(worker.store, scope))
    targets = addressed.find(call, worker, worker.roll(), to)
    made, left = unpublished.each(
        call,
        worker,
        f"handoff {to}",
        wanted,
        lambda scope: _offer(worker, scope, targets, note or ""),
    )
    unpublished.require(call, left)
    return made


def held(worker: Worker) -> list[str]:
    """Return the scopes that `worker` holds."""
    tops = claims.tops(worker.store)
    return sorted(one.scope for one in tops if view.is_held_by(one.state, worker.instance))


def _offer(worker: Worker, scope: str, to: Sequence[Actor], note: str) -> Offering:
    instances = tuple(sorted(one.instance for one in to))
    name = ", ".join(sorted({one.actor for one in to}))

    def decide(state: State) -> Change | None:
        _require_mine(worker, scope, state)
        made = os.urandom(ID_LENGTH // 2).hex()
        offer = Offer(made, instances, name, note, now(), worker.me.source)
        return handover.offered(state, offer)

    state = claims.change(worker.store, scope, worker.me, decide).state
    return Offering(scope, state, next(one for one in state.offers if one.to == instances))


def _require_mine(worker: Worker, scope: str, state: State) -> None:
    if view.is_held_by(state, worker.instance):
        return
    words, run = lost.held(scope, state, worker.roll(), worker.branch)
    raise Refused(
        "not-holder",
        f"{scope} is not {worker.me.actor}'s to offer",
        where=scope,
        why=f"it is {words}; only its holder offers a scope",
        run=run,
    )


def _nothing_held(worker: Worker) -> Refused:
    return Refused(
        "not-holder",
        f"{worker.me.actor} holds nothing to offer",
        where=worker.here.cwd,
        why="only a holder offers a scope",
        run="git coord board",
    )
