"""Why a wait ends before its time and without its scope: an offer, or nobody to tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.errors import Refused
from coord.base.names import quote
from coord.board import claims, handover
from coord.work import news

if TYPE_CHECKING:
    from coord.board.events import State
    from coord.board.offer import Offer
    from coord.work.news import Reader


def offered(state: State, scope: str, instance: str) -> Refused | None:
    """Return why a wait for `scope` ends where that is offered to the waiter, for its ack."""
    offers = handover.to_me(state, instance)
    return _offered(scope, scope, state.line[0].actor, offers[0]) if offers else None


def offered_anew(reader: Reader, scope: str) -> Refused | None:
    """Return why a wait for `scope` ends when anything is offered since its worker was last told.

    Nobody would read of it for as long as the wait lasts.
    """
    for one in news.unread(reader):
        notice = one.notice
        if notice.kind == "offered" and one.stands:
            offer = handover.standing(claims.state(reader.store, notice.scope), notice.event)
            if offer is not None:
                return _offered(scope, notice.scope, notice.by, offer)
    return None


def orphaned(who: str, scope: str) -> Refused:
    """Return why a wait ends: `who` has ended, one of the processes it was started under.

    Others of them may live on, as a subshell of its script does.
    """
    wait = f"git coord wait {quote(scope)}"
    return Refused(
        "worker-gone",
        f"the wait for {scope} has ended with {who}",
        where=scope,
        why="it was started under that process, even if others between them live on; "
        f"what is to outlive its shell is started by setsid {wait}",
        run=wait,
    )


def _offered(scope: str, what: str, by: str, offer: Offer) -> Refused:
    why = "it is its holder's until you take it up, and the wait for it would not end before"
    if what != scope:
        why = f"while you wait for {scope} you could not read of it; a place in line stays"
    return Refused(
        "offered",
        f"{what} is offered to you by {by}",
        where=scope,
        why=why,
        run=f"git coord ack {offer.id}",
    )
