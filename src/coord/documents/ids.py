"""What the verbs of ``id`` answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from coord.documents.problem import ProblemDocument, problems

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coord.ids.listing import Row
    from coord.ids.renumber import Done
    from coord.ids.taken import Report
    from coord.work.ids import Numbered


class NumberedDocument(TypedDict):
    """A claim that was written."""

    namespace: str
    id: str
    path: str


class RowDocument(TypedDict):
    """An identifier (``coord.ids.listing.Row``)."""

    namespace: str
    id: str
    path: str | None
    actor: str
    created: str | None
    state: str
    branches: list[str]


class ListingDocument(TypedDict):
    """The identifiers of a namespace, or of all."""

    ids: list[RowDocument]


class CheckedDocument(TypedDict):
    """Whether every identifier has one claimant, and how many were seen."""

    ok: bool
    problems: list[ProblemDocument]
    ids: int


class RenumberedDocument(TypedDict):
    """A claim that moved (``coord.ids.renumber.Done``)."""

    path: str
    kept: str | None
    id: str
    new_path: str
    moved: str


def numbered(done: Numbered) -> NumberedDocument:
    """Return the answer of ``id next``."""
    return {"namespace": done.namespace, "id": done.id, "path": done.path}


def listing(rows: Iterable[Row]) -> ListingDocument:
    """Return the answer of ``id list``."""
    return {"ids": [_row(row) for row in rows]}


def checked(report: Report) -> CheckedDocument:
    """Return the answer of ``id check``."""
    return {
        "ok": not report.problems,
        "problems": problems(report.problems),
        "ids": report.ids,
    }


def renumbered(done: Done) -> RenumberedDocument:
    """Return the answer of ``id renumber``."""
    return {
        "path": done.path,
        "kept": done.kept,
        "id": done.id,
        "new_path": done.new_path,
        "moved": done.moved,
    }


def _row(row: Row) -> RowDocument:
    return {
        "namespace": row.namespace,
        "id": row.id,
        "path": row.path,
        "actor": row.actor,
        "created": row.created,
        "state": row.state,
        "branches": list(row.branches),
    }
