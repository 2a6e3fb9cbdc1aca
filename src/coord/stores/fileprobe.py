"""A race on the board's own file system: of many who create one record, does one win?

The board stands on that, and not every network or fuse mount keeps it. What cannot be written is
found elsewhere; nothing is left behind, no time stamp either.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING, NamedTuple

from coord.base.names import quote
from coord.stores import recordfile
from coord.stores.probe import Probe, Trouble

if TYPE_CHECKING:
    from collections.abc import Iterator

_RACERS = 4
_ROUNDS = 20
_SECONDS = 0.03


class Race(NamedTuple):
    """How it went.

    Attributes:
        folder: where; "" when nothing could be written.
        rounds: records that all racers tried to create.
        odd: how many of them had other than one winner, or another content than the winner's.
    """

    folder: str = ""
    rounds: int = 0
    odd: int = 0


def run(folder: str) -> Race:
    """Race in `folder`, beside the board, for a moment."""
    scratch = os.path.join(folder, f"board.race-{os.getpid()}-{os.urandom(4).hex()}")
    try:
        stamps = os.stat(folder)
        os.mkdir(scratch)
    except OSError:
        return Race()
    try:
        odd = list(_rounds(scratch))
        return Race(folder, len(odd), sum(odd))
    except OSError:
        return Race()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        with contextlib.suppress(OSError):  # another user's folder: only its owner sets times back
            os.utime(folder, ns=(stamps.st_atime_ns, stamps.st_mtime_ns))


def _rounds(scratch: str) -> Iterator[bool]:
    """Yield for each record whether it went wrong, for a moment and at least once."""
    racers = [os.path.join(scratch, f"racer-{number}") for number in range(_RACERS)]
    for racer in racers:
        with open(racer, "xb") as file:
            file.write(os.fsencode(racer))
    start = Barrier(_RACERS)
    end = time.monotonic() + _SECONDS

    def place(racer: str) -> bool:
        start.wait()
        return recordfile.place(racer, path)

    with ThreadPoolExecutor(_RACERS) as pool:
        for number in range(_ROUNDS):
            path = os.path.join(scratch, str(number))
            firsts = list(pool.map(place, racers))
            found = recordfile.read(path, "x")
            winner = os.fsdecode(found.value) if found else ""
            yield firsts != [racer == winner for racer in racers] or True not in firsts
            if time.monotonic() > end:
                return


def probe(folder: str) -> Probe:
    """Try the file system; a race that could not be held says nothing."""
    race = run(folder)
    if not race.odd:
        right = f"of {_RACERS} who create one record at once, one wins" if race.rounds else ""
        return Probe(folder, right)
    message = (
        f"of {race.rounds} records that {_RACERS} created at once, {race.odd} had not exactly "
        "one winner: claims on this file system have two holders"
    )
    trouble = Trouble("store-not-atomic", race.folder, message, f"df -T {quote(race.folder)}")
    return Probe(folder, troubles=(trouble,))
