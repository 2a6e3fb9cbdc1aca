"""``sign-off``: the clean end of a session, refused where it could end somebody else's."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.board import claims, view
from coord.guard import refusal
from coord.identity import whoami as identities
from coord.liveness import beats
from coord.repo import git
from coord.stores import chosen
from coord.work import arrive, leaving, settling, tidy, uncommitted, unpublished, where, whoami

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from coord.board.line import Event
    from coord.board.offer import Offer
    from coord.board.roll import Roll
    from coord.repo.worktree import Worktree
    from coord.work.arrive import Worker
    from coord.work.call import Call
    from coord.work.leaving import Given
    from coord.work.unpublished import Left


class SignedOff(NamedTuple):
    """Who left, and what is left behind.

    Attributes:
        worker: who left.
        pending: guarded files that a refusal still binds.
        changed: paths with uncommitted changes.
        released: what was given up.
        kept: the scopes that stay the worker's: finished, or offered to somebody.
        offered: the offers that stand on some of these.
        running: what runs under a scope still, and holds it until it ends.
        theirs: what another session of the worker has claimed, and who that is.
    """

    worker: Worker
    pending: list[str]
    changed: list[str]
    released: list[Given]
    kept: list[str]
    offered: dict[str, tuple[Offer, ...]]
    running: dict[str, str]
    theirs: dict[str, str]


def sign_off(call: Call) -> SignedOff:
    """End a session: give up what the worker holds and waits for, and its signs of life.

    What it claimed for a branch that it has finished stays until that lands, and what it offers
    to somebody until that is taken up; what another session of it has claimed that lives here.

    Raises:
        Refused: who acts here is only inferred, or contradicted: it could end somebody else's.
    """
    here = where.located(call)
    where.require_own(call, here)
    me = identities.resolve(here, call.actor, call.environ)
    identities.require_certain(me, here, "sign-off")
    words = whoami.misnamed(here)
    if words is not None:
        call.note(words)
    pending, changed = _pending(here), uncommitted.paths(here)
    worker = arrive.Worker(here, me, chosen.board_of(here.common_dir), call.watch, [])
    arrive.tell_of_others(call, worker)
    others = {one.name: one.told for one in worker.others()}
    settling.settle(call, here, worker.store, me)
    unpublished.withdrawn(call, worker, None)
    left, unsent = _left(call, worker, others)
    beats.drop(here.git_dir, me.instance, others)
    unpublished.require(call, unsent)
    tidy.portion(worker.store, worker.roll())
    return SignedOff(worker, pending, changed, *left)


def _pending(here: Worktree) -> list[str]:
    """Return the guarded files that a refusal still binds."""
    live = refusal.live(here, git.elsewhere())
    return sorted({record.path for record, facts in live if not refusal.is_settled(record, facts)})


class _Left(NamedTuple):
    """What was given up, what was kept, and who or what keeps it, as in :class:`SignedOff`."""

    released: list[Given]
    kept: list[str]
    offered: dict[str, tuple[Offer, ...]]
    running: dict[str, str]
    theirs: dict[str, str]


def _left(call: Call, worker: Worker, others: Mapping[str, str]) -> tuple[_Left, list[Left]]:
    """Give up places; return how that went, and what of it is not published."""
    tops = list(claims.tops(worker.store)) if worker.me.instance else []
    roll, moves = worker.roll(), leaving.own_moves(worker)
    offered = {event.scope: found for event in tops if (found := _offered(worker, roll, event))}
    mine = {event.scope: leaving.own(event.state, worker, roll) for event in tops}
    running = {
        event.scope: " and ".join(map(view.run, runs))
        for event in tops
        if worker.me.instance and (runs := view.running(event.state, worker.instance, roll))
    }
    theirs = {
        event.scope: others[place.by or ""]
        for event in tops
        for place in mine[event.scope]
        if place.by in others
    }
    kept = {
        event.scope: [
            one
            for one in mine[event.scope]
            if one.by in others
            or roll.is_finished(one)
            or (one == event.state.holder and _stays(event, offered))
        ]
        for event in tops
    }
    released, unsent = unpublished.each(
        call,
        worker,
        "sign-off",
        [scope for scope in sorted(mine) if len(kept[scope]) < len(mine[scope])],
        lambda scope: leaving.give_up(
            worker, roll, scope, moves, frozenset(kept[scope]), others=others
        ),
    )
    remaining = [scope for scope in mine if kept[scope] or scope in running]
    return _Left(released, sorted(remaining), offered, running, theirs), unsent


def _stays(event: Event, offered: Collection[str]) -> bool:
    """Tell whether what stands first in a line is finished, or offered to somebody."""
    return event.state.finished_at is not None or event.scope in offered


def _offered(worker: Worker, roll: Roll, event: Event) -> tuple[Offer, ...]:
    """Return the offers of `worker` that somebody whose worktree is there may still take up."""
    holder = event.state.holder
    if holder is None or holder.instance != worker.instance:
        return ()
    return tuple(
        offer for offer in event.state.offers if not all(roll.of(one).gone for one in offer.to)
    )
