"""What a scope's log promises, on every store: one line, one holder, no number twice."""

from __future__ import annotations

import os
import time
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from coord.base.errors import Refused
from coord.board import claims, eventjson, events, notices
from coord.stores import keys
from harness.scope import SCOPE, Stalled, alive, claim, me, place, release, take

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Maker

    from coord.stores.store import Caps, Rec, Store


def _claim(number: int, maker: Maker) -> tuple[str | None, int]:
    outcome = claim(maker.open(), number)
    holder = outcome.state.line[0].instance
    mine = [at for at, one in enumerate(outcome.state.line) if one.instance == me(number).instance]
    return holder, mine[0]


def test_racing_claimants_form_one_line(
    maker: Maker, race: Callable[..., list[tuple[str | None, int]]]
) -> None:
    """16 at once: one holder named by all, each place given once, no gap in the log."""
    many = maker.racers(16)

    found = race(many, _claim, maker)

    assert len({holder for holder, _ in found}) == 1
    assert sorted(at for _, at in found) == list(range(many))
    log = claims.history(maker.open(), SCOPE)
    assert [event.seq for event in log] == list(range(1, many + 1))
    assert [event.after for event in log[1:]] == [event.nonce for event in log[:-1]]


def _work(number: int, maker: Maker) -> list[tuple[float, float, int]]:
    """Hold the scope a few times; return the intervals and generations."""
    store, held = maker.open(), []
    for _ in range(maker.times(5)):
        claim(store, number)
        while (state := claims.state(store, SCOPE)).line[0].instance != me(number).instance:
            time.sleep(0.001 * maker.fewer)
        start = time.monotonic()
        time.sleep(0.002)
        held.append((start, time.monotonic(), state.generation))
        release(store, number)
    return held


def test_racing_turns_never_overlap_and_count_generations(
    maker: Maker, race: Callable[..., list[list[tuple[float, float, int]]]]
) -> None:
    """Mutual exclusion by the clock of one machine; generations in order of holding."""
    turns = sorted(turn for found in race(maker.racers(8), _work, maker) for turn in found)

    many = maker.racers(8) * maker.times(5)
    assert len(turns) == many
    assert all(before[1] <= after[0] for before, after in pairwise(turns))
    assert [generation for *_, generation in turns] == list(range(1, many + 1))


def _take(number: int, maker: Maker) -> bool:
    return take(maker.open(), number + 1, "instance-0")


def test_a_dead_holder_has_exactly_one_successor(
    maker: Maker, race: Callable[..., list[object]]
) -> None:
    """16 take the same holder's place at the same generation: one does."""
    claim(maker.open(), 0)

    many = maker.racers(16)

    assert sorted(map(bool, race(many, _take, maker))) == [False] * (many - 1) + [True]
    assert claims.state(maker.open(), SCOPE).generation == 2


def _release_or_take(number: int, maker: Maker) -> object:
    store = maker.open()
    if number == 0:
        return ("release", release(store, 0).event is not None)
    return ("take", take(store, 1, "instance-0"))


def test_a_release_and_a_take_over_do_not_both_happen(
    maker: Maker, race: Callable[..., list[tuple[str, bool]]]
) -> None:
    """Whichever comes first, the other finds a changed state and does not act on the old one."""
    for turn in range(maker.times(20)):
        store = maker.open()
        claim(store, 0)

        happened = dict(race(2, _release_or_take, maker))

        assert sum(happened.values()) == 1, turn
        state = claims.state(store, SCOPE)
        assert (state.holder is None) is happened["release"]
        release(store, 1)


def test_skewed_clocks_do_not_change_the_order_of_a_line(store: Store) -> None:
    """Clocks skewed by five minutes and by a day change no order."""
    for number, at in enumerate(
        ["2026-01-02T00:00:00Z", "2026-01-01T23:55:00Z", "2026-01-01T00:00:00Z"]
    ):
        mine = place(number, at)
        claims.change(
            store, SCOPE, me(number), lambda state, mine=mine: events.joined(state, mine, alive)
        )

    line = claims.state(store, SCOPE).line
    assert [one.instance for one in line] == ["instance-0", "instance-1", "instance-2"]


def test_a_writer_stalled_past_compaction_does_not_win(store: Store) -> None:
    """It slept for weeks, and its number was free again: the chain above is broken."""
    claim(store, 0)

    def weeks_pass() -> None:
        for number in range(1, 6):
            claim(store, number)
        for seq in range(1, 5):
            rec = store.read(keys.event(keys.claim(SCOPE), seq))
            assert rec is not None
            store.delete(rec.key, rec.value)

    outcome = claim(Stalled(store, weeks_pass), 99)  # type: ignore[arg-type]

    assert outcome.event is not None
    assert outcome.event.seq == 7
    assert outcome.state.line[-1].instance == "instance-99"
    assert len(outcome.state.line) == 7
    assert store.read(keys.event(keys.claim(SCOPE), 2)) is None


