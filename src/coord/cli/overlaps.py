"""Overlaps of declared paths: found with git, told to both owners once a pair, blocking nobody."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from coord.board import claims, keys, letters, view
from coord.board.actors import Actor
from coord.board.messages import TEXT_LIMIT
from coord.cli import talk
from coord.overlap import pathspecs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.board.events import Place
    from coord.board.roll import Roll
    from coord.cli.seat import Seat
    from coord.overlap.pathspecs import Declared, Meeting

_NAMED = 5


def live(seat: Seat, roll: Roll) -> list[Declared]:
    """Return the claims that declare paths, without those of the dead."""
    return [
        pathspecs.Declared(event.scope, place)
        for event in claims.tops(seat.store)
        for place in event.state.line
        if place.paths and not view.is_unknown(place) and not roll.is_dead(place)
    ]


def tell(seat: Seat, roll: Roll, scope: str, mine: Place) -> list[Meeting]:
    """Tell both owners of every overlap with `mine`, once a pair, and return the overlaps."""
    own = pathspecs.Declared(scope, mine)
    found = pathspecs.meetings(seat.here, live(seat, roll), own) if mine.paths else []
    for meeting in found:
        _tell(seat, meeting)
    return found


def lines(meeting: Meeting) -> Iterator[str]:
    """Yield an overlap as a person reads it; paths are others' words."""
    yield f"{_named(meeting.first)} and {_named(meeting.second)} declare the same paths"
    for path in meeting.files[:_NAMED]:
        yield f"  | {path}"
    for one, other in meeting.globs[:_NAMED]:
        yield f"  | {one} and {other}, where nothing is tracked yet"
    more = max(len(meeting.files) - _NAMED, 0) + max(len(meeting.globs) - _NAMED, 0)
    if more:
        yield f"  and {more} more"


def document(meeting: Meeting) -> dict[str, object]:
    """Return an overlap as JSON answers tell it."""
    return {
        "claims": [_claim(meeting.first), _claim(meeting.second)],
        "files": list(meeting.files),
        "globs": [list(pair) for pair in meeting.globs],
    }


def _tell(seat: Seat, meeting: Meeting) -> None:
    owners = [one.claim for one in (meeting.first, meeting.second)]
    to = [Actor(one.actor, one.instance or "", "", "", "") for one in owners]
    text = "\n".join(line.replace("  | ", "  ") for line in lines(meeting))[:TEXT_LIMIT]
    letters.once(
        seat.store,
        f"{keys.PAIRS}/{_pair(meeting)}",
        lambda: talk.written(seat, "overlap", to, text, None),
    )


def _pair(meeting: Meeting) -> str:
    """Return the name of a pair of claims: the same at each announce, another for a new claim."""
    ends = sorted(
        [one.scope, one.claim.instance or "", one.claim.since]
        for one in (meeting.first, meeting.second)
    )
    return hashlib.sha256(json.dumps(ends).encode()).hexdigest()[:40]


def _named(one: Declared) -> str:
    branch = one.claim.branch
    on = f" on {branch}" if branch and one.scope != f"branch:{branch}" else ""
    return f"{one.scope} ({one.claim.actor}{on})"


def _claim(one: Declared) -> dict[str, object]:
    return {
        "scope": one.scope,
        "actor": one.claim.actor,
        "instance": one.claim.instance,
        "branch": one.claim.branch,
        "paths": list(one.claim.paths),
    }
