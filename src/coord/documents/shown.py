"""What ``show`` and ``list`` answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

from coord.documents.board import MemberDocument, RowDocument, member, row
from coord.documents.offers import StandingOfferDocument, standing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coord.board.abouttext import Announcement
    from coord.board.roll import Roll
    from coord.work.show import Shown


class ShownRowDocument(RowDocument):
    """One scope, and the offers of it that stand."""

    offers: list[StandingOfferDocument]


class ShownDocument(TypedDict):
    """What is known of a name.

    Attributes:
        kind: ``scope``, ``actor`` or ``branch``.
        name: its canonical name.
        actors: the workers it has to do with, and those who have a place in its scopes.
        claims: its scopes.
    """

    kind: str
    name: str
    actors: list[MemberDocument]
    claims: list[ShownRowDocument]


class AnnouncementDocument(TypedDict):
    """A claim that says what it is for.

    Attributes:
        generation: how often the scope has changed its holder: the fencing token.
        intent: what the claimant means to do.
        paths: pathspecs of the files it means to touch.
        paused_at: when its holder paused; who waits cannot.
        present: the claimant has given a sign of life lately.
    """

    scope: str
    actor: str
    instance: str | None
    branch: str | None
    state: Literal["held", "waiting"]
    generation: int
    intent: str | None
    paths: list[str]
    since: str
    paused_at: str | None
    present: bool


class AnnouncementsDocument(TypedDict):
    """What living workers have announced, scopes in order."""

    announcements: list[AnnouncementDocument]


def announcements(found: Iterable[Announcement], roll: Roll) -> AnnouncementsDocument:
    """Return what living workers have announced."""
    return {"announcements": [_announcement(one, roll) for one in found]}


def shown(found: Shown) -> ShownDocument:
    """Return what is known of a name."""
    subject = found.subject
    return {
        "kind": subject.kind,
        "name": subject.name,
        "actors": [member(one) for one in found.members],
        "claims": [
            {**row(one), "offers": standing(event.state.offers)}
            for one, event in zip(found.rows, subject.events, strict=True)
        ],
    }


def _announcement(one: Announcement, roll: Roll) -> AnnouncementDocument:
    place = one.place
    known = None if place.instance is None else roll.of(place.instance)
    return {
        "scope": one.scope,
        "actor": place.actor,
        "instance": place.instance,
        "branch": place.branch,
        "state": "held" if place == one.state.holder else "waiting",
        "generation": one.state.generation,
        "intent": place.intent,
        "paths": list(place.paths),
        "since": place.since,
        "paused_at": one.paused_at,
        "present": known is not None and known.present,
    }
