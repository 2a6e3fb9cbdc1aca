"""``release``: give up places, so that the next in line becomes holder."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import Refused
from coord.board import claims
from coord.work import arrive, leaving, lost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.work.arrive import Worker
    from coord.work.call import Call
    from coord.work.leaving import Given


class Released(NamedTuple):
    """Who gave up, and what, a scope at a time."""

    actor: str
    given: tuple[Given, ...]


def release(call: Call, names: Sequence[str]) -> Released:
    """Give up the worker's places in the scopes `names`; in all of its scopes, when none is named.

    Raises:
        Usage: one is no scope.
        Refused: one is held by somebody else, or who acts here is only inferred.
    """
    worker = arrive.leaving(call, names)
    wanted = worker.scopes if names else own(worker)
    for scope in wanted:
        _require_mine(call, worker, scope)
    roll, moves = worker.roll(), leaving.own_moves(worker)
    given = tuple(leaving.give_up(worker, roll, scope, moves) for scope in wanted)
    return Released(worker.me.actor, given)


def own(worker: Worker) -> list[str]:
    """Return the scopes in which `worker` holds or waits."""
    tops = claims.tops(worker.store)
    roll = worker.roll()
    return sorted(event.scope for event in tops if leaving.own(event.state, worker, roll))


def _require_mine(call: Call, worker: Worker, scope: str) -> None:
    """Refuse to end what is somebody else's; what nobody has is as good as released."""
    state = claims.state(worker.store, scope)
    if state.holder is None:
        call.note(f"{scope} is held by nobody")
    elif not state.places_of(worker.instance):
        words, run = lost.held(scope, state, worker.roll())
        raise Refused(
            "not-holder",
            f"{scope} is not {worker.me.actor}'s to release",
            where=scope,
            why=f"it is {words}; only its owner, or a take-over on the record, ends a claim",
            run=run,
        )
