"""A transaction is pushed: with all that wait, in one commit, in this clone's turn.

Whoever wants something pushed queues it; one of them pushes for all, in one commit on the tip that
they hold on. What does not hold is told so only on a tip that was fetched after it was asked for;
what is accepted stands. A push that lost against another clone's is decided again on the new tip;
of one that was not answered the tip tells, whatever was said.
"""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from coord.base import deadline
from coord.base.failures import Absent, Failure, Lost, Unfit
from coord.base.publish import Held, lock
from coord.remote import objects, queue, share, tips, transport
from coord.remote.draft import Draft
from coord.remote.queue import Answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coord.remote.draft import Ask
    from coord.remote.queue import Asked, Taken
    from coord.remote.share import Share
    from coord.remote.tips import Place, Tip

_LOOK = 0.02  # seconds between looks for an answer
TRIES = 30
LATE = 2.0  # seconds after which a tip is asked for again before a push that has a price
_SOON = 0.5  # seconds in which a tip is as good as any
_SAID_AFTER = 1.0  # seconds of waiting that nobody need be told of
_SAME = 3  # pushes of one commit that a tip which stands still refuses


def publish(place: Place, pace: Share, ask: Ask) -> Answer:
    """Have a transaction decided, and pushed if it holds.

    Raises:
        Failure: it was not; or, where that is Lost, it may have been or may yet be.
    """
    with queue.asked(place.home, ask) as mine:
        return _awaited(place, pace, mine)


def _awaited(place: Place, pace: Share, mine: Asked) -> Answer:
    begun = time.monotonic()
    while True:
        with _flushing(place) as is_ours:
            found = mine.answer()
            if found is None and is_ours:
                flush(place, pace)
                found = mine.answer()
        if found is not None:
            return found
        if time.monotonic() - begun > _patience(place, pace):
            raise _given_up(place, mine)
        time.sleep(_LOOK)


def _patience(place: Place, pace: Share) -> float:
    """Return how long others of this clone may take: their turn and their push, a few times."""
    return deadline.left(2 * pace.longest(tips.known(place)) + 8 * place.patience)


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


def is_our_turn(place: Place, pace: Share) -> bool:
    """Tell whether a push would go at once."""
    return pace.wait(tips.known(place)) <= 0


def may_spare(place: Place, pace: Share) -> bool:
    """Tell whether there is room for a push that nobody waits for."""
    return pace.may_spare(tips.known(place))


def push_waiting(place: Place, pace: Share) -> None:
    """Push what waits, unless another process of this clone is at it."""
    with _flushing(place) as is_ours:
        if is_ours:
            flush(place, pace)


class _Work(NamedTuple):
    """What is pushed together: what is waited for, what is not, and since when all of it waits."""

    asked: Sequence[Taken]
    along: Sequence[Taken]
    since: float


def flush(place: Place, pace: Share) -> None:
    """Push what waits, in this clone's turn; each is told what became of it."""
    work = _Work([], [], 0.0)
    try:
        if not is_our_turn(place, pace):
            work = _with_more(place, work)
            if _is_refused(place, pace, work):
                return
        for lost in range(TRIES):
            _await_turn(place, pace, lost)
            work = _with_more(place, work)
            if _is_settled(place, pace, work):
                return
        raise Absent(place.where.text, "others were faster, however often it was tried")
    except (Failure, OSError) as error:
        why = error if isinstance(error, Failure) else Lost(place.home, str(error))
        for one in work.asked:
            queue.settle(one, why)


def _await_turn(place: Place, pace: Share, lost: int) -> None:
    """Sleep until a push may go, after so many that have `lost`."""
    tip = tips.fetched(place, tips.clock() - LATE) if pace.rate else tips.known(place)
    left = pace.wait(tip)
    end = tips.clock() + pace.longest(tip)
    while (lost or left) and tips.clock() < end:
        left = min(left + pace.rest(tip, lost), end - tips.clock())
        if left > _SAID_AFTER and pace.rate:
            of = f"of {pace.rate:g} pushes a minute for all clones"
            pace.tell(f"waiting {left:.0f} s for this clone's turn, {of}")
        time.sleep(max(0.0, left))
        tip = tips.fetched(place, tips.clock() - _SOON)
        left, lost = pace.wait(tip), 0


