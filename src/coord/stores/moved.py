"""Where a board has moved: said in the old one, by what every create there meets.

    about/moved    {"schema": 1, "to": URL, "epoch", "clone"}   on a server
    tmp            the same, in a folder: in place of the one that records are written in

So nobody writes into the old board any more, whatever command of whatever version was at work.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from coord.base import peerjson
from coord.base.frozen import NamedTuple
from coord.base.names import quote
from coord.stores.store import Misconfigured

if TYPE_CHECKING:
    from coord.stores.store import Rec

KEY = "about/moved"
LOCAL = "local"


class Goal(NamedTuple):
    """Where a board goes.

    Attributes:
        to: URL of the server; ``local`` for the git dir of the clone that moves it.
        epoch: what the board calls itself there.
        clone: id of the clone that moves it.
    """

    to: str
    epoch: str
    clone: str


class Moved(Misconfigured):
    """The board is elsewhere by now: nothing is written here.

    Attributes:
        goal: where it is.
    """

    def __init__(self, goal: Goal, where: str, verb: str = "use") -> None:
        here = goal.to == LOCAL
        super().__init__(
            "store-moved",
            "the board has moved",
            where=where,
            why=f"clone {goal.clone} keeps it in its git dir, which no other clone reaches: git "
            "coord store migrate URL, there, shares it again; a board of your own is another"
            if here
            else f"it is at {goal.to} now",
            run=f"git coord store {verb} {quote(goal.to)}",
        )
        self.goal = goal


def encode(goal: Goal) -> bytes:
    """Return the bytes of the record."""
    return json.dumps({"schema": 1, **goal._asdict()}).encode() + b"\n"


def decode(value: bytes) -> Goal | None:
    """Return what a record says; None if it is none of ours."""
    try:
        found = peerjson.document(value)
        goal = Goal(found["to"], found["epoch"], found["clone"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return goal if all(isinstance(text, str) for text in goal) else None


def of(rec: Rec | None) -> Goal | None:
    """Return where a board has moved by the record that was found, if one was."""
    return None if rec is None else decode(rec.value)
