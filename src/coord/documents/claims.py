"""What ``claim`` answers, and ``ack`` where it takes a scope up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

from coord.board import view
from coord.documents.places import BriefDocument, WorkDocument, brief, work

if TYPE_CHECKING:
    from coord.board.roll import Roll
    from coord.work.claim import Claim, Claims


class StandingDocument(TypedDict):
    """Where a worker stands in the line of a scope.

    Attributes:
        scope: canonical scope.
        state: whether the worker holds it.
        place: its number in the line, 1 for the holder.
    """

    scope: str
    state: Literal["held", "waiting"]
    place: int


class ClaimDocument(StandingDocument, WorkDocument):
    """How a scope stands, and the worker's own place in its line.

    Attributes:
        generation: how often the scope has changed its holder: the fencing token.
        waits_on: who holds it, null for the holder.
        merge_order_only: it waits, and nothing has to wait for that: go on, only the branch is
            merged after those ahead (``artifact:``).
        paused_at: when the holder paused, null while at work.
        paused_why: why, in the holder's words.
    """

    generation: int
    waits_on: BriefDocument | None
    merge_order_only: bool
    paused_at: str | None
    paused_why: str | None


class ClaimsDocument(TypedDict):
    """How the scopes stand that were claimed, in order."""

    claims: list[ClaimDocument]


def document(made: Claims) -> ClaimsDocument:
    """Return how claims stand."""
    return {"claims": [claim(one, made.roll) for one in made.made]}


def claim(one: Claim, roll: Roll) -> ClaimDocument:
    """Return how a scope stands."""
    mine = view.claimant(one.state, one.place, roll)
    held = mine.state == "held"
    return {
        "scope": one.scope,
        "state": "held" if held else "waiting",
        "place": mine.number or len(one.state.line),
        **work(one.place),
        "generation": one.state.generation,
        "waits_on": None if held else brief(one.state.line[0]),
        "merge_order_only": not held and view.orders_merges(one.scope, one.state.line),
        "paused_at": one.state.paused_at,
        "paused_why": one.state.paused_why,
    }
