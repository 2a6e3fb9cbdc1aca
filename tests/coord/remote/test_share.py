"""The pushes of a minute, shared among clones by what each sees come."""

from __future__ import annotations

import pytest

from coord.remote import share, tips
from coord.remote.share import Share
from coord.remote.tips import Tip

RATE = 6.0


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """See :func:`coord.remote.tips.clock`."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock that stands still."""
    made = Clock()
    monkeypatch.setattr(tips, "clock", made)
    return made


def _share(rate: float) -> Share:
    return Share(rate, lambda _: None)


def _pushing(clock: Clock, rate: float, seconds: float) -> list[float]:
    """Return when a clone alone pushes that always has something to push."""
    tip, pushes, end = Tip("1", 1, "line", host="me"), [], clock.now + seconds
    while True:
        clock.now += _share(rate).wait(tip)
        if clock.now >= end:
            return pushes
        pushes.append(clock.now)
        tip = share.won(share.spent(tip))


@pytest.mark.parametrize("rate", [0.5, 1.0, 6.0, 30.0])
def test_one_that_always_pushes_has_all_pushes_of_a_minute_and_none_more(
    clock: Clock, rate: float
) -> None:
    """In each minute; where there is less than one in it, in as many seconds as one may have."""
    span, most = max(60.0, 60 / rate), max(1, int(rate))
    begin = clock.now

    pushes = _pushing(clock, rate, 20 * span)

    assert all(sum(at <= one < at + span - 1e-6 for one in pushes) <= most for at in pushes)
    assert len(pushes) >= 0.8 * 20 * most
    assert pushes[0] == begin


def test_pushes_after_a_pause_wait_for_nothing_until_a_minute_is_full(clock: Clock) -> None:
    """Four of six at once; the next keep a distance that grows."""
    begin = clock.now

    waits = [at - begin for at in _pushing(clock, RATE, 60)]

    assert waits[:4] == [0, 0, 0, 0]
    assert waits[4:] == pytest.approx([20 / 3, 20 / 3 + 25 / 3])


def test_commits_of_an_hour_that_one_fetch_shows_are_none_of_the_last_minute(clock: Clock) -> None:
    """A clone that has slept would wait for what was long ago."""
    tip = Tip("1", 1, "line", began=clock.now, host="me")
    clock.now += 3600

    tip = tips.gone_on(tip, "101", ["other"] * 100, 100, clock.now)

    assert _share(RATE).wait(tip) == 0
    assert tip.rev == 101


def test_commits_of_the_last_seconds_are_waited_for(clock: Clock) -> None:
    """Whoever they are of."""
    tip = Tip("1", 1, "line", began=clock.now - 5, host="me")

    tip = tips.gone_on(tip, "7", ["a", "b", "c", "a", "b", "c"], 6, clock.now)

    assert 50 < _share(RATE).wait(tip) < 60


def test_who_has_pushed_last_lets_all_others_go_first(clock: Clock) -> None:
    """Each sees the same commits come, so no two of them have the same turn."""
    commits = ["c", "b", "a", "b"]
    tip = tips.gone_on(Tip("1", 1, "line", clock.now - 4), "5", commits, 4, clock.now)
    for_all = [_share(RATE).rest(tip._replace(host=name), 0) for name in "cab"]

    assert for_all == sorted(for_all)
    assert for_all[0] < 3 <= for_all[1] < 6 <= for_all[2] < 9


def test_without_a_rate_nobody_waits_but_after_a_race_that_was_lost(clock: Clock) -> None:
    """And then for no longer than a few seconds."""
    tip = tips.gone_on(Tip("1", 1, "line", clock.now), "9", ["a"] * 8, 8, clock.now)

    assert _share(0).wait(tip) == 0
    assert 0 <= _share(0).rest(tip, 3) <= 0.8
    assert _share(0).rest(tip, 30) <= 5
