"""Simulated hours of hosts that share a board on a git remote, within so many pushes a minute.

``python bench/gitpace.py [HOURS]``: 8 by default, a second or two each line. The rule is
:mod:`coord.remote.share` itself, by the clock of the simulation; a clone pushes for all that wait
in it, as :func:`coord.remote.pushing.flush` does, and its waiters fetch as ``Chain.watch`` does.
What a fetch and a push take is as it was measured at a git daemon, and 100 to 200 ms of way. A verb
is one fetch, and its record pushed; ``to a waiter`` is from its begin until another host knows.
"""

from __future__ import annotations

import heapq
import itertools
import random
import sys
from typing import TYPE_CHECKING, NamedTuple

from coord.remote import pushing, share, tips
from coord.remote.share import Share
from coord.remote.tips import Tip

if TYPE_CHECKING:
    from collections.abc import Iterator

    Task = Iterator[float]

HOURS = 8.0
FETCH, PUSH, WAY = (0.05, 0.11), (0.07, 0.14), (0.1, 0.2)  # seconds
EVERY = 5.0  # seconds between the fetches of those who wait
MINUTE = 60.0
SHAPES = ((2, 20), (1, 10), (5, 8), (10, 4), (40, 1))
GAPS = (5, 10, 20)  # minutes between two writing verbs of a worker
RATES = (6.0, 30.0, 0.0)


class World:
    """Tasks that take turns by a clock of their own: each yields the seconds that it sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self._count = itertools.count()
        self._heap: list[tuple[float, int, Task]] = []

    def start(self, task: Task, after: float = 0.0) -> None:
        """Have a task begin."""
        heapq.heappush(self._heap, (self.now + after, next(self._count), task))

    def run(self, until: float) -> None:
        """Let time go on."""
        while self._heap and self._heap[0][0] < until:
            self.now, _, task = heapq.heappop(self._heap)
            for seconds in task:
                self.start(task, seconds)
                break


class Tally:
    """What was seen: seconds of each verb and until each was heard of, pushes, and lost races."""

    def __init__(self) -> None:
        self.verbs: list[float] = []
        self.wakes: list[float] = []
        self.pushes: list[float] = []
        self.lost = 0
        self.given_up = 0


class Server:
    """The repository: its commits, and whose each is."""

    def __init__(self, world: World, tally: Tally) -> None:
        self.world = world
        self.tally = tally
        self.commits: list[str] = [""]

    def push(self, old: int, host: str) -> bool:
        """Take a commit on the tip `old`; False where that is another."""
        self.tally.pushes.append(self.world.now)
        if old != len(self.commits):
            self.tally.lost += 1
            return False
        self.commits.append(host)
        return True


class Host:
    """A clone: what its workers want pushed, and what it knows of the tip."""

    def __init__(self, name: str, server: Server, rate: float) -> None:
        self.server = server
        self.world = server.world
        self.pace = Share(rate, lambda _: None)
        self.tip = Tip("1", 1, "line", host=name)
        self.asked: list[float] = []
        self.flushing = False
        self._free = 0.0
        self._answered: set[float] = set()
        self.wakers: list[tuple[int, float]] = []

    def _net(self, span: tuple[float, float]) -> tuple[float, float]:
        """Take the network as the only one of the clone; return when that begins, and its way."""
        begin = max(self.world.now, self._free)
        way = random.uniform(*WAY)
        took = random.uniform(*span) + way
        self._free = begin + took
        return begin, took

    def fetch(self, since: float) -> Task:
        """Bring the tip up to date, as it was at `since` or later."""
        while self.tip.began < since:
            begin, took = self._net(FETCH)
            yield begin + took / 2 - self.world.now
            rev = len(self.server.commits)
            yield took / 2
            self._learn(begin, rev)

    def _learn(self, began: float, rev: int) -> None:
        if rev > self.tip.rev:
            who = self.server.commits[self.tip.rev : rev]
            self.tip = tips.gone_on(self.tip, str(rev), who, len(who), began)
        else:
            self.tip = self.tip._replace(began=max(began, self.tip.began))
        self.wake()

    def wake(self) -> None:
        """Let those who wait know of what is known here."""
        for one in [one for one in self.wakers if one[0] <= self.tip.rev]:
            self.wakers.remove(one)
            self.server.tally.wakes.append(self.world.now - one[1])

    def push(self) -> Task:
        """Push a commit on the tip; `won` tells whether it was accepted."""
        self.won, tip = False, self.tip
        begin, took = self._net(PUSH)
        yield begin - self.world.now
        if tip.rev != self.tip.rev:
            return
        self.tip = share.spent(self.tip._replace(began=tips.NEVER))
        yield took / 2
        self.won = self.server.push(self.tip.rev, self.tip.host)
        yield took / 2
        if self.won:
            rev = self.tip.rev + 1
            self.tip = share.won(self.tip._replace(name=str(rev), rev=rev, began=begin))
            self.wake()

    def flush(self) -> Task:
        """Push what waits, in this clone's turn."""
        work: list[float] = []
        for lost in range(pushing.TRIES):
            yield from self._turn(lost)
            work, self.asked = work + self.asked, []
            yield from self._late()
            yield from self.push()
            if self.won:
                break
            yield from self.fetch(self.world.now)
        else:
            self.server.tally.given_up += len(work)
        self._answered.update(work)
        self.flushing = False

    def _late(self) -> Task:
        if self.pace.rate:
            yield from self.fetch(self.world.now - pushing.LATE)

    def _turn(self, lost: int) -> Task:
        yield from self._late()
        left = self.pace.wait(self.tip)
        end = self.world.now + self.pace.longest(self.tip)
        while (lost or left) and self.world.now < end:
            yield min(left + self.pace.rest(self.tip, lost), end - self.world.now)
            yield from self.fetch(self.world.now)
            left, lost = self.pace.wait(self.tip), 0

    def publish(self, asked: float) -> Task:
        """Have something pushed, by whoever of the clone pushes next."""
        self.asked.append(asked)
        while asked not in self._answered:
            if self.flushing or asked not in self.asked:
                yield 0.02
            else:
                self.flushing = True
                yield from self.flush()
        self._answered.remove(asked)

    def watch(self) -> Task:
        """Fetch for those who wait."""
        while True:
            yield from self.fetch(self.world.now - EVERY + 0.01)
            yield max(0.25, self.tip.began + EVERY - self.world.now)


