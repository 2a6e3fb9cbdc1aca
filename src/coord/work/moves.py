"""The moves that were shipped, here and in the other worktrees, and the lanes they have tended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple

from coord.base.errors import CoordError
from coord.board import claims
from coord.board.roll import Roll
from coord.fleet import lanes
from coord.fleet.ledger import Entry, Move
from coord.fleet.ledgerfile import Ledger, Together
from coord.repo import worktree
from coord.settings import config
from coord.stores import chosen
from coord.work.ledgerentry import worktree_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from coord.board.events import Place
    from coord.fleet.lanes import Row
    from coord.fleet.ledger import Until
    from coord.fleet.ledgerfile import Tail
    from coord.repo.worktree import Worktree
    from coord.settings.config import Fleet

_GLANCE = 1 << 16  # what a peer has shipped since its branch left lies at the very end
_LATEST = 1 << 13  # of each peer, where a kind that nobody ships makes all of it be read


class Read(NamedTuple, Generic[Entry]):
    """A ledger that was read: its name, and the present, with what is dated beyond that."""

    ledger: str
    until: Until[Entry]


def newest(here: Worktree, declared: Fleet, until: Until[Move]) -> Tail[Move]:
    """Return the tail of the ledger of moves, newest first.

    Raises:
        Environment: there are no files here, as in a bare repository; or it cannot be read.
    """
    return Ledger(worktree_of(here), declared.moves, Move).newest(until=until)


def together(here: Worktree, declared: Fleet, until: Until[Move]) -> Together[Move]:
    """Return the tail of the ledger of moves with what peers have shipped and not merged yet.

    Raises:
        Environment: as :func:`newest`.
    """
    others = _of_peers(here, declared, until, _LATEST)
    return Together(newest(here, declared, until), others)


def surveyed(
    here: Worktree, declared: Fleet, holders: Mapping[str, Place] | None, until: Until[Move]
) -> list[Row]:
    """Return how each lane stands, by the ledgers of all worktrees and the board.

    Args:
        here: the worktree.
        declared: what its ``.coord.toml`` declares.
        holders: scope → holder, where the board has been read already.
        until: the present.
    """
    if not declared.lanes:
        return []
    store = chosen.board_of(here.common_dir)
    if holders is None:
        holders = lanes.holders(claims.tops(store))
    ledgers = everywhere(here, declared, until)
    rows = lanes.survey(declared.lanes, ledgers, holders, until.now)
    if store.caps.clock or not any(row.holder for row in rows):
        return rows
    roll = Roll(store, here, config.load(here.top).expires)
    return [row._replace(dated=row.holder is None or roll.dates(row.holder)) for row in rows]


def everywhere(here: Worktree, declared: Fleet, until: Until[Move]) -> list[Tail[Move]]:
    """Return the tails of the ledgers of moves, this worktree's first.

    Raises:
        Environment: there are no files here, as in a bare repository; or they cannot be read.
    """
    return [newest(here, declared, until), *_of_peers(here, declared, until)]


def _of_peers(
    here: Worktree, declared: Fleet, until: Until[Move], limit: int = _GLANCE
) -> Iterator[Tail[Move]]:
    """Yield the ends of the other worktrees' ledgers; one that cannot be read says nothing."""
    for sibling in worktree.siblings(here):
        if sibling.counts and sibling.git_dir != here.git_dir:
            found = Ledger(sibling.path, declared.moves, Move).newest(limit, until)
            try:
                next(iter(found), None)
            except (CoordError, OSError):
                continue
            yield found
