"""The tip of a chain, as this clone last saw it, and who asks for it again.

One process of a clone fetches or pushes at a time, and what it learned is every other's: who waited
for a fetch that began after it asked takes its result.

    <cache>/tip   {"schema": 1, "name", "rev", "line", "began", "boot", "pushed"}

A chain that does not go on where it was left is another line, with a new random id: nothing that
was known of the old one is taken for granted. A server may also be several that lag behind each
other, so what we know to have stood there a moment ago still does.
"""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

from coord.base import peerfile, publish
from coord.base.failures import Absent, Unfit
from coord.base.frozen import NamedTuple
from coord.remote import cache as caches
from coord.remote import objects, transport

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from coord.remote.address import Address

#: The number of a chain that has no commit yet; its first has the next.
EMPTY = 1
#: When a tip was seen that nothing is known of.
NEVER = -1e9
_LAGS = 60.0  # seconds in which an older tip than ours is a server that lags behind
_AGAIN, _PAUSE = 3, 0.3
_LONGEST = 12  # digits of a number


class Place(NamedTuple):
    """A chain elsewhere, and what is kept of it here.

    Attributes:
        where: the repository.
        cache: the bare repository of what was fetched.
        patience: seconds within which one fetch or push ends.
        boot: what :func:`clock` counts from.
    """

    where: Address
    cache: str
    patience: float
    boot: str


class Tip(NamedTuple):
    """The end of a chain.

    Attributes:
        name: its commit; empty where there is none.
        rev: its number.
        line: id of the unbroken line that it is the end of.
        began: when the fetch or push began that showed it, by :func:`clock`.
        pushed: when a push of this clone was last tried, likewise.
    """

    name: str = ""
    rev: int = EMPTY
    line: str = ""
    began: float = NEVER
    pushed: float = NEVER


def clock() -> float:
    """Return seconds by a clock that is never set, the same for all processes of a boot."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def known(place: Place) -> Tip:
    """Return the tip that was last seen, whatever has become of it since."""
    try:
        found = json.loads(peerfile.read(_path(place)))
        tip = Tip(str(found["name"]), int(found["rev"]), str(found["line"]))
        times = float(found["began"]), float(found["pushed"])
        # A machine that was set back, and a boot before this one, had other seconds.
        counts = found["boot"] == place.boot != "" and max(times) <= clock()
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return Tip()
    return tip._replace(began=times[0], pushed=times[1]) if counts else tip


def keep(place: Place, tip: Tip) -> Tip:
    """Write down what is known now, in :func:`alone`."""
    document = {"schema": 1, **tip._asdict(), "boot": place.boot}
    publish.replace(_path(place), json.dumps(document).encode() + b"\n")
    return tip


def _path(place: Place) -> str:
    return os.path.join(place.cache, "tip")


def alone(place: Place) -> AbstractContextManager[object]:
    """Fetch or push as the only one of this clone, for a block.

    Raises:
        Held: another does not end.
    """
    caches.ensure(place.cache)
    return publish.lock(os.path.join(place.cache, "net.lock"), patience=2 * place.patience)


def fetched(place: Place, since: float) -> Tip:
    """Return the tip as a fetch shows it that began at `since` or later.

    Raises:
        Failure: the repository does not answer, or this is none.
    """
    tip = known(place)
    if tip.began >= since:
        return tip
    try:
        with alone(place):
            tip = known(place)
            return tip if tip.began >= since else _fetched(place, tip)
    except publish.Held as error:
        raise Absent(place.where.text, f"another process of this clone is at it: {error}") from error


def _fetched(place: Place, tip: Tip) -> Tip:
    """Ask the repository; an answer that is behind what we know is asked for once more."""
    for last in (False,) * _AGAIN + (True,):
        began = clock()
        name = transport.fetch(place.cache, place.where, time.monotonic() + place.patience)
        ahead = _ahead(place, tip, name)
        if ahead is not None and ahead >= 0:
            return keep(place, tip._replace(name=name, rev=tip.rev + ahead, began=began))
        is_behind = ahead is not None and began - tip.began < _LAGS
        if not is_behind:
            break
        if last:
            return tip
        time.sleep(_PAUSE)
    return keep(place, Tip(name, _number(place, name), os.urandom(8).hex(), began, tip.pushed))


def _ahead(place: Place, tip: Tip, name: str) -> int | None:
    """Return how far `name` is ahead of a tip, less than 0 behind it; None if of another line."""
    if not tip.line:
        return None
    if name == tip.name:
        return 0
    if not name or not tip.name:
        return None if tip.name else _number(place, name) - EMPTY
    ahead = objects.distance(place.cache, tip.name, name)
    if ahead is None:
        behind = objects.distance(place.cache, name, tip.name)
        return None if behind is None else -behind
    return ahead if _number(place, name) == tip.rev + ahead else None


def _number(place: Place, name: str) -> int:
    """Return the number of a commit, which its message is.

    Raises:
        Unfit: it has none: what stands there is no board.
    """
    if not name:
        return EMPTY
    digits = objects.subject(place.cache, name)
    if digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST:
        return int(digits)
    raise Unfit(place.where.text, f"its {transport.REF} is no board: {name[:12]} has no number")