def test_a_lost_answer_is_found_to_be_a_win(store: Store) -> None:
    """The store applied the create and the answer was lost: the same call again wins."""

    class Forgetful(Stalled):
        def append(self, key: str, *rest: object) -> Rec | None:
            self._store.append(key, *rest)  # type: ignore[arg-type]
            return self._store.append(key, *rest)  # type: ignore[arg-type]

    outcome = claim(Forgetful(store, lambda: None), 0)  # type: ignore[arg-type]

    assert outcome.event is not None
    assert outcome.state.generation == 1
    assert len(claims.history(store, SCOPE)) == 1


@pytest.mark.parametrize("value", [b"{", b"null", b'{"schema": 2}', b"\0\xff", b"[" * 100_000])
def test_an_unreadable_top_is_held_by_unknown_and_can_be_taken_over(
    store: Store, value: bytes
) -> None:
    """Never free, never a crash; those in line behind it keep their places."""
    claim(store, 0)
    claim(store, 1)
    store.create(keys.event(keys.claim(SCOPE), 3), value)

    state = claims.state(store, SCOPE)
    assert state.line[0].actor == "unknown"
    assert [one.instance for one in state.line] == [None, "instance-0", "instance-1"]
    assert claim(store, 2).state.line[-1].instance == "instance-2"
    taken = claims.change(store, SCOPE, me(3), lambda at: events.taken(at, place(3), "torn"))
    assert [one.instance for one in taken.state.line] == [
        f"instance-{number}" for number in (3, 0, 1, 2)
    ]
    assert [event.kind for event in claims.history(store, SCOPE)][2] == "unreadable"


def test_a_record_of_another_scope_is_foreign(store: Store) -> None:
    """A copied file must not make its owner the holder here."""
    claim(store, 0, "task:other")
    other = store.read(keys.event(keys.claim("task:other"), 1))
    assert other is not None
    store.create(keys.event(keys.claim(SCOPE), 1), other.value)

    assert claims.state(store, SCOPE).line[0].actor == "unknown"


def test_losing_or_gaining_a_claim_leaves_a_notice(store: Store) -> None:
    """The former holder of a take-over, the heir of a release; not who did it."""
    claim(store, 0)
    claim(store, 1)
    release(store, 0)
    take(store, 2, "instance-1")

    told = {number: notices.unread(store, f"instance-{number}") for number in range(3)}

    assert told[0] == []
    assert [notice.kind for notice in told[1]] == ["yours", "lost"]
    assert told[1][1].reason == "because"
    assert told[2] == []
    for notice in told[1]:
        notices.told(store, notice)
    assert notices.unread(store, "instance-1") == []


def test_a_notice_without_its_event_is_not_shown(store: Store) -> None:
    """Its writer was killed in between, or lost the race."""
    claim(store, 0)
    before = claims.state(store, SCOPE)
    change = events.taken(before, place(1), "because")
    assert change is not None
    never = events.Event(
        2, os.urandom(8).hex(), "x", change.kind, SCOPE, "claude", "instance-1", "now", change.state
    )
    for key, value in notices.of(before, never):
        store.create(key, value)

    assert notices.unread(store, "instance-0") == []
    assert claims.state(store, SCOPE).line[0].instance == "instance-0"


def test_events_come_back_as_they_were_written(store: Store) -> None:
    """The log is what happened, in order, with its own details."""
    claim(store, 0)
    claim(store, 1)
    release(store, 0)

    log = claims.history(store, SCOPE)

    assert [event.kind for event in log] == ["claim", "wait", "release"]
    waits_on = log[1].details["waits_on"]
    assert isinstance(waits_on, dict)
    assert waits_on["instance"] == "instance-0"
    assert all(eventjson.decode(eventjson.encode(e), keys.claim(SCOPE), e.seq) == e for e in log)


class Small(Stalled):
    """A client of a store whose records hold a short line only."""

    @property
    def caps(self) -> Caps:
        """As the store's, but for the size of a record."""
        return self._store.caps._replace(max_value=2000)


def test_a_line_that_no_record_holds_is_refused_and_goes_on(store: Store) -> None:
    """Whoever comes too late is told so; those in line keep their places, and can leave."""
    small, claimed = Small(store, lambda: None), range(100)

    with pytest.raises(Refused, match="no room") as refused:
        list(map(partial(claim, small), claimed))  # type: ignore[arg-type]

    assert refused.value.rule == "line-full"
    line = claims.state(store, SCOPE).line
    assert [one.instance for one in line] == [f"instance-{at}" for at in claimed[: len(line)]]
    assert len(line) > 2
    assert release(small, 0).state.line[0].instance == "instance-1"  # type: ignore[arg-type]
    assert claim(small, 99).state.line[-1].instance == "instance-99"  # type: ignore[arg-type]
