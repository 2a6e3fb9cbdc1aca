"""``mirror`` and ``lanes``: what was shipped lately, and what nobody has tended for too long."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from coord import config, worktree
from coord.board import claims
from coord.cli import roster, show, who
from coord.cli.ledgers import worktree_of
from coord.errors import CoordError
from coord.fleet import lanes as fleet_lanes
from coord.fleet import mirror as fleet_mirror
from coord.fleet.ledger import Move
from coord.fleet.ledgerfile import Ledger
from coord.fleet.text import lane_lines, mirror_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from coord.board.events import Place as Holder
    from coord.config import Fleet
    from coord.fleet.lanes import Row
    from coord.fleet.ledgerfile import Tail
    from coord.worktree import Place

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
    top = worktree_of(who.here())
    declared = config.load(top).fleet
    found = fleet_mirror.reflect(moves(top, declared), declared.kinds, window)
    if as_json:
        show.document(fleet_mirror.document(found))
        return
    show.lines(mirror_lines(found, time.time()))


@click.command()
@show.json_option
def lanes(*, as_json: bool) -> None:
    """Show the lanes: since when nobody has tended them, or who has claimed them."""
    place = who.here()
    declared = config.load(worktree_of(place)).fleet
    now = time.time()
    rows = surveyed(place, declared, None, now)
    if as_json:
        show.document({"lanes": [fleet_lanes.document(row) for row in rows]})
        return
    show.lines(lane_lines(rows, now))
    if not rows:
        show.note(f'no lanes: [lane.NAME] with every = "1d" in {config.FILE} declares one')


def moves(top: str, declared: Fleet) -> Tail[Move]:
    """Return the tail of the ledger of moves, newest first."""
    return Ledger(top, declared.moves, Move).newest()


def surveyed(
    place: Place, declared: Fleet, holders: Mapping[str, Holder] | None, now: float
) -> list[Row]:
    """Return how each lane stands, by the ledgers of all worktrees and the board.

    Args:
        place: the worktree.
        declared: what its ``.coord.toml`` declares.
        holders: scope → holder, where the board has been read already.
        now: the present, in seconds.
    """
    if not declared.lanes:
        return []
    if holders is None:
        holders = fleet_lanes.holders(claims.tops(roster.board_of(place)))
    own = moves(worktree_of(place), declared)
    return fleet_lanes.survey(declared.lanes, [own, *_of_peers(place, declared)], holders, now)


def _of_peers(place: Place, declared: Fleet) -> Iterator[Tail[Move]]:
    """Yield the ends of the other worktrees' ledgers; one that cannot be read says nothing."""
    for sibling in worktree.siblings(place):
        if sibling.counts and sibling.git_dir != place.git_dir:
            newest = Ledger(sibling.path, declared.moves, Move).newest(_GLANCE)
            try:
                next(iter(newest), None)
            except (CoordError, OSError):
                continue
            yield newest
