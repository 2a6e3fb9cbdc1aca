"""How a claim is paused, offered and taken up: pure decisions, as those of coord.board.events.

An offer is bound to the generation it was made at. Every change of holder makes a new
:class:`~coord.board.events.State`, which has no offers: so a take-over, a release or another's
``ack`` voids whatever stood, and nothing has to be searched for and withdrawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.board.events import Change, brief, given

if TYPE_CHECKING:
    from coord.board.events import Place, State
    from coord.board.offer import Offer


def offered(state: State, offer: Offer) -> Change | None:
    """Offer the scope; a new offer to the same instances takes the old one's place.

    The caller has made sure that the holder is who offers.
    """
    old = next((one for one in state.offers if one.to == offer.to), None)
    if old is not None and old.note == offer.note:
        return None
    kept = tuple(one for one in state.offers if one is not old)
    details = {"to": {"actor": offer.name, "instances": list(offer.to)}, "reason": offer.note}
    return Change("offer", state._replace(offers=(*kept, offer)), details, nonce=offer.id)


def standing(state: State, offer_id: str) -> Offer | None:
    """Return the offer with that id, None where it does not stand (any more)."""
    return next((one for one in state.offers if one.id == offer_id), None)


def accepted(state: State, offer_id: str, mine: Place) -> Change | None:
    """Take up an offer; None where it does not stand, or was not made to this instance.

    What was said of the work goes with it; those who wait keep their places, and what the holder
    runs there comes first.
    """
    offer, holder = standing(state, offer_id), state.holder
    if offer is None or holder is None or mine.instance not in offer.to:
        return None
    new = mine._replace(issue=holder.issue, intent=holder.intent, paths=holder.paths)
    details = {"offer": offer_id, "from": brief(holder)}
    return Change("ack", given(state, new), details)


def paused(state: State, instance: str, at: str, reason: str) -> Change | None:
    """Mark that the holder has paused; nothing is released, and offers stand.

    Paused again it stays since when it was, with the new reason; None where that says nothing new.
    """
    if not _holds(state, instance):
        return None
    after = state._replace(paused_at=state.paused_at or at, paused_why=reason or state.paused_why)
    details = {"reason": reason} if reason else {}
    return None if after == state else Change("pause", after, details)


def resumed(state: State, instance: str) -> Change | None:
    """Take the mark away again."""
    if not _holds(state, instance) or state.paused_at is None:
        return None
    return Change("resume", state._replace(paused_at=None, paused_why=None))


def to_me(state: State, instance: str) -> list[Offer]:
    """Return the standing offers made to an instance."""
    return [offer for offer in state.offers if instance in offer.to]


def _holds(state: State, instance: str) -> bool:
    return state.holder is not None and state.holder.instance == instance
