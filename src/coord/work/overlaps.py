"""Overlaps of declared paths: found with git, told to the other once a pair, blocking nobody."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from coord.board import claims, letters, view
from coord.board.actors import Actor
from coord.board.messages import TEXT_LIMIT
from coord.order import branches, standing
from coord.order.arrange import LANDED
from coord.overlap import pathspecs, text
from coord.stores import keys
from coord.work import mail

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from coord.board.events import Event, Place
    from coord.board.roll import Roll
    from coord.overlap.pathspecs import Declared, Meeting
    from coord.work.arrive import Worker


def live(tops: Iterable[Event], roll: Roll) -> list[Declared]:
    """Return the claims that declare paths, of the newest events, without those of the dead."""
    return [
        pathspecs.Declared(event.scope, place)
        for event in tops
        for place in event.state.line
        if place.paths and not view.is_unknown(place) and not roll.is_dead(place)
    ]


class Landed:
    """The branches of the board that have landed where the main worktree is; asked of git once."""

    def __init__(self, worker: Worker, roll: Roll, tops: Sequence[Event]) -> None:
        here, onto = worker.here, branches.target(worker.here, "main-worktree/HEAD")
        self._here, self._onto, self._roll = here, onto, roll
        self._found = {} if onto is None else standing.looked_up(here, tops, onto, roll.names)

    def is_branch(self, name: str | None) -> bool:
        """Tell whether a branch has landed, and nobody is at work on it again."""
        found = self._found.get(keys.normal(name or ""))
        return found is not None and found.state == LANDED

    def is_place(self, place: Place) -> bool:
        """Tell whether a place was taken for what has landed of its branch."""
        name = self._roll.branch(place)
        if self._onto is None or not self.is_branch(name):
            return False
        branch = self._found[keys.normal(name or "")]
        return standing.is_of_landed(self._here, self._onto, branch, place)


def unlanded(landed: Landed, met: list[Meeting]) -> list[Meeting]:
    """Return the overlaps of branches that are both still to be merged."""
    gone = {one for meeting in met for one in meeting[:2] if landed.is_place(one.claim)}
    return [one for one in met if not gone & {one.first, one.second}]


def tell(worker: Worker, roll: Roll, scope: str, mine: Place) -> list[Meeting]:
    """Tell whoever `mine` overlaps with, once a pair of claims, and return the overlaps."""
    if not mine.paths:
        return []
    own = pathspecs.Declared(scope, mine)
    tops = list(claims.tops(worker.store))
    met = pathspecs.meetings(worker.here, live(tops, roll), own)
    if met:  # which branches have landed takes several children to tell
        met = unlanded(Landed(worker, roll, tops), met)
    for meetings in text.peers(met, worker.instance).values():
        _tell(worker, meetings)
    return [one for one in met if own in {one.first, one.second}]


def _tell(worker: Worker, meetings: list[Meeting]) -> None:
    """Send one letter for all that is new to a peer; a path that was told for another claim is not.

    Only the first pair carries the letter: killed before it marks the others, it tells them again.
    """
    keyed = {f"{keys.PAIRS}/{_pair(one)}": one for one in meetings}
    new = {key: one for key, one in keyed.items() if worker.store.read(key) is None}
    known = {part for key, one in keyed.items() if key not in new for part in _parts(one)}
    if any(_parts(one) - known for one in new.values()):
        first, *others = new
        peer = text.other(new[first], worker.instance).claim
        to = [Actor(peer.actor, peer.instance or "", "", "", "")]
        words = text.pair(list(new.values()))[:TEXT_LIMIT]
        letters.once(worker.store, first, lambda: mail.written(worker, "overlap", to, words, None))
    else:
        others = list(new)
    for key in others:
        worker.store.create(key, b"{}\n")


def _parts(meeting: Meeting) -> set[object]:
    return {*meeting.files, *meeting.globs}


def _pair(meeting: Meeting) -> str:
    """Return the name of a pair of claims: the same at each announce, another for a new claim."""
    ends = sorted(
        [one.scope, one.claim.instance or "", one.claim.since]
        for one in (meeting.first, meeting.second)
    )
    return hashlib.sha256(json.dumps(ends).encode()).hexdigest()[:40]
