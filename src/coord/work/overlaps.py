"""Overlaps of declared paths: found with git, told to both owners once a pair, blocking nobody."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from coord.board import claims, keys, letters, view
from coord.board.actors import Actor
from coord.board.messages import TEXT_LIMIT
from coord.overlap import pathspecs, text
from coord.work import mail

if TYPE_CHECKING:
    from coord.board.events import Place
    from coord.board.roll import Roll
    from coord.overlap.pathspecs import Declared, Meeting
    from coord.work.arrive import Worker


def live(worker: Worker, roll: Roll) -> list[Declared]:
    """Return the claims that declare paths, without those of the dead."""
    return [
        pathspecs.Declared(event.scope, place)
        for event in claims.tops(worker.store)
        for place in event.state.line
        if place.paths and not view.is_unknown(place) and not roll.is_dead(place)
    ]


def tell(worker: Worker, roll: Roll, scope: str, mine: Place) -> list[Meeting]:
    """Tell both owners of every overlap with `mine`, once a pair, and return the overlaps."""
    own = pathspecs.Declared(scope, mine)
    found = pathspecs.meetings(worker.here, live(worker, roll), own) if mine.paths else []
    for meeting in found:
        _tell(worker, meeting)
    return found


def _tell(worker: Worker, meeting: Meeting) -> None:
    owners = [one.claim for one in (meeting.first, meeting.second)]
    to = [Actor(one.actor, one.instance or "", "", "", "") for one in owners]
    words = "\n".join(line.replace("  | ", "  ") for line in text.lines(meeting))[:TEXT_LIMIT]
    letters.once(
        worker.store,
        f"{keys.PAIRS}/{_pair(meeting)}",
        lambda: mail.written(worker, "overlap", to, words, None),
    )


def _pair(meeting: Meeting) -> str:
    """Return the name of a pair of claims: the same at each announce, another for a new claim."""
    ends = sorted(
        [one.scope, one.claim.instance or "", one.claim.since]
        for one in (meeting.first, meeting.second)
    )
    return hashlib.sha256(json.dumps(ends).encode()).hexdigest()[:40]
