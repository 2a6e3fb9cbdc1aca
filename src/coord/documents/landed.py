"""What ``release --landed`` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from coord.documents.released import LeftDocument, left

if TYPE_CHECKING:
    from coord.work.landed import Landed, Settled


class SettledDocument(LeftDocument):
    """A scope that was settled.

    Attributes:
        landed: whose branches had landed.
    """

    landed: list[str]


class LandedDocument(TypedDict):
    """The scopes that were settled.

    Attributes:
        onto: what the branches have landed on.
    """

    onto: str
    released: list[SettledDocument]


def document(found: Landed) -> LandedDocument:
    """Return the scopes that were settled."""
    return {"onto": found.onto.name, "released": [_settled(one) for one in found.settled]}


def _settled(one: Settled) -> SettledDocument:
    return {**left(one.scope, one.state), "landed": list(one.branches)}
