"""How long verbs take that publish on a git remote, where pushes are counted: fleets of a day.

    python bench/turns.py [hours]

A simulation, seeded: nothing of it depends on this machine. Each host is one clone; its turns are
those of coord.remote.pushing, by a clock that is told. A fetch takes half a second and a push one,
as to a hosted service; each worker says something, waits until it stands, and works on. A wake is
what passes from asking for a release until another host's wait has seen it.
"""

from __future__ import annotations

import heapq
import itertools
import random
import statistics
import sys
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from coord.board import chain
from coord.board.choice import PACE
from coord.remote import pushing, tips
from coord.remote.pushing import Share
from coord.remote.tips import Tip

if TYPE_CHECKING:
    from collections.abc import Generator

_FETCH, _PUSH = 0.5, 1.0  # seconds
_FLEETS = ((2, 20, 300), (2, 20, 1200), (4, 10, 300), (4, 10, 1200), (8, 5, 300), (8, 5, 1200))


class Fleet(NamedTuple):
    """What was seen of one: seconds of each verb and wake, and when each push came."""

    verbs: list[float]
    wakes: list[float]
    pushes: list[float]
    lost: int


class _World:
    """A clock, and what is to be done when."""

    def __init__(self) -> None:
        self.now = 0.0
        self._due: list[tuple[float, int, Generator[float]]] = []
        self._count = itertools.count()

    def begin(self, story: Generator[float], after: float = 0.0) -> None:
        """Have a story go on after some seconds; what it yields is for how long it rests then."""
        heapq.heappush(self._due, (self.now + after, next(self._count), story))

    def run(self, end: float) -> None:
        """Let all stories go on until the clock says `end`."""
        while self._due and self._due[0][0] < end:
            self.now, _, story = heapq.heappop(self._due)
            rest = next(story, None)
            if rest is not None:
                self.begin(story, rest)


class _Server:
    """The ref: who has made each commit of it."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.pushes: list[float] = []
        self.lost = 0


class _Host:
    """A clone, and what its workers want pushed."""

    def __init__(self, world: _World, server: _Server, number: int) -> None:
        self._world, self._server = world, server
        self._tip = Tip(name="0", host=f"host-{number}")
        self._share = Share(PACE, lambda _: None)
        self.asked: deque[list[float]] = deque()
        self.is_busy = False

    def _fetched(self) -> Generator[float]:
        began = self._world.now
        yield _FETCH
        new = self._server.made[int(self._tip.name) :]
        seen = {**self._tip.seen, **dict.fromkeys(set(new) - {self._tip.host}, began)}
        name = str(len(self._server.made))
        self._tip = self._tip._replace(name=name, seen=seen, began=began)

    def flush(self) -> Generator[float]:
        """Push for all who ask, in turn: coord.remote.pushing.flush."""
        self.is_busy, work, pause = True, [], pushing._FIRST  # noqa: SLF001  # the code's own
        while work or self.asked:
            work += self.asked
            self.asked.clear()
            if self._world.now - self._tip.began > pushing._LATE:  # noqa: SLF001  # likewise
                yield from self._fetched()
            left = self._share.wait(self._tip)
            if not left and (yield from self._is_pushed()):
                for one in work:
                    one.append(self._world.now)
                work, pause = [], pushing._FIRST  # noqa: SLF001  # likewise
                continue
            yield random.uniform(0, pause)
            pause = min(pushing._MOST, 2 * pause)  # noqa: SLF001  # likewise
            yield self._share.wait(self._tip)
        self.is_busy = False

    def _is_pushed(self) -> Generator[float, None, bool]:
        before, at = self._tip, int(self._tip.name)
        self._tip = self._share.used(before._replace(began=tips.NEVER), lost=True)
        self._server.pushes.append(self._world.now)
        yield _PUSH / 2
        is_first = len(self._server.made) == at
        if is_first:
            self._server.made.append(before.host)
        yield _PUSH / 2
        if is_first:
            began = self._world.now - _PUSH
            self._tip = self._share.used(before._replace(name=str(at + 1), began=began), lost=False)
        self._server.lost += not is_first
        return is_first

    def work(self, every: float, verbs: list[float], wakes: list[float]) -> Generator[float]:
        """Be a worker: say something, wait until it stands, work on."""
        while True:
            yield random.expovariate(1 / every)
            mine = [self._world.now]
            self.asked.append(mine)
            if not self.is_busy:
                self._world.begin(self.flush())
            while len(mine) == 1:
                yield pushing._LOOK * 5  # noqa: SLF001  # likewise, five times as seldom
            verbs.append(mine[1] - mine[0])
            wakes.append(verbs[-1] + random.uniform(0, chain._EVERY) + _FETCH)  # noqa: SLF001


def simulated(hosts: int, workers: int, every: float, seconds: float) -> Fleet:
    """Return how it went with so many hosts and workers a host, each with a verb every so often."""
    random.seed(f"{hosts} {workers} {every}")
    world, server = _World(), _Server()
    tips.clock = lambda: world.now
    found = Fleet([], [], server.pushes, 0)
    for number in range(hosts):
        host = _Host(world, server, number)
        for _ in range(workers):
            world.begin(host.work(every, found.verbs, found.wakes))
    world.run(seconds)
    return found._replace(lost=server.lost)


def most(pushes: list[float], window: float = 60.0) -> int:
    """Return how many pushes came in one minute at most."""
    began = 0
    found = 0
    for at, when in enumerate(pushes):
        while pushes[began] <= when - window:
            began += 1
        found = max(found, at - began + 1)
    return found


def _pair(seconds: list[float]) -> str:
    cuts = statistics.quantiles(seconds, n=100)
    return f"{cuts[49]:.0f} s / {cuts[98]:.0f} s"


def table(hours: float = 8.0) -> str:
    """Return the table of docs/git-board.md."""
    rows = ["| hosts × workers | a verb each | verb, half / 99 % | wake | pushes a minute; most |"]
    rows.append("|---|---|---|---|---|")
    for hosts, workers, every in _FLEETS:
        found = simulated(hosts, workers, every, 3600 * hours)
        mean = len(found.pushes) / hours / 60
        rows.append(
            f"| {hosts} × {workers} | {every // 60} min | {_pair(found.verbs)} "
            f"| {_pair(found.wakes)} | {mean:.1f}; {most(found.pushes)} |"
        )
    return "\n".join(rows)


if __name__ == "__main__":
    print(table(*map(float, sys.argv[1:])))
