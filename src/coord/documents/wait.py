"""The answer of ``wait``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from coord.work.wait import Waited


class WaitDocument(TypedDict):
    """A scope that could be held, and its fencing token."""

    scope: str
    state: Literal["held", "free"]
    generation: int


def document(done: Waited) -> WaitDocument:
    """Return how the wait ended."""
    return {
        "scope": done.scope,
        "state": "held" if done.state.holder else "free",
        "generation": done.state.generation,
    }
