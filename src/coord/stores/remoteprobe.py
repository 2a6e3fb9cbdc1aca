"""A git remote tried as a board: what it lets us do, who wins a race, and how long that takes.

It pushes three times, if there is room for a push now: two commits on one tip at once, each with a
record of no meaning, of which one may win; and one more that takes the record away. Where another
clone is faster than both they are pushed once more.
"""

from __future__ import annotations

import os
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier
from typing import TYPE_CHECKING, NamedTuple

from coord.base.failures import Absent, Denied, Failure, Unfit
from coord.base.names import quote, shown
from coord.remote import objects, share, tips, transport, words
from coord.remote.draft import Ask, Change, Draft, Held
from coord.repo import git
from coord.stores import about, answers, moved
from coord.stores.probe import Probe, Trouble
from coord.stores.store import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from coord.remote.share import Share
    from coord.remote.tips import Place, Tip
    from coord.stores.transacting import Transacting

_FETCHES, _RACERS, _ROUNDS = 3, 2, 2
_LAGS, _PAUSE = 10, 0.5  # looks for what was accepted, and the seconds between two
_MANY = 1000  # refs
_SOON = 5.0  # seconds that are waited for a turn
_SLOW = 2.0  # seconds that a push may take longer than a fetch
_OPEN = (
    "who may push there can rewrite or delete the board, since git protects branches alone: it "
    "would show"
)


class _Raced(NamedTuple):
    """What became of pushes on one tip at once.

    Attributes:
        won: the tips that were accepted.
        took: seconds until each of these was.
        lag: seconds for which a fetch did not show it then; None where it never did.
    """

    won: Sequence[Tip] = ()
    took: Sequence[float] = ()
    lag: float | None = 0.0


def probe(store: Transacting[Held], place: Place, pace: Share) -> Probe:
    """Try a repository as a board.

    Args:
        store: the board there.
        place: where it is, and what is kept of it.
        pace: this clone's share of its pushes.
    """
    where = place.where.text
    if apart := _apart(place):
        return Probe(where, troubles=(apart,))
    facts: list[str] = []
    try:
        store.read(about.KEY)
        look = statistics.median(_took(lambda: _fetched(place)) for _ in range(_FETCHES))
        facts += [f"a fetch takes {_told(look)} (median of {_FETCHES})", _size(place), _rate(pace)]
        count = transport.refs(place.cache, place.where, time.monotonic() + place.patience)
        if (goal := store.left_for()) is not None:
            raise moved.Moved(goal, where)
        raced = _tried(store, place, pace)
    except (Failure, StoreError) as error:
        return Probe(where, facts=tuple(facts), troubles=(_trouble(error, place),))
    facts += [f"a push takes {_told(one)}" for one in raced.took[:1]]
    if len(raced.won) > 1:
        return Probe(where, facts=tuple(facts), troubles=(_not_atomic(where),))
    right = f"at {where}, of {_RACERS} who push on one tip at once, one wins" if raced.won else ""
    return Probe(where, right, tuple(facts), (*_notes(look, count, raced), _OPEN))


def _fetched(place: Place) -> Tip:
    return tips.fetched(place, tips.clock())


