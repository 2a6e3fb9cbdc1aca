"""The board for a narrow screen: names are cut first, so that what is said of them is still seen.

Pure. One long name would else push the state of everybody over the edge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.columns import cut, width
from coord.board import text, view

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.board.events import Place
    from coord.board.roll import Member
    from coord.board.view import Claimant, Row

_STATE = len("    (you)  unknown")  # all that stands around a worker's name, up to its state
_AROUND = len("      (you)")  # and around a scope's and its holder's
_LEAST = 3


def board_lines(
    members: Sequence[Member], rows: Sequence[Row], me: str | None, now: float | None, cells: int
) -> list[str]:
    """Return the board as :func:`coord.board.text.board_lines`, for a screen of `cells`."""
    whole = list(text.board_lines(members, rows, me, now))
    if all(width(line) <= cells or line.lstrip().startswith("| ") for line in whole):
        return whole
    most = max(_LEAST, min(cells // 3, cells - _STATE))
    workers = [_member(member, most) for member in members]
    claimed = [
        row._replace(claimants=tuple(_claimant(one, most) for one in row.claimants)) for row in rows
    ]
    lines = text.board_lines(workers, claimed, me, now, max(_LEAST, cells - most - _AROUND))
    return [_parted(line, cells) for line in lines]


def _parted(line: str, cells: int) -> str:
    """Return a line as it is, or without the columns beyond the edge, where one begins there."""
    kept = line[:cells]
    return kept if line[cells:].startswith("  ") and width(kept) == cells else line


def _member(member: Member, most: int) -> Member:
    actor = member.actor._replace(actor=cut(member.actor.actor, most))
    return member._replace(actor=actor, branch=_cut(member.branch, most))


def _claimant(one: Claimant, most: int) -> Claimant:
    if view.is_unknown(one.place):
        return one
    place: Place = one.place._replace(
        actor=cut(one.place.actor, most), branch=_cut(one.place.branch, most)
    )
    return one._replace(place=place, branch=_cut(one.branch, most))


def _cut(name: str | None, most: int) -> str | None:
    return None if name is None else cut(name, most)
