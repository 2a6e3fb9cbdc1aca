"""What ``show`` and ``list`` answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from coord.documents.board import MemberDocument, RowDocument, member, row
from coord.documents.offers import StandingOfferDocument, standing

if TYPE_CHECKING:
    from coord.work.show import Shown


class ShownRowDocument(RowDocument):
    """One scope, and the offers of it that stand."""

    offers: list[StandingOfferDocument]


class ShownDocument(TypedDict):
    """What is known of a name.

    Attributes:
        kind: ``scope``, ``actor`` or ``branch``.
        name: its canonical name.
        actors: the workers it has to do with, and those who have a place in its scopes.
        claims: its scopes.
    """

    kind: str
    name: str
    actors: list[MemberDocument]
    claims: list[ShownRowDocument]


def shown(found: Shown) -> ShownDocument:
    """Return what is known of a name."""
    subject = found.subject
    return {
        "kind": subject.kind,
        "name": subject.name,
        "actors": [member(one) for one in found.members],
        "claims": [
            {**row(one), "offers": standing(event.state.offers)}
            for one, event in zip(found.rows, subject.events, strict=True)
        ],
    }
