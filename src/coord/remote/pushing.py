"""A transaction is pushed: with all that wait, in one commit, in this clone's turn.

Whoever wants something pushed queues it; one of them pushes for all, in one commit on the tip that
they hold on. What does not hold is told so only on a tip that was fetched after it was asked for;
what is accepted stands. A push that lost against another clone's is decided again on the new tip;
of one that was not answered the tip tells, whatever was said.
"""

from __future__ import annotations

import random
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from coord.base.failures import Absent, Failure, Lost, Unfit
from coord.base.publish import Held, lock
from coord.remote import objects, queue, tips, transport
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
_MINUTE = 60.0  # seconds
_SAME = 3  # pushes of one commit that a tip which stands still refuses


class Share(NamedTuple):
    """This clone's share of the pushes that a board may have.

    It has as many in a minute as there are for each of the clones that push; and where that is less
    than one, one in its turn. Turns are never even: clones that begin together would meet for ever.

    Attributes:
        rate: pushes a minute for all clones; 0 for as many as there are.
        tell: is told what is waited for, and for how many seconds.
    """

    rate: float
    tell: Callable[[str], object]

    def _turn(self, tip: Tip) -> float:
        """Return the seconds between two pushes of each clone, on the whole."""
        others = {host for host, at in tip.seen.items() if tips.clock() - at < tips.LATELY}
        return _MINUTE / self.rate * len(others | {tip.host}) if self.rate else 0.0

    def longest(self, tip: Tip) -> float:
        """Return for how many seconds it is not this clone's turn, at most."""
        return 2 * max(_MINUTE, self._turn(tip)) if self.rate else 0.0

    def wait(self, tip: Tip) -> float:
        """Return for how many seconds it is not this clone's turn."""
        turn, now = self._turn(tip), tips.clock()
        if not turn:
            return 0.0
        most = int(_MINUTE / turn)
        lately = [at for at in tip.pushes if now - at < _MINUTE]
        free = lately[-most] + _MINUTE if 0 < most <= len(lately) else now
        return min(self.longest(tip), max(0.0, free - now, tip.turn - now))

    def used(self, tip: Tip, *, lost: bool) -> Tip:
        """Return a tip with the push that is made now, which may have `lost`."""
        now, turn = tips.clock(), self._turn(tip)
        lately = [at for at in tip.pushes if now - at < _MINUTE] if turn else []
        spread = random.uniform(*((0.0, 2.0) if lost else (0.5, 1.5)))  # noqa: S311  # no secret
        rest = now + turn * spread if turn > _MINUTE else tips.NEVER
        return tip._replace(pushes=(*lately, now), turn=rest)


def publish(place: Place, share: Share, ask: Ask) -> Answer:
    """Have a transaction decided, and pushed if it holds.

    Raises:
        Failure: it was not; or, where that is Lost, it may have been or may yet be.
    """
    with queue.asked(place.home, ask) as mine:
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
        if time.monotonic() - begun > _patience(place, share):
            raise _given_up(place, mine)
        time.sleep(_LOOK)


def _patience(place: Place, share: Share) -> float:
    """Return how long others of this clone may take: their turn and their push, a few times."""
    return 2 * share.longest(tips.known(place)) + 8 * place.patience


def _given_up(place: Place, mine: Asked) -> Failure:
    where = place.where.text
    if mine.withdraw():
        return Absent(where, "another process of this clone is at it, and does not end")
    return Lost(where, "the process of this clone that pushed it has not said how it went")


@contextmanager
def _flushing(place: Place) -> Iterator[bool]:
    """Be the one who pushes for all, for a block; False where another is."""
    try:
        with lock(f"{place.home}/push.lock", patience=0):
            yield True
    except Held:
        yield False


def is_our_turn(place: Place, share: Share) -> bool:
    """Tell whether a push would go at once."""
    return share.wait(tips.known(place)) <= 0


def push_waiting(place: Place, share: Share) -> None:
    """Push what waits, unless another process of this clone is at it."""
    with _flushing(place) as is_ours:
        if is_ours:
            flush(place, share)


class _Work(NamedTuple):
    """What is pushed together: what is waited for, what is not, and since when all of it waits."""

    asked: Sequence[Taken]
    along: Sequence[Taken]
    since: float


