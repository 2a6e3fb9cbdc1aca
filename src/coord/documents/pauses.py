"""What ``pause`` and ``resume`` answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from coord.documents.messages import RecipientDocument, recipients

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coord.work.pause import Marked, Paused


class MarkedDocument(TypedDict):
    """A scope that is still held.

    Attributes:
        paused_at: when its holder paused, null while at work.
        paused_why: why, in the holder's words.
    """

    scope: str
    generation: int
    paused_at: str | None
    paused_why: str | None


class PausedDocument(TypedDict):
    """What is paused, and whom that was told.

    Attributes:
        told: who was asked for help, now or before.
        new: they were asked now.
    """

    paused: list[MarkedDocument]
    told: list[RecipientDocument]
    new: bool


class ResumedDocument(TypedDict):
    """What is at work again."""

    resumed: list[MarkedDocument]


def paused(done: Paused) -> PausedDocument:
    """Return what is paused, and whom that was told."""
    return {
        "paused": [_marked(one) for one in done.marked],
        "told": recipients(done.told),
        "new": done.new,
    }


def resumed(done: Iterable[Marked]) -> ResumedDocument:
    """Return what is at work again."""
    return {"resumed": [_marked(one) for one in done]}


def _marked(one: Marked) -> MarkedDocument:
    return {
        "scope": one.scope,
        "generation": one.state.generation,
        "paused_at": one.state.paused_at,
        "paused_why": one.state.paused_why,
    }
