"""An offer, as a scope's state holds it (coord.board.handover decides on them)."""

from __future__ import annotations

from coord.base.frozen import NamedTuple


class Offer(NamedTuple):
    """A scope offered by its holder; only an offered instance's ``ack`` takes it up.

    Attributes:
        id: nonce of the event that made it.
        to: instances it is made to; the first that takes it up has it.
        name: actor they go by.
        note: what the holder says of it, if anything.
        at: when, RFC 3339.
        source: how the holder's identity is known: ``pinned``, ``explicit`` or ``inferred``.
    """

    id: str
    to: tuple[str, ...]
    name: str
    note: str
    at: str
    source: str
