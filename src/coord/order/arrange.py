"""In which order branches are merged: finished first, the widest first, none before its waits.

Pure. A branch *waits on* another when it has a place in some line behind a place of the other. Of
those whose waits are over, the first by its :class:`_Turn` is next. Where branches wait on each
other in a circle, the first of them goes ahead of its turn, and the circle is reported. A line of n
places counts as n - 1 waits here, each place on the one before, so that all is near-linear.
"""

from __future__ import annotations

import heapq
import itertools
from typing import TYPE_CHECKING, NamedTuple

from coord.order import circles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

FINISHED, RUNNING, LANDED = "finished", "running", "landed"


class Candidate(NamedTuple):
    """A branch with claims.

    Attributes:
        name: short name.
        state: ``finished``, ``running`` or ``landed``.
        footprint: the artifacts it claims.
        since: its earliest claim, RFC 3339.
    """

    name: str
    state: str
    footprint: tuple[str, ...] = ()
    since: str = ""


class Arrangement(NamedTuple):
    """The answer.

    Attributes:
        order: every branch once; what has landed comes last, as nothing of it is left to merge.
        waits_on: {branch: all that it waits on, in the order}; nobody waits on what has landed.
        cycles: branches that wait on each other, in the order that broke the circle.
    """

    order: tuple[Candidate, ...]
    waits_on: Mapping[str, tuple[str, ...]]
    cycles: tuple[tuple[str, ...], ...]


class _Turn(NamedTuple):
    """What decides between two branches; the lowest is next.

    Attributes:
        rank: 0 finished, 1 running and waited for by one that is finished, 2 running.
        narrowness: the number of its artifacts, negative.
        since: its earliest claim.
        name: its name.
    """

    rank: int
    narrowness: int
    since: str
    name: str


def arranged(candidates: Iterable[Candidate], lines: Iterable[Sequence[str]]) -> Arrangement:
    """Return the order of `candidates`.

    Args:
        candidates: the branches, each name once.
        lines: for each scope the branches in its line, the holder's first; names that are no
            candidate's are passed over, and a branch counts by its first place.
    """
    known = sorted(candidates, key=lambda one: (one.since, one.name))
    merged = {one.name: one for one in known if one.state != LANDED}
    queues = [[name for name in dict.fromkeys(line) if name in merged] for line in lines]
    ahead = _ahead(merged, queues)
    groups = circles.groups(ahead)
    order = list(_Queue(_turns(merged, ahead), ahead, groups).taken())
    at = {name: number for number, name in enumerate(order)}
    found = [tuple(sorted(group, key=at.__getitem__)) for group in groups if len(group) > 1]
    return Arrangement(
        order=(*(merged[name] for name in order), *(one for one in known if one.state == LANDED)),
        waits_on=_waits(queues, at),
        cycles=tuple(sorted(found, key=lambda circle: at[circle[0]])),
    )


def _ahead(names: Iterable[str], queues: Iterable[Sequence[str]]) -> dict[str, set[str]]:
    """Return the branches right ahead of each."""
    found: dict[str, set[str]] = {name: set() for name in names}
    for queue in queues:
        for before, name in itertools.pairwise(queue):
            found[name].add(before)
    return found


def _waits(queues: Iterable[Sequence[str]], at: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """Return all the branches ahead of each that waits, in the order."""
    found: dict[str, set[str]] = {}
    for queue in queues:
        for index, name in enumerate(queue[1:], 1):
            found.setdefault(name, set()).update(queue[:index])
    return {name: tuple(sorted(others, key=at.__getitem__)) for name, others in found.items()}


def _turns(candidates: Mapping[str, Candidate], ahead: Mapping[str, set[str]]) -> dict[str, _Turn]:
    needed: set[str] = set()
    for name, one in candidates.items():
        if one.state == FINISHED:
            circles.visited(name, ahead, needed)
    return {
        name: _Turn(_rank(one, needed), -len(one.footprint), one.since, name)
        for name, one in candidates.items()
    }


def _rank(one: Candidate, needed: set[str]) -> int:
    if one.state == FINISHED:
        return 0
    return 1 if one.name in needed else 2


class _Queue:
    """The branches whose turn it could be, by group: a circle, or a branch in none.

    A group that waits on nothing outside itself any more has always a member at hand: one that
    waits on no other member either or, in a circle not broken yet, the first of them by its turn.
    """

    def __init__(
        self,
        turns: Mapping[str, _Turn],
        ahead: Mapping[str, set[str]],
        groups: Sequence[Sequence[str]],
    ) -> None:
        self._turns = turns
        self._behind = circles.turned(ahead)
        self._group = {name: number for number, group in enumerate(groups) for name in group}
        self._left = [sorted((turns[name] for name in group), reverse=True) for group in groups]
        self._at_hand = [0] * len(groups)
        self._outer = [0] * len(groups)  # waits of a group's members on others than members
        self._inner = dict.fromkeys(turns, 0)  # waits of a branch on members of its group
        for name, others in ahead.items():
            for other in others:
                if self._group[other] == self._group[name]:
                    self._inner[name] += 1
                else:
                    self._outer[self._group[name]] += 1
        self._heap: list[_Turn] = []
        self._offered: set[str] = set()

    def taken(self) -> Iterator[str]:
        """Yield each branch at its turn."""
        for group in range(len(self._left)):
            self._provide(group)
        while self._heap:
            name = heapq.heappop(self._heap).name
            yield name
            self._take(name)

    def _take(self, name: str) -> None:
        mine = self._group[name]
        self._at_hand[mine] -= 1
        for other in self._behind[name]:
            theirs = self._group[other]
            if theirs != mine:
                self._outer[theirs] -= 1
                self._provide(theirs)
                continue
            self._inner[other] -= 1
            if not self._inner[other]:
                self._offer(self._turns[other])
        self._provide(mine)

    def _provide(self, group: int) -> None:
        """Offer a member of `group` where none is at hand."""
        left = self._left[group]
        while left and not self._at_hand[group] and not self._outer[group]:
            self._offer(left.pop())

    def _offer(self, turn: _Turn) -> None:
        if turn.name not in self._offered:
            self._offered.add(turn.name)
            self._at_hand[self._group[turn.name]] += 1
            heapq.heappush(self._heap, turn)