def _with_more(place: Place, work: _Work) -> _Work:
    asked, along = queue.take(place.home, {one.path for one in (*work.asked, *work.along)})
    since = tips.clock() if asked else work.since
    return _Work([*work.asked, *asked], [*work.along, *along], since)


def _is_refused(place: Place, pace: Share, work: _Work) -> bool:
    """Tell all that they do not hold, where none does: that needs no turn."""
    tip, _, done = _decided(place, pace, work)
    if any(done) or not work.asked:
        return False
    _tell(place, work, done, tip)
    return True


def _is_settled(place: Place, pace: Share, work: _Work) -> bool:
    """Decide all on the tip, and push what holds; False where another clone was first."""
    tip, draft, done = _decided(place, pace, work)
    if any(done) or not work.asked:
        draft.add(change for one in (*work.asked, *work.along) for change in one.ask.also)
        pushed = tip if draft.is_empty else _pushed(place, tip, draft)
        if pushed is None:
            return False
        tip = pushed
        queue.drop(work.along)
    _tell(place, work, done, tip)
    return True


def _tell(place: Place, work: _Work, done: Sequence[bool | None], tip: Tip) -> None:
    """Tell each what became of it; what goes along with what did not hold goes with another."""
    if not any(done):
        also = [change for one in work.asked for change in one.ask.also]
        if also:
            queue.later(place.home, also)
    for one, is_done in zip(work.asked, done, strict=True):
        if is_done is None:
            queue.put_back(one)
        else:
            again = one.again and not is_done
            queue.settle(one, Answer(is_done, tip.name, tip.rev, tip.line, again, tip.began))


def _current(place: Place, pace: Share, work: _Work) -> Tip:
    """Return the tip to decide on: as it is known, unless a push on it would be for nothing."""
    tip = tips.known(place)
    if any(one.again for one in work.asked) or tip.began <= tips.NEVER:
        return tips.fetched(place, tips.clock())
    return tips.fetched(place, tips.clock() - LATE) if pace.rate else tip


def _decided(place: Place, pace: Share, work: _Work) -> tuple[Tip, Draft, list[bool | None]]:
    """Decide all; what does not hold, on a tip that is younger than the question."""
    tip = _current(place, pace, work)
    while True:
        draft = Draft(place, tip)
        done = [draft.take(one.ask) for one in work.asked]
        if False not in done or tip.began >= work.since:
            return tip, draft, done
        tip = tips.fetched(place, work.since)


def _pushed(place: Place, tip: Tip, draft: Draft) -> Tip | None:
    """Push a commit; None where the tip is another by now.

    Raises:
        Failure: it was not pushed; or, where that is Lost, it may have been or may yet be.
    """
    made = draft.commit()
    end = time.monotonic() + deadline.left(place.patience)
    lost: Lost | None = None
    try:
        for left in reversed(range(_SAME)):
            began = tips.clock()
            try:
                if _is_sent(place, tip, made, end):
                    return made._replace(began=began)
            except Lost as error:
                lost = error
                if not left or time.monotonic() >= end:
                    raise
            now = tips.fetched(place, tips.clock())
            if _contains(place, now, made):
                return now
            if now.name != tip.name:
                return None
        said = f"whatever is pushed to {transport.REF} there, it stays as it is"
        raise Unfit(place.where.text, said)
    except Failure as error:
        # Whatever has failed since, what was not answered may stand.
        raise lost or error from error


def _contains(place: Place, now: Tip, made: Tip) -> bool:
    on = now.line == made.line
    return on and objects.commits(place.cache, made.name, now.name) is not None


def _is_sent(place: Place, tip: Tip, made: Tip, end: float) -> bool:
    """Push a commit once; tell whether it was accepted. Where it was not, the tip tells more.

    Raises:
        Failure: it cannot be pushed; or, where that is Lost, it was not said how that went.
    """
    with tips.alone(place):
        now = tips.known(place)
        if now.name != tip.name:
            return False
        began = tips.clock()
        now = tips.keep(place, share.spent(now._replace(began=tips.NEVER)))
        with tips.away(tip), tips.patiently(place):
            is_done = transport.push(place.cache, place.where, tip.name, made.name, end)
        if is_done:
            known = now._replace(name=made.name, rev=made.rev, began=began)
            with suppress(OSError):  # the next fetch shows it
                tips.keep(place, share.won(known))
    return is_done
