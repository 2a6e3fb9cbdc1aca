"""What ``wait`` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from coord.board.line import State
    from coord.work.wait import Waited


class WaitDocument(TypedDict):
    """A scope that was waited for.

    Attributes:
        scope: canonical scope.
        state: ``held``: it is the waiter's own; or ``free``.
        generation: how often the scope has changed its holder: the fencing token.
    """

    scope: str
    state: str
    generation: int


def document(done: Waited) -> WaitDocument:
    """Return how a wait ended."""
    return standing(done.scope, done.state)


def standing(scope: str, state: State) -> WaitDocument:
    """Return how a scope stands for who has waited for it."""
    return {
        "scope": scope,
        "state": "held" if state.holder else "free",
        "generation": state.generation,
    }
