"""``mirror`` and ``lanes``: what was shipped lately, and what nobody has tended for too long."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from coord.base.errors import CoordError
from coord.board import chosen, claims
from coord.cli import edge, show
from coord.cli.ledgerentry import worktree_of
from coord.fleet import lanes as fleet_lanes
from coord.fleet import mirror as fleet_mirror
from coord.fleet.ledger import Move, Until
from coord.fleet.ledgerfile import Ledger
from coord.fleet.text import ahead_lines, lane_lines, mirror_lines
from coord.repo import worktree
from coord.settings import config

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from coord.board.events import Place as Holder
    from coord.fleet.lanes import Row
    from coord.fleet.ledger import Entry
    from coord.fleet.ledgerfile import Tail
    from coord.repo.worktree import Worktree
    from coord.settings.config import Fleet

_GLANCE = 1 << 16  # what a peer has shipped since its branch left lies at the very end


@click.command()
@click.option(
    "--last",
    "window",
    type=click.IntRange(1, 1000),
    default=fleet_mirror.WINDOW,
    metavar="N",
    help=f"How many moves to look at; default: {fleet_mirror.WINDOW}.",
)
@show.json_option
def mirror(*, window: int, as_json: bool) -> None:
    """Show the kinds of the last moves that were shipped, and which kind is going cold."""
    top = worktree_of(edge.located())
    declared = config.load(top).fleet
    until: Until[Move] = Until(time.time())
    found = fleet_mirror.reflect(moves(top, declared, until), declared.kinds, window)
    if as_json:
        show.document(fleet_mirror.document(found))
    else:
        show.lines(mirror_lines(found, until.now))
    warn_of_ahead(declared.moves, until)


@click.command()
@show.json_option
def lanes(*, as_json: bool) -> None:
    """Show the lanes: since when nobody has tended them, or who has claimed them."""
    here = edge.located()
    declared = config.load(worktree_of(here)).fleet
    until: Until[Move] = Until(time.time())
    rows = surveyed(here, declared, None, until)
    if as_json:
        show.document({"lanes": [fleet_lanes.document(row) for row in rows]})
    else:
        show.lines(lane_lines(rows, until.now))
    warn_of_ahead(declared.moves, until)
    if not rows and not as_json:
        show.note(f'no lanes: [lane.NAME] with every = "1d" in {config.FILE} declares one')


def warn_of_ahead(path: str, until: Until[Entry]) -> None:
    """Say once which records of the ledger at `path` are dated beyond the present."""
    for line in ahead_lines(path, until.ahead):
        show.note(line)


def moves(top: str, declared: Fleet, until: Until[Move]) -> Tail[Move]:
    """Return the tail of the ledger of moves, newest first."""
    return Ledger(top, declared.moves, Move).newest(until=until)


def surveyed(
    here: Worktree, declared: Fleet, holders: Mapping[str, Holder] | None, until: Until[Move]
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
    if holders is None:
        holders = fleet_lanes.holders(claims.tops(chosen.board_of(here.common_dir)))
    own = moves(worktree_of(here), declared, until)
    return fleet_lanes.survey(
        declared.lanes, [own, *_of_peers(here, declared, until)], holders, until.now
    )


def _of_peers(here: Worktree, declared: Fleet, until: Until[Move]) -> Iterator[Tail[Move]]:
    """Yield the ends of the other worktrees' ledgers; one that cannot be read says nothing."""
    for sibling in worktree.siblings(here):
        if sibling.counts and sibling.git_dir != here.git_dir:
            newest = Ledger(sibling.path, declared.moves, Move).newest(_GLANCE, until)
            try:
                next(iter(newest), None)
            except (CoordError, OSError):
                continue
            yield newest
