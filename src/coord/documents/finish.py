"""What ``finish`` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from coord.documents.places import BriefDocument, brief

if TYPE_CHECKING:
    from coord.work.finish import Finished


class FinishDocument(TypedDict):
    """A branch that is done.

    Attributes:
        branch: its name, as git spells it.
        scope: the scope that stands for it.
        state: always ``finished``.
        tip: the commit that it was finished at.
        generation: how often the scope has changed its holder: the fencing token.
        claims: the scopes that stay claimed until it lands.
    """

    branch: str
    scope: str
    state: str
    tip: str | None
    finished_at: str | None
    generation: int
    holder: BriefDocument
    claims: list[str]


def document(made: Finished) -> FinishDocument:
    """Return a branch that is done."""
    state = made.state
    return {
        "branch": made.branch,
        "scope": made.scope,
        "state": "finished",
        "tip": state.finished_tip,
        "finished_at": state.finished_at,
        "generation": state.generation,
        "holder": brief(state.line[0]),
        "claims": made.kept,
    }
