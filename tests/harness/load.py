"""Writers that create records while something happens to the server, and what is lost by it."""

from __future__ import annotations

import multiprocessing
import os
import time
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from coord.stores.cluster import Cluster
from coord.stores.store import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.queues import SimpleQueue

    from coord.etcd.address import Address


def value(name: object) -> bytes:
    """Return a record's bytes, which nobody else writes."""
    return f"{name} {os.urandom(8).hex()}".encode()


class Tally(NamedTuple):
    """What a writer saw of one create: the bytes it sent, whether they are said to stand, when."""

    key: str
    value: bytes
    stands: bool
    at: float


def _write(address: Address, number: int, until: float, seen: SimpleQueue[list[Tally]]) -> None:
    store, found, count = Cluster(address, patience=4), [], 0
    while time.monotonic() < until:
        count += 1
        key, mine = f"claims/s-{number}/{count:08d}", value(number)
        try:
            stands = store.create(key, mine).value == mine
        except StoreError:
            stands = False
        found.append(Tally(key, mine, stands, time.monotonic()))
    seen.put(found)


def under_load(
    address: Address, writers: int, seconds: float, meanwhile: Callable[[], None]
) -> list[Tally]:
    """Let writers create for some seconds, while something happens; return what they saw."""
    context = multiprocessing.get_context("fork")
    seen: SimpleQueue[list[Tally]] = context.SimpleQueue()
    until = time.monotonic() + seconds
    processes = [
        context.Process(target=_write, args=(address, number, until, seen))
        for number in range(writers)
    ]
    for process in processes:
        process.start()
    meanwhile()
    found = [tally for _ in processes for tally in seen.get()]
    for process in processes:
        process.join()
    return found


def lost(store: Cluster, tallies: list[Tally]) -> list[str]:
    """Return the keys whose create was acknowledged, and that are not there as they were sent."""
    there = {rec.key: rec.value for rec in store.list("claims")}
    return [one.key for one in tallies if one.stands and there.get(one.key) != one.value]


def gap(tallies: list[Tally]) -> float:
    """Return the longest time in which nobody's create was acknowledged."""
    moments = sorted(one.at for one in tallies if one.stands)
    return max(later - before for before, later in pairwise(moments))
