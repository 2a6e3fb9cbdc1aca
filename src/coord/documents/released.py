"""What ``release`` answers, and scopes that were given up as other answers tell them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from coord.documents.offers import OfferDocument, in_short
from coord.documents.places import BriefDocument, brief

if TYPE_CHECKING:
    from coord.board.line import State
    from coord.work.leaving import Given
    from coord.work.release import Released


class LeftDocument(TypedDict):
    """A scope whose holder has left it.

    Attributes:
        next: who holds it now, null when it is free.
    """

    scope: str
    generation: int
    next: BriefDocument | None


class GivenDocument(LeftDocument):
    """A scope that a worker gave up.

    Attributes:
        offers_ended: the offers of it that ended with that.
        shipped: what the worker shipped there since it took its place, a line a move.
        run: what runs there still and holds the scope until it ends, null where nothing does.
    """

    offers_ended: list[OfferDocument]
    shipped: str | None
    run: str | None


class ReleasedDocument(TypedDict):
    """The scopes that were given up."""

    released: list[GivenDocument]


def document(done: Released) -> ReleasedDocument:
    """Return the scopes that were given up."""
    return {"released": [given(one) for one in done.given]}


def given(one: Given) -> GivenDocument:
    """Return a scope that a worker gave up."""
    return {
        **left(one.scope, one.state),
        "offers_ended": in_short(one.offers),
        "shipped": one.shipped or None,
        "run": one.run,
    }


def left(scope: str, state: State) -> LeftDocument:
    """Return a scope whose holder has left it."""
    heir = state.holder
    return {
        "scope": scope,
        "generation": state.generation,
        "next": brief(heir) if heir else None,
    }
