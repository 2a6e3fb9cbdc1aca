"""Where branches meet: what ``announce`` answers of declared paths, and ``overlap`` of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from coord.documents.claims import ClaimsDocument
from coord.documents.claims import document as claims

if TYPE_CHECKING:
    from coord.overlap.contact import Contact, Touched
    from coord.overlap.pathspecs import Declared, Meeting
    from coord.work.announce import Announced
    from coord.work.overlap import Overlap


class DeclaredDocument(TypedDict):
    """A claim that declares paths."""

    scope: str
    actor: str
    instance: str | None
    branch: str | None
    paths: list[str]


class MeetingDocument(TypedDict):
    """Two claims whose paths meet.

    Attributes:
        files: the tracked files that both mean.
        globs: the pairs of pathspecs that meet where nothing is tracked yet.
    """

    claims: list[DeclaredDocument]
    files: list[str]
    globs: list[list[str]]


class AnnouncedDocument(ClaimsDocument):
    """How the branch's claim stands, and where its paths meet others'."""

    overlaps: list[MeetingDocument]


class RegionDocument(TypedDict):
    """Lines of the base, the first and the last of them, that both branches have changed."""

    start: int
    end: int


class TouchedDocument(TypedDict):
    """A file that two branches have both changed.

    Attributes:
        regions: where both have; empty where a merge settles it; null where lines do not tell: a
            binary or derived file, or one of very many.
    """

    path: str
    regions: list[RegionDocument] | None


class ContactDocument(TypedDict):
    """Two branches that have changed the same files.

    Attributes:
        base: the commit since which they have.
    """

    branches: list[str]
    base: str
    files: list[TouchedDocument]


class OverlapDocument(TypedDict):
    """Where branches that have not landed meet, as declared and in fact; logs are left out."""

    declared: list[MeetingDocument]
    actual: list[ContactDocument]


def document(found: Overlap) -> OverlapDocument:
    """Return where branches meet."""
    return {
        "declared": [meeting(one) for one in found.declared],
        "actual": [_contact(one) for one in found.actual],
    }


def announced(made: Announced) -> AnnouncedDocument:
    """Return how the branch's claim stands, and where its paths meet others'."""
    return {**claims(made.claims), "overlaps": [meeting(one) for one in made.met]}


def meeting(one: Meeting) -> MeetingDocument:
    """Return two claims whose paths meet."""
    return {
        "claims": [_declared(one.first), _declared(one.second)],
        "files": list(one.files),
        "globs": [list(pair) for pair in one.globs],
    }


def _declared(one: Declared) -> DeclaredDocument:
    return {
        "scope": one.scope,
        "actor": one.claim.actor,
        "instance": one.claim.instance,
        "branch": one.claim.branch,
        "paths": list(one.claim.paths),
    }


def _contact(one: Contact) -> ContactDocument:
    return {
        "branches": list(one.branches),
        "base": one.base,
        "files": [{"path": file.path, "regions": _regions(file)} for file in one.files],
    }


def _regions(file: Touched) -> list[RegionDocument] | None:
    if file.regions is None:
        return None
    return [{"start": one.start, "end": one.end} for one in file.regions]
