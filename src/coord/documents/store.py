"""What ``store`` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from coord.work.store import Stands


class StoreDocument(TypedDict):
    """Where a clone's board is kept.

    Attributes:
        url: of the server, null where the board is in the git dir.
        folder: where the board is in the git dir, of a clone that keeps it there.
        reached: the server can be reached, or there is none.
        why: why it cannot be, null where it can.
        as_of: when what is known here was true, in seconds since the epoch; null for now.
        epoch: random id of the board on the server, null where the board is in the git dir.
        held: how many scopes are held.
    """

    url: str | None
    folder: str
    reached: bool
    why: str | None
    as_of: float | None
    epoch: str | None
    held: int


def document(found: Stands) -> StoreDocument:
    """Return how a board stands."""
    return {
        "url": found.url or None,
        "folder": found.folder,
        "reached": not found.why,
        "why": found.why or None,
        "as_of": found.at,
        "epoch": found.epoch or None,
        "held": found.held,
    }
