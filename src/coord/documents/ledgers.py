"""What ``ship`` and ``put-down`` answer: entries of a ledger, null where nothing is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from coord.fleet.ledger import Move, PutDown
    from coord.work.put_down import Left, Listing
    from coord.work.ship import Shipped


class MoveDocument(TypedDict):
    """An entry of the ledger of moves (``coord.fleet.ledger.Move``)."""

    at: str
    actor: str | None
    instance: str | None
    kind: str | None
    lane: str | None
    scope: str | None
    summary: str | None
    nonce: str | None


class PutDownDocument(TypedDict):
    """An entry of the ledger of what was put down (``coord.fleet.ledger.PutDown``)."""

    at: str
    actor: str | None
    instance: str | None
    scope: str | None
    reason: str | None
    revisit: str | None
    note: str | None
    nonce: str | None


class ShippedDocument(TypedDict):
    """A move that was recorded, and its ledger."""

    move: MoveDocument
    path: str


class LeftDocument(TypedDict):
    """A record of what was put down, and its ledger."""

    put_down: PutDownDocument
    path: str


class ListingDocument(TypedDict):
    """What was put down, oldest first."""

    put_downs: list[PutDownDocument]


def shipped(done: Shipped) -> ShippedDocument:
    """Return the answer of ``ship``."""
    return {"move": move(done.move), "path": done.path}


def left(done: Left) -> LeftDocument:
    """Return the answer of ``put-down``."""
    return {"put_down": put_down(done.entry), "path": done.path}


def listing(found: Listing) -> ListingDocument:
    """Return the answer of ``put-down --list``."""
    return {"put_downs": [put_down(entry) for entry in found.entries]}


def move(entry: Move) -> MoveDocument:
    """Return what was shipped."""
    return {
        "at": entry.at,
        "actor": entry.actor or None,
        "instance": entry.instance or None,
        "kind": entry.kind or None,
        "lane": entry.lane or None,
        "scope": entry.scope or None,
        "summary": entry.summary or None,
        "nonce": entry.nonce or None,
    }


def put_down(entry: PutDown) -> PutDownDocument:
    """Return what was considered and left."""
    return {
        "at": entry.at,
        "actor": entry.actor or None,
        "instance": entry.instance or None,
        "scope": entry.scope or None,
        "reason": entry.reason or None,
        "revisit": entry.revisit or None,
        "note": entry.note or None,
        "nonce": entry.nonce or None,
    }