class Shape(NamedTuple):
    """Some hosts with some workers each, who write now and then."""

    hosts: int
    workers: int
    gap: float
    rate: float
    at_once: bool = False


def worker(host: Host, others: list[Host], gap: float, begins: float) -> Task:
    """Write now and then, and let somebody on another host wait for it."""
    tally, world = host.server.tally, host.world
    yield begins
    while True:
        begun = world.now
        yield from host.fetch(begun)
        yield from host.publish(world.now + random.random() / 1e6)
        tally.verbs.append(world.now - begun)
        other = random.choice(others)
        other.wakers.append((host.tip.rev, begun))
        other.wake()
        yield random.expovariate(1 / gap)


def simulated(shape: Shape, hours: float, seed: int = 1) -> Tally:
    """Return what is seen in some hours."""
    random.seed(seed)
    world, tally = World(), Tally()
    tips.clock = lambda: world.now
    server = Server(world, tally)
    hosts = [Host(f"h{number}", server, shape.rate) for number in range(shape.hosts)]
    gap = MINUTE * shape.gap
    for host in hosts:
        world.start(host.watch(), random.uniform(0, EVERY))
        others = [one for one in hosts if one is not host] or hosts
        for _ in range(shape.workers):
            begins = 0.0 if shape.at_once else random.expovariate(1 / gap)
            world.start(worker(host, others, gap, begins))
    world.run(3600 * hours)
    return tally


def busiest(moments: list[float]) -> int:
    """Return the most of some moments that lie within one minute."""
    moments, first, most = sorted(moments), 0, 0
    for last, moment in enumerate(moments):
        while moment - moments[first] >= MINUTE:
            first += 1
        most = max(most, last - first + 1)
    return most


def at(found: list[float], share: float) -> float:
    """Return what so many of some figures are no more than."""
    ordered = sorted(found) or [0.0]
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def line(shape: Shape, hours: float) -> str:
    """Return a row of the table."""
    found = simulated(shape, hours)
    name = f"{shape.hosts} × {shape.workers}{', all at once' if shape.at_once else ''}"
    times = " | ".join(
        f"{at(some, 0.5):.1f} / {at(some, 0.99):.0f} / {max(some, default=0):.0f}"
        for some in (found.verbs, found.wakes)
    )
    pushes = f"{len(found.pushes) / hours / 60:.1f} | {busiest(found.pushes)}"
    rate = f"{shape.rate:g}" if shape.rate else "any"
    lost = f"{found.lost}/{len(found.pushes)}, {found.given_up}"
    return f"| {rate} | {name} | {shape.gap} | {times} | {pushes} | {lost} |"


def main() -> None:
    """Print the table."""
    hours = float(sys.argv[1]) if sys.argv[1:] else HOURS
    heads = (
        "pushes a minute", "hosts × workers", "a verb each, min", "verb p50/p99/max s",
        "to a waiter p50/p99/max s", "pushes a minute, mean", "the worst", "lost, given up",
    )  # fmt: skip
    sys.stdout.write(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}\n")
    shapes = [Shape(*some, gap, rate) for rate in RATES for some in SHAPES for gap in GAPS]
    shapes += [Shape(*some, 5, 6.0, at_once=True) for some in SHAPES]
    for shape in shapes:
        sys.stdout.write(f"{line(shape, hours)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
