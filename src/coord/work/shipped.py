"""What was shipped lately, by the ledgers of all worktrees, newest first."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from coord.fleet.ledger import Until, seconds
from coord.settings import config
from coord.work import moves, where

if TYPE_CHECKING:
    from coord.fleet.ledger import Move
    from coord.work.call import Call


def shipped(call: Call) -> list[Move]:
    """Return the last moves, each once; none in a bare repository, which has no files."""
    here = where.located(call)
    if here.top is None:
        return []
    declared = config.load(here.top).fleet
    tails = moves.everywhere(here, declared, Until(time.time()))
    found = dict.fromkeys(one for tail in tails for one in tail)
    return sorted(found, key=_when, reverse=True)


def _when(one: Move) -> float:
    return seconds(one.at) or 0.0
