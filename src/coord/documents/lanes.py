"""What ``lanes`` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from coord.base import duration
from coord.documents.places import BriefDocument, brief
from coord.fleet.lanes import scope_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coord.fleet.lanes import Row


class LaneDocument(TypedDict):
    """How a lane stands.

    Attributes:
        scope: what it is claimed as.
        state: ``held``, ``overdue`` or ``tended``.
        every: how often it is to be tended.
        last_tended: when a move was shipped for it, null when there is none to be found.
        tended_by: who shipped that.
        age: seconds since then.
        overdue: nobody has claimed it, and it was not tended for too long.
    """

    lane: str
    scope: str
    state: str
    every: str
    about: str | None
    last_tended: str | None
    tended_by: str | None
    age: float | None
    overdue: bool
    holder: BriefDocument | None


class LanesDocument(TypedDict):
    """Every lane, the overdue ones first."""

    lanes: list[LaneDocument]


def document(rows: Iterable[Row]) -> LanesDocument:
    """Return every lane."""
    return {"lanes": [lane(row) for row in rows]}


def lane(row: Row) -> LaneDocument:
    """Return how a lane stands."""
    return {
        "lane": row.lane.name,
        "scope": scope_of(row.lane.name),
        "state": row.state,
        "every": duration.typed(row.lane.every),
        "about": row.lane.about or None,
        "last_tended": None if row.tended is None else row.tended.at,
        "tended_by": None if row.tended is None else row.tended.actor,
        "age": row.age,
        "overdue": row.state == "overdue",
        "holder": None if row.holder is None else brief(row.holder),
    }