def _took(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def _told(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"


def _size(place: Place) -> str:
    tip = tips.known(place)
    count = len(objects.files(place.cache, tip.name)) if tip.name else 0
    kept = sum(map(_bytes, (place.cache, place.home))) / 1_000_000
    return f"{count} records, the board's commit {tip.rev}; {kept:.1f} MB are kept of it here"


def _bytes(folder: str) -> int:
    found = 0
    for at, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                found += os.lstat(os.path.join(at, name)).st_size
    return found


def _rate(pace: Share) -> str:
    if not pace.rate:
        return "its clones push as often as they like"
    return f"its clones share {pace.rate:g} pushes a minute"


def _notes(look: float, count: int, raced: _Raced) -> Iterator[str]:
    if count > _MANY:
        yield (
            f"the repository has {count} refs or more, and tells each push of them all: one of the "
            "board's own is quicker"
        )
    if not raced.won:
        yield (
            "whether of two pushes at once one wins was not tried: others push, or the pushes of "
            "this minute are used up"
        )
    if any(took - look > _SLOW for took in raced.took):
        yield (
            "the server takes long to accept a push, and every verb that publishes waits for it: "
            "its hooks, or its upkeep (receive.autoGC)"
        )
    if raced.lag != 0:
        until = f"{_told(raced.lag)} later" if raced.lag else "not in time"
        yield (
            f"what was accepted was shown {until}: several servers answer there, and some lag; "
            "what others do is seen as late"
        )


def _tried(store: Transacting[Held], place: Place, pace: Share) -> _Raced:
    """Race where there is room for a push, and leave nothing.

    Raises:
        Failure: it cannot be pushed, or what was pushed cannot be fetched.
        StoreError: what was created cannot be taken away.
    """
    if not tips.known(place).name:
        return _Raced()  # whatever stood there is gone, as the copy tells; nothing is begun anew
    left = pace.wait(tips.known(place))
    if left > _SOON:
        return _Raced()  # who only looks waits for no turn
    key = f"about/probe-{os.urandom(8).hex()}"
    time.sleep(left)
    try:
        for _ in range(_ROUNDS):
            raced = _raced(place, key)
            if raced.won:
                break
    except Failure:
        with suppress(StoreError):  # one of them may stand
            if store.read(key) is not None:
                store.drop([key])
        raise
    if raced.won:
        store.drop([key])
    _pay(place)
    return raced


def _raced(place: Place, key: str) -> _Raced:
    """Push commits on one tip at once.

    Raises:
        Failure: one of them cannot be pushed.
    """
    with tips.alone(place):
        tip, began = tips.known(place), tips.clock()
        made = [_made(place, tip, key, number) for number in range(_RACERS)]
        took = _pushed(place, tip, made)
        won = [one for one, seconds in zip(made, took, strict=True) if seconds is not None]
        if won:
            tips.keep(place, won[-1]._replace(began=began))
            return _Raced(won, [one for one in took if one is not None], _lag(place, won[-1]))
    if _fetched(place).name == tip.name:
        raise Unfit(place.where.text, "whatever is pushed there, the board stays as it is")
    return _Raced()


def _made(place: Place, tip: Tip, key: str, number: int) -> Tip:
    made = Draft(place, tip)
    made.take(Ask(then=(Change(key, b"%d" % number, time.time()),)))
    return made.commit()


def _pushed(place: Place, tip: Tip, made: Sequence[Tip]) -> list[float | None]:
    """Return the seconds until each was accepted; None of one that was not.

    Raises:
        Failure: one of them cannot be pushed.
    """
    start, end = Barrier(len(made)), time.monotonic() + place.patience

    def push(one: Tip) -> float | None:
        start.wait()
        begun = time.perf_counter()
        is_done = transport.push(place.cache, place.where, tip.name, one.name, end)
        return time.perf_counter() - begun if is_done else None

    with ThreadPoolExecutor(len(made)) as pool:
        return [one.result() for one in [pool.submit(push, one) for one in made]]


def _lag(place: Place, won: Tip) -> float | None:
    """Return for how many seconds a fetch does not show what was accepted; None if it never does.

    Raises:
        Failure: it cannot be fetched.
    """
    begun = time.monotonic()
    for _ in range(_LAGS):
        late = time.monotonic() - begun
        there = transport.fetch(place.cache, place.where, time.monotonic() + place.patience)
        if there and objects.commits(place.cache, won.name, there) is not None:
            return late if late > _PAUSE else 0.0
        time.sleep(_PAUSE)
    return None


def _pay(place: Place) -> None:
    """Have the race count among this clone's pushes, which what ended it did not wait for."""
    with suppress(Failure, OSError), tips.alone(place):
        tip = tips.known(place)
        for _ in range(_RACERS):
            tip = share.spent(tip)
        tips.keep(place, tip)


def _not_atomic(where: str) -> Trouble:
    return Trouble(
        "store-not-atomic",
        where,
        f"of {_RACERS} pushes on one tip at once, each was accepted: claims there have two holders",
        "git coord store use local --force",
    )


def _trouble(error: Failure | StoreError, place: Place) -> Trouble:
    """Return what is wrong, and the command that mends it or asks without us."""
    told = answers.failed(error) if isinstance(error, Failure) else error
    found = answers.trouble(told)
    failure = error if isinstance(error, Failure) else error.__cause__
    if isinstance(failure, objects.Broken):
        return found._replace(run=f"rm -rf {quote(place.cache)}")
    if isinstance(failure, words.Locked):
        return found._replace(run=_unlock(place))
    if isinstance(failure, (Absent, Denied)):
        return found._replace(run=f"git ls-remote --heads {quote(place.where.url)}")
    known = failure.run if isinstance(failure, Failure) else ""
    return found._replace(run=known or "git coord store use -h")


def _unlock(place: Place) -> str:
    """Return what takes away the lock of a push that was killed, where that can be done here."""
    lock = f"{place.where.path.rstrip('/')}/{transport.REF}.lock"
    if place.where.is_local and os.path.exists(lock):
        return f"rm {quote(lock)}"
    return "git coord store probe"


def _apart(place: Place) -> Trouble | None:
    """Return that pushes go elsewhere than fetches, by the user's config."""
    around = os.path.dirname(os.path.dirname(place.cache))
    here = ("--git-dir", around) if os.path.isfile(os.path.join(around, "HEAD")) else ()
    asked = (*here, "config", "-z", "--get-regexp", r"^url\..*\.(insteadof|pushinsteadof)$")
    rules: dict[str, dict[str, str]] = {"insteadof": {}, "pushinsteadof": {}}
    for field in git.ask(*asked, cwd="/").fields:
        key, _, prefix = field.partition("\n")
        base, _, kind = key.removeprefix("url.").rpartition(".")
        rules[kind][prefix] = base
    url = place.where.url
    read, written = (_sent(url, rules[kind]) for kind in ("insteadof", "pushinsteadof"))
    if written in {"", read or url}:
        return None
    return Trouble(
        "store-unusable",
        place.where.text,
        f"it is read at {shown(read or url)} and written at {shown(written)} (pushInsteadOf): what "
        "is pushed is never seen",
        "git config --show-origin --get-regexp '^url[.].*insteadof$'",
    )


def _sent(url: str, rules: Mapping[str, str]) -> str:
    """Return where a URL leads by the longest of the rules that is about it; empty for none."""
    prefix = max((one for one in rules if url.startswith(one)), key=len, default=None)
    return "" if prefix is None else rules[prefix] + url[len(prefix) :]