def flush(place: Place, share: Share) -> None:
    """Push what waits, in this clone's turn; each is told what became of it."""
    work = _Work([], [], 0.0)
    pause = _FIRST
    try:
        for _ in range(_TRIES):
            work = _with_more(place, work)
            if _is_settled(place, share, work):
                return
            time.sleep(random.uniform(0, pause))  # noqa: S311  # not to meet again
            pause = min(_MOST, 2 * pause)
            _await_turn(place, share)
        raise Absent(place.where.text, "others were faster, however often it was tried")
    except (Failure, OSError) as error:
        why = error if isinstance(error, Failure) else Lost(place.home, str(error))
        for one in work.asked:
            queue.settle(one, why)


def _await_turn(place: Place, share: Share) -> None:
    left = share.wait(tips.known(place))
    if left > _SAID_AFTER:
        of = f"of {share.rate:g} pushes a minute for all clones"
        share.tell(f"waiting {left:.0f} s for this clone's turn, {of}")
    time.sleep(left)


def _with_more(place: Place, work: _Work) -> _Work:
    known = {one.path for one in (*work.asked, *work.along)}
    # What was taken before, and has no answer yet, is not of one that was killed.
    asked, along = (
        [one for one in some if one.path not in known] for some in queue.take(place.home)
    )
    since = tips.clock() if asked else work.since
    return _Work([*work.asked, *asked], [*work.along, *along], since)


def _is_settled(place: Place, share: Share, work: _Work) -> bool:
    """Decide all on the tip, and push what holds; False where that is to be done once more.

    That is where another clone was first, or it is not our turn to push; what holds not needs none.
    """
    tip = _current(place, share, work)
    draft, done = _decided(place, tip, work)
    if False in done and tip.began < work.since:
        tip = tips.fetched(place, work.since)
        draft, done = _decided(place, tip, work)
    if any(done) or not work.asked:
        draft.add(change for one in (*work.asked, *work.along) for change in one.ask.also)
        if not draft.is_empty and not is_our_turn(place, share):
            return False
        pushed = tip if draft.is_empty else _pushed(place, share, tip, draft)
        if pushed is None:
            return False
        tip = pushed
        queue.drop(work.along)
    else:
        _put_off(place, work)
    for one, is_done in zip(work.asked, done, strict=True):
        if is_done is None:
            queue.put_back(one)
        else:
            again = one.again and not is_done
            queue.settle(one, Answer(is_done, tip.name, tip.rev, tip.line, again))
    return True


def _current(place: Place, share: Share, work: _Work) -> Tip:
    """Return the tip to decide on: as it is known, unless a push on it would be for nothing."""
    tip = tips.known(place)
    if any(one.again for one in work.asked) or tip.began <= tips.NEVER:
        return tips.fetched(place, tips.clock())
    return tips.fetched(place, tips.clock() - _LATE) if share.rate else tip


def _decided(place: Place, tip: Tip, work: _Work) -> tuple[Draft, list[bool | None]]:
    draft = Draft(place, tip)
    return draft, [draft.take(one.ask) for one in work.asked]


def _put_off(place: Place, work: _Work) -> None:
    """Have what goes along with what did not hold go along with something else."""
    also = [change for one in work.asked for change in one.ask.also]
    if also:
        queue.later(place.home, also)


def _pushed(place: Place, share: Share, tip: Tip, draft: Draft) -> Tip | None:
    """Push a commit; None where the tip is another by now.

    Raises:
        Failure: it was not pushed; or, where that is Lost, it may have been or may yet be.
    """
    made = draft.commit()
    end = time.monotonic() + place.patience
    for left in reversed(range(_SAME)):
        try:
            if _is_sent(place, share, tip, made, end):
                return made
        except Lost:
            if not left or time.monotonic() >= end:
                raise
        now = tips.fetched(place, tips.clock())
        if now.line == made.line and objects.distance(place.cache, made.name, now.name) is not None:
            return now
        if now.name != tip.name:
            return None
    raise Unfit(place.where.text, f"whatever is pushed to {transport.REF} there, it stays as it is")


def _is_sent(place: Place, share: Share, tip: Tip, made: Tip, end: float) -> bool:
    """Push a commit once; tell whether it was accepted. Where it was not, the tip tells more.

    Raises:
        Failure: it cannot be pushed; or, where that is Lost, it was not said how that went.
    """
    with tips.alone(place):
        now = tips.known(place)
        if now.name != tip.name:
            return False
        began = tips.clock()
        tips.keep(place, share.used(now._replace(began=tips.NEVER), lost=True))
        is_done = transport.push(place.cache, place.where, tip.name, made.name, end)
        if is_done:
            known = now._replace(name=made.name, rev=made.rev, began=began)
            with suppress(OSError):  # the next fetch shows it
                tips.keep(place, share.used(known, lost=False))
    return is_done
