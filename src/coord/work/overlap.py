"""``overlap``: which declared paths meet, and which files two branches have both changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.board import claims
from coord.overlap import contact, pathspecs
from coord.work import arrive, overlaps

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coord.board.events import Event
    from coord.board.roll import Roll
    from coord.overlap.contact import Contact
    from coord.overlap.pathspecs import Meeting
    from coord.work.arrive import Worker
    from coord.work.call import Call


class Overlap(NamedTuple):
    """Where branches meet, as declared and in fact, and who asks."""

    worker: Worker
    declared: list[Meeting]
    actual: list[Contact]


def overlap(call: Call) -> Overlap:
    """Return which declared paths meet, and which files two branches have in fact both changed."""
    worker = arrive.looking(call)
    roll = worker.roll()
    tops = list(claims.taken(worker.store))
    declared = pathspecs.meetings(worker.here, overlaps.live(tops, roll))
    landed = overlaps.Landed(worker, roll, tops)
    met = overlaps.unlanded(landed, declared)
    here, afar = (
        {name for name in some if not landed.is_branch(name)} for some in _branches(tops, roll)
    )
    return Overlap(worker, met, contact.contacts(worker.here, here | afar, afar - here))


def _branches(tops: Iterable[Event], roll: Roll) -> tuple[set[str], set[str]]:
    """Return the branches that somebody has claimed something for, or works on: here; elsewhere."""
    named = [
        (roll.branch(place), roll.names.are_away([place]))
        for event in tops
        for place in event.state.line
        if not roll.is_dead(place)
    ]
    named += [(member.branch, bool(member.away)) for member in roll.members([])]
    here = {name for name, away in named if name and not away}
    return here, {name for name, away in named if name and away} - here
