"""What a board on a server says of itself: which repository it is of, and which board it is.

    about/board   {"schema": 1, "epoch", "roots": [object names of root commits]}

The epoch is random: a prefix that was emptied and filled anew has another one, and so has a server
that was set back, once its operator has said so. A repository is told by a commit that it began
with: equal names are everywhere.
"""

from __future__ import annotations

import json
import os

from coord.base import peerjson
from coord.base.frozen import NamedTuple

KEY = "about/board"
COMING = "about/coming"  # the id of the clone that moves a board there, and the board's epoch
_MOST = 16  # roots


class About(NamedTuple):
    """A board.

    Attributes:
        epoch: random id of this board, from its making on.
        roots: commits without parents of the repository that made it, a few of them.
    """

    epoch: str
    roots: tuple[str, ...]


def made(roots: list[str]) -> About:
    """Return what a board that is made now says of itself."""
    return About(os.urandom(8).hex(), tuple(roots[:_MOST]))


def encode(found: About) -> bytes:
    """Return the bytes of the record."""
    return json.dumps({"schema": 1, **found._asdict()}).encode() + b"\n"


def decode(value: bytes) -> About | None:
    """Return what a record says; None if it is none of ours."""
    try:
        found = peerjson.document(value)
        epoch, roots = found["epoch"], found["roots"]
    except (ValueError, KeyError, TypeError):
        return None
    texts = [epoch, *roots] if isinstance(roots, list) else [None]
    return About(epoch, tuple(roots)) if all(map(_is_id, texts)) else None


def _is_id(text: object) -> bool:
    return isinstance(text, str) and text.isascii() and text.isalnum()
