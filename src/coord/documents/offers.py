"""What ``handoff`` answers, and offers as other answers tell them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coord.board.offer import Offer
    from coord.work.handoff import Offering


class RecipientsDocument(TypedDict):
    """To whom a scope is offered.

    Attributes:
        actor: the names that the holder meant.
        instances: who may take it up.
    """

    actor: str
    instances: list[str]


class OfferDocument(TypedDict):
    """An offer in short.

    Attributes:
        id: what ``ack`` takes up.
    """

    id: str
    to: RecipientsDocument


class StandingOfferDocument(OfferDocument):
    """An offer that stands.

    Attributes:
        note: the holder's words.
        at: when it was made.
    """

    note: str
    at: str


class OfferingDocument(TypedDict):
    """An offer with its scope.

    Attributes:
        id: what ``ack`` takes up.
        generation: the scope's, to which the offer is bound.
        note: the holder's words.
        at: when it was made.
    """

    id: str
    scope: str
    generation: int
    to: RecipientsDocument
    note: str
    at: str


class OfferingsDocument(TypedDict):
    """The offers that were made."""

    offers: list[OfferingDocument]


def document(made: Iterable[Offering]) -> OfferingsDocument:
    """Return the offers that were made."""
    return {"offers": [_offering(one) for one in made]}


def in_short(offers: Iterable[Offer]) -> list[OfferDocument]:
    """Return offers in short."""
    return [{"id": one.id, "to": _recipients(one)} for one in offers]


def standing(offers: Iterable[Offer]) -> list[StandingOfferDocument]:
    """Return offers with their notes."""
    return [
        {"id": one.id, "to": _recipients(one), "note": one.note, "at": one.at} for one in offers
    ]


def _offering(one: Offering) -> OfferingDocument:
    return {
        "id": one.offer.id,
        "scope": one.scope,
        "generation": one.state.generation,
        "to": _recipients(one.offer),
        "note": one.offer.note,
        "at": one.offer.at,
    }


def _recipients(offer: Offer) -> RecipientsDocument:
    return {"actor": offer.name, "instances": list(offer.to)}
