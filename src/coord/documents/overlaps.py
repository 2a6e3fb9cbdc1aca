"""Where declared paths meet, and what ``announce`` answers of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from coord.documents.claims import ClaimsDocument
from coord.documents.claims import document as claims

if TYPE_CHECKING:
    from coord.overlap.pathspecs import Declared, Meeting
    from coord.work.announce import Announced


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
