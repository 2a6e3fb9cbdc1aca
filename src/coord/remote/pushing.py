"""A transaction is pushed: with all that wait, in one commit, in this clone's turn.

Whoever wants something pushed queues it; one of them pushes for all, in one commit on the tip that
they hold on. What does not hold is told so only on a tip that was fetched after it was asked for;
what is accepted stands. A push that lost against another clone's is decided again on the new tip.
"""

from __future__ import annotations

import random
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from coord.base.publish import Held, lock
from coord.base.failures import Absent, Failure, Lost
from coord.remote import queue, tips, transport
from coord.remote.draft import Draft
from coord.remote.queue import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from coord.remote.draft import Ask
    from coord.remote.queue import Asked, Taken
    from coord.remote.tips import Place, Tip

_LOOK = 0.02  # seconds between looks for an answer
_FIRST, _MOST = 0.1, 5.0  # seconds: bounds of the pause after a lost race
_TRIES = 30
_LATE = 2.0  # seconds after which a tip is asked for again before a push that has a price
_SAID_AFTER = 1.0  # seconds of waiting that nobody need be told of


class Share(NamedTuple):
    """This clone's share of the pushes that a board may have.

    Attributes:
        rate: pushes a minute for all clones; 0 for as many as there are.
        clones: tells how many share it, by the tip that is known.
        tell: is told what is waited for, and for how many seconds.
    """

    rate: float
    clones: Callable[[Tip], int]
    tell: Callable[[str], object]

    def wait(self, tip: Tip) -> float:
        """Return for how many seconds it is not this clone's turn."""
        if not self.rate:
            return 0.0
        pause = 60.0 / self.rate * max(1, self.clones(tip))
        return min(pause, max(0.0, tip.pushed + pause - tips.clock()))


def publish(place: Place, share: Share, ask: Ask) -> Answer:
    """Have a transaction decided, and pushed if it holds.

    Raises:
        Failure: it was not; or, where that is Lost, it may have been or may yet be.
    """
    with queue.asked(place.cache, ask) as mine:
        return _awaited(place, share, mine)


def _awaited(place: Place, share: Share, mine: Asked) -> Answer:
    begun = time.monotonic()
    while True:
        with _flushing(place) as is_ours:
            found = mine.answer()
            if found is None and is_ours:
                flush(place, share)
                found = mine.answer()
        if found is not None:
            return found
        if is_ours or time.monotonic() - begun > _patience(place, share):
            raise _given_up(place, mine)
        time.sleep(_LOOK)


def _patience(place: Place, share: Share) -> float:
    """Return how long another process of this clone may take: its turn, its push, and again."""
    tip = tips.known(place)
    pause = 60.0 / share.rate * max(1, share.clones(tip)) if share.rate else 0.0
    return 2 * (pause + 2 * place.patience)


def _given_up(place: Place, mine: Asked) -> Failure:
    if mine.withdraw():
        return Absent(place.where.text, "another process of this clone pushes, and does not end")
    return Lost(place.where.text, "the process of this clone that pushed it has not said how it went")


@contextmanager
def _flushing(place: Place) -> Iterator[bool]:
    """Be the one who pushes for all, for a block; False where another is."""
    try:
        with lock(f"{place.cache}/push.lock", patience=0):
            yield True
    except Held:
        yield False


def is_our_turn(place: Place, share: Share) -> bool:
    """Tell whether a push would go at once."""
    return share.wait(tips.known(place)) <= 0


def flush(place: Place, share: Share) -> None:
    """Push what waits, in this clone's turn; each is told what became of it."""
    left = share.wait(tips.known(place))
    if left > _SAID_AFTER:
        share.tell(f"waiting {left:.0f} s for this clone's turn to push")
    time.sleep(left)
    work = _Work([], [], 0.0)
    pause = _FIRST
    try:
        for _ in range(_TRIES):
            work = _with_more(place, work)
            if _is_settled(place, share, work):
                return
            time.sleep(random.uniform(0, pause))  # noqa: S311  # not to meet again
            pause = min(_MOST, 2 * pause)
        raise Absent(place.where.text, "others were faster, however often it was tried")
    except Failure as error:
        for one in work.asked:
            queue.settle(one, error)


class _Work(NamedTuple):
    """What is pushed together: what is waited for, what is not, and since when all of it waits."""

    asked: Sequence[Taken]
    along: Sequence[Taken]
    since: float


def _with_more(place: Place, work: _Work) -> _Work:
    asked, along = queue.take(place.cache)
    since = tips.clock() if asked else work.since
    return _Work([*work.asked, *asked], [*work.along, *along], since)


def _is_settled(place: Place, share: Share, work: _Work) -> bool:
    """Decide all on the tip, and push what holds; False where another clone was first."""
    tip = tips.known(place)
    may_be_old = any(one.again for one in work.asked) or (share.rate and _is_late(tip))
    if may_be_old or tip.began <= tips.NEVER:
        tip = tips.fetched(place, work.since if not share.rate else tips.clock() - _LATE)
    draft, done = _decided(place, tip, work)
    if not all(done) and tip.began < work.since:
        tip = tips.fetched(place, work.since)
        draft, done = _decided(place, tip, work)
    if any(done) or not work.asked:
        draft.add(change for one in (*work.asked, *work.along) for change in one.ask.also)
        if not draft.is_empty:
            pushed = _pushed(place, tip, draft)
            if pushed is None:
                return False
            tip = pushed
        queue.drop(work.along)
    else:
        _put_off(place, work)
    for one, is_done in zip(work.asked, done, strict=True):
        queue.settle(one, Answer(is_done, tip.name, tip.rev, one.again and not is_done))
    return True


def _is_late(tip: Tip) -> bool:
    return tips.clock() - tip.began > _LATE


def _decided(place: Place, tip: Tip, work: _Work) -> tuple[Draft, list[bool]]:
    draft = Draft(place, tip)
    return draft, [draft.take(one.ask) for one in work.asked]


def _put_off(place: Place, work: _Work) -> None:
    """Have what goes along with what did not hold go along with something else."""
    also = [change for one in work.asked for change in one.ask.also]
    if also:
        queue.later(place.cache, also)


def _pushed(place: Place, tip: Tip, draft: Draft) -> Tip | None:
    """Push a commit; None where the tip is another by now.

    Raises:
        Failure: it was not pushed; or, where that is Lost, it may have been or may yet be.
    """
    made = draft.commit()
    with tips.alone(place):
        if tips.known(place).name != tip.name:
            return None  # somebody has fetched since: a push would lose
        began = tips.clock()
        tips.keep(place, tip._replace(pushed=began))
        end = time.monotonic() + place.patience
        if transport.push(place.cache, place.where, tip.name, made.name, end):
            return tips.keep(place, made._replace(began=began, pushed=began))
        tips.keep(place, tip._replace(began=tips.NEVER, pushed=began))
    return None
