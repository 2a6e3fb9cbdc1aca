"""``lanes``: since when nobody has tended them, or who has claimed them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from coord.fleet.ledger import Move, Until
from coord.settings import config
from coord.work import moves, where
from coord.work.ledgerentry import worktree_of

if TYPE_CHECKING:
    from coord.fleet.lanes import Row
    from coord.work.call import Call
    from coord.work.moves import Read


class Lanes(NamedTuple):
    """How each lane stands, the overdue ones first, and the ledger that says so."""

    rows: list[Row]
    read: Read[Move]


def lanes(call: Call) -> Lanes:
    """Return how each declared lane stands, by the ledgers of all worktrees and the board.

    Raises:
        Environment: there are no files here, as in a bare repository; or they cannot be read.
    """
    here = where.located(call)
    declared = config.load(worktree_of(here)).fleet
    until: Until[Move] = Until(time.time())
    rows = moves.surveyed(here, declared, None, until)
    return Lanes(rows, moves.Read(declared.moves, until))
