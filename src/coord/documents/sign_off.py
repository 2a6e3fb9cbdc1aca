"""What ``sign-off`` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from coord.documents.offers import OfferDocument, in_short
from coord.documents.released import GivenDocument, given

if TYPE_CHECKING:
    from coord.work.sign_off import SignedOff


class ScopeDocument(TypedDict):
    """A scope."""

    scope: str


class OfferedDocument(ScopeDocument, OfferDocument):
    """An offer that stands on a scope that was kept."""


class SignOffDocument(TypedDict):
    """Who left, and what is left behind.

    Attributes:
        pending: guarded files that a refusal still binds.
        changed: paths with uncommitted changes.
        released: what was given up.
        kept: the scopes that stay the worker's.
        offered: the offers that stand on some of these.
        of_other_sessions: which of these another session of the worker has claimed, that lives.
    """

    actor: str
    instance: str | None
    pending: list[str]
    changed: list[str]
    released: list[GivenDocument]
    kept: list[str]
    offered: list[OfferedDocument]
    of_other_sessions: list[str]


def document(done: SignedOff) -> SignOffDocument:
    """Return who left, and what is left behind."""
    return {
        "actor": done.worker.me.actor,
        "instance": done.worker.me.instance,
        "pending": done.pending,
        "changed": done.changed,
        "released": [given(one) for one in done.released],
        "kept": done.kept,
        "offered": [
            {"scope": scope, **offer}
            for scope, offers in done.offered.items()
            for offer in in_short(offers)
        ],
        "of_other_sessions": sorted(done.theirs),
    }
