"""``release``: give up places, so that the next in line becomes holder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.errors import Refused
from coord.base.frozen import NamedTuple
from coord.board import claims
from coord.work import arrive, leaving, lost, unpublished

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from coord.board.roll import Roll
    from coord.work.arrive import Worker
    from coord.work.call import Call
    from coord.work.leaving import Given


class Released(NamedTuple):
    """Who gave up, and what, a scope at a time."""

    actor: str
    given: tuple[Given, ...]


def release(call: Call, names: Sequence[str]) -> Released:
    """Give up the worker's places in the scopes `names`; in all of its scopes, when none is named.

    All are those of this session, and of those that have ended.

    Raises:
        Usage: one is no scope.
        Refused: one is held by somebody else, or who acts here is only inferred.
    """
    worker = arrive.leaving(call, names)
    back = unpublished.withdrawn(call, worker, worker.scopes if names else None)
    roll, moves = worker.roll(), leaving.own_moves(worker)
    others = () if names else tuple(one.name for one in worker.others())
    wanted = worker.scopes if names else _own(worker, roll, others)
    wanted = [scope for scope in wanted if scope not in back]
    for scope in wanted:
        _require_mine(call, worker, scope)
    given, left = unpublished.each(
        call,
        worker,
        "release",
        wanted,
        lambda scope: leaving.give_up(worker, roll, scope, moves, others=others),
    )
    unpublished.require(call, left)
    return Released(worker.me.actor, tuple(given))


def _own(worker: Worker, roll: Roll, others: Collection[str]) -> list[str]:
    """Return the scopes in which this session of `worker` has something to give up."""
    tops = claims.tops(worker.store)
    return sorted(one.scope for one in tops if leaving.own(one.state, worker, roll, others))


def _require_mine(call: Call, worker: Worker, scope: str) -> None:
    """Refuse to end what is somebody else's; what nobody has is as good as released."""
    state = claims.state(worker.store, scope)
    if state.holder is None:
        call.note(f"{scope} is held by nobody")
    elif not state.places_of(worker.instance):
        words, run = lost.held(scope, state, worker.roll(), worker.branch)
        raise Refused(
            "not-holder",
            f"{scope} is not {worker.me.actor}'s to release",
            where=scope,
            why=f"it is {words}; only its owner, or a take-over on the record, ends a claim",
            run=run,
        )
