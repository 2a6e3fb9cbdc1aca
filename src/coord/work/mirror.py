"""``mirror``: the kinds of the last moves that were shipped, and which of them is going cold."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from coord.fleet import mirror as kinds
from coord.fleet.ledger import Move, Until
from coord.settings import config
from coord.work import moves, where
from coord.work.ledgerentry import worktree_of

if TYPE_CHECKING:
    from coord.fleet.mirror import Mirror
    from coord.work.call import Call
    from coord.work.moves import Read


class Reflected(NamedTuple):
    """What was shipped lately, and the ledger that says so."""

    mirror: Mirror
    read: Read[Move]


def mirror(call: Call, window: int = kinds.WINDOW) -> Reflected:
    """Return the kinds of the last `window` moves.

    Raises:
        Environment: there are no files here, as in a bare repository; or they cannot be read.
    """
    here = where.located(call)
    declared = config.load(worktree_of(here)).fleet
    until: Until[Move] = Until(time.time())
    found = kinds.reflect(moves.together(here, declared, until), declared.kinds, window)
    return Reflected(found, moves.Read(declared.moves, until))
