"""Five nights of twenty workers that all think alike: how many different things get done.

A simulation, seeded: nothing of it depends on this machine. Each night the same cron line starts
everybody. Each looks at the board, thinks, and goes for the best task it saw free; where somebody
else was first, it looks again, and after three looks it has had enough. Lanes are suggested by the
product's own code. Tasks differ in worth, and all see the same worth: that is the herd.
"""

from __future__ import annotations

import heapq
import random
import statistics
import sys
from typing import NamedTuple

from coord.board.events import Place
from coord.fleet.lanes import Row
from coord.fleet.suggestion import suggest
from coord.settings.config import Lane

NIGHTS, WORKERS, TASKS, LOOKS, SEEDS = 5, 20, 40, 3, 50
STAGGER, THINKING = 5.0, (0.2, 1.0)
LANES = ("social", "docs", "care")
DAY = 86400.0
SOMEBODY = Place("somebody", "somebody", None, "")


class Habits(NamedTuple):
    """What the fleet does."""

    jitter: bool = False
    claims: bool = False
    lanes: bool = False


class Night(NamedTuple):
    """How a night went: different tasks and lanes taken, lanes, work done twice, workers idle."""

    taken: int
    lanes: int
    twice: int
    idle: int


FLEETS = {
    "as they come": Habits(),
    "jitter": Habits(jitter=True),
    "claims": Habits(claims=True),
    "jitter + claims": Habits(jitter=True, claims=True),
    "jitter + claims + lanes": Habits(jitter=True, claims=True, lanes=True),
}


def night(habits: Habits, chance: random.Random) -> Night:
    """Return how one night goes."""
    workers = [f"{chance.getrandbits(64):016x}" for _ in range(WORKERS)]
    looks = [(chance.uniform(0, STAGGER) if habits.jitter else 0.0, 0, who) for who in workers]
    heapq.heapify(looks)
    decided: list[tuple[float, int, str, str]] = []
    taken: dict[str, list[str]] = {}
    while looks or decided:
        if decided and (not looks or decided[0][:2] < looks[0][:2]):
            at, count, who, choice = heapq.heappop(decided)
            if not (habits.claims and choice in taken):
                taken.setdefault(choice, []).append(who)
            elif count < LOOKS:
                heapq.heappush(looks, (at, count, who))
            continue
        at, count, who = heapq.heappop(looks)
        choice = best(habits, who, set(taken) if habits.claims else set())
        heapq.heappush(decided, (at + chance.uniform(*THINKING), count + 1, who, choice))
    busy = sum(map(len, taken.values()))
    return Night(len(taken), len(set(taken) & set(LANES)), busy - len(taken), WORKERS - busy)


def best(habits: Habits, who: str, taken: set[str]) -> str:
    """Return what a worker goes for: the lane it is sent to, else the best task it sees free."""
    lanes = LANES if habits.lanes else ()
    rows = [
        Row(Lane(name, DAY), None, 2 * DAY, SOMEBODY if name in taken else None) for name in lanes
    ]
    found = suggest(rows, None, who, 0.0)
    if found is not None:
        return found.name
    return next(task for task in map(str, range(TASKS)) if task not in taken)


def main() -> None:
    """Print the mean of each habit over the nights and the seeds."""
    sys.stdout.write(
        f"{NIGHTS} nights, {WORKERS} identical workers, mean a night over {SEEDS} seeds\n"
        f"{'':<26}{'taken, each once':>17}{'of these lanes':>16}{'done twice':>12}{'idle':>7}\n"
    )
    for name, habits in FLEETS.items():
        nights = [
            night(habits, chance)
            for seed in range(SEEDS)
            for chance in [random.Random(seed)]
            for _ in range(NIGHTS)
        ]
        means = [statistics.mean(column) for column in zip(*nights, strict=True)]
        sys.stdout.write(
            f"  {name:<24}{means[0]:>17.1f}{means[1]:>16.1f}{means[2]:>12.1f}{means[3]:>7.1f}\n"
        )


if __name__ == "__main__":
    main()
