"""``list``: what living workers have announced."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.board import abouttext, claims
from coord.work import arrive

if TYPE_CHECKING:
    from coord.board.abouttext import Announcement
    from coord.board.roll import Roll
    from coord.work.arrive import Worker
    from coord.work.call import Call


class Announcements(NamedTuple):
    """Who asks, the roll, and the announcements, scopes in order."""

    worker: Worker
    roll: Roll
    found: list[Announcement]


def announcements(call: Call) -> Announcements:
    """Return the claims of living workers on branches, and those with intent or paths."""
    worker = arrive.looking(call)
    roll = worker.roll()
    events = sorted(claims.taken(worker.store), key=lambda event: event.scope)
    return Announcements(worker, roll, abouttext.announced(events, roll))
