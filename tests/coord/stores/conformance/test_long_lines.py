"""What a line promises that stands in many records, on every store: no place lost, none twice.

**The law: what a scope's top names is there, until a later top names it no more; and a place that
is read is the one that was written.**
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from coord.board import bygone, claims, eventjson, events, linejson
from coord.stores import keys
from coord.stores.store import Rec, Unavailable
from harness.scope import SCOPE, Stalled, alive, claim, me, place, release, take

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Maker

    from coord.board.claims import Outcome
    from coord.stores.store import Store

FOLDER = keys.claim(SCOPE)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of three places, and history of as many events."""
    monkeypatch.setattr(linejson, "_PAGE", 300)
    monkeypatch.setattr(claims, "_MOST_KEPT", 3)


def _line(store: Store) -> list[str | None]:
    return [one.instance for one in claims.state(store, SCOPE).line]


def _named(numbers: range) -> list[str | None]:
    return [me(number).instance for number in numbers]


def _numbers(store: Store) -> set[int]:
    return {keys.seq_of(rec.key) for rec in store.list(FOLDER, values=False)}


def _named_by_top(store: Store) -> set[int]:
    top = claims.top(store, SCOPE)
    assert top is not None
    return {part.seq for part in top.parts} - {top.seq}


def _drop(store: Store, seq: int) -> bytes:
    rec = store.read(keys.event(FOLDER, seq))
    assert rec is not None
    assert store.delete(rec.key, rec.value)
    return rec.value


def _renewed(store: Store, number: int, intent: str) -> Outcome:
    mine = place(number)._replace(intent=intent)
    return claims.change(store, SCOPE, me(number), lambda at: events.joined(at, mine, alive))


def _gone(store: Store, seq: int, *line: events.Place) -> None:
    """Leave what a writer wrote that had slept for weeks, and was killed before it looked again."""
    after = events.State(1, line)
    event = events.Event(seq, f"{seq}-late", "x", "wait", SCOPE, "claude", "i", "now", after)
    store.create(keys.event(FOLDER, seq), eventjson.encode(event))


def test_whatever_happens_to_a_line_it_is_read_as_it_was_written(maker: Maker) -> None:
    """Places that come, go, change and are taken, between sweeps and writers who come too late."""
    for seed in range(maker.times(4)):
        _lived(maker._replace(place=f"{maker.place}-{seed}").open(), maker.times(60, 10), seed)


def _lived(store: Store, turns: int, seed: int) -> None:
    rng, deleted = random.Random(seed), set[int]()  # noqa: S311
    for number in range(10):
        claim(store, number)
    for turn in range(turns):
        line = [*claims.state(store, SCOPE).line]
        one = int((rng.choice(line).instance or "-0").rpartition("-")[2]) if line else 0
        before = _numbers(store)
        made = rng.choice(
            [
                lambda: claim(store, 10 + turn),  # noqa: B023
                lambda: claim(store, 10 + turn),  # noqa: B023
                lambda: release(store, one),  # noqa: B023
                lambda: _renewed(store, one, f"turn {turn}"),  # noqa: B023
                lambda: take(store, 100 + turn, me(one).instance or ""),  # noqa: B023
                lambda: claims.compact(store, FOLDER, rng.choice([1, 2, 64])),
            ]
        )()
        if isinstance(made, claims.Outcome):
            assert claims.state(store, SCOPE) == made.state
        deleted |= before - _numbers(store)
        if deleted and rng.random() < 0.3:
            _gone(store, rng.choice(sorted(deleted - _numbers(store)) or [1]), *line[:2])
        found = [event for event in claims.tops(store) if event.scope == SCOPE]
        assert [event.state for event in found] == [claims.state(store, SCOPE)]
        names = _line(store)
        assert len(names) == len(set(names))
        assert None not in names


def _claim(number: int, maker: Maker) -> str | None:
    store = maker.open()
    for turn in range(3):
        claim(store, 100 + number)
        claims.compact(store, FOLDER)
        if turn < 2:
            release(store, 100 + number)
    return me(100 + number).instance


def test_racing_claimants_behind_a_long_line_each_have_one_place(
    maker: Maker, race: Callable[..., list[str | None]]
) -> None:
    """While all of them compact it; those who were there before stand where they stood."""
    for number in range(20):
        claim(maker.open(), number)

    came = race(maker.racers(8), _claim, maker)

    line = _line(maker.open())
    assert line[:20] == _named(range(20))
    assert sorted(map(str, line[20:])) == sorted(map(str, came))
    assert len(_numbers(maker.open())) < 20


def test_an_event_is_as_short_behind_twice_the_line(store: Store) -> None:
    """A place more, one less, one that says something new: a page, and a number for a page."""
    most = {}
    for size in (40, 80):
        for number in range(len(_line(store)), size):
            claim(store, number)
        first = max(_numbers(store))
        release(store, size // 2)
        _renewed(store, size // 3, "new")
        claim(store, size // 2)
        new = [rec for rec in store.list(FOLDER) if keys.seq_of(rec.key) > first]
        most[size] = max(len(rec.value) for rec in new)

    assert len(_line(store)) == 80
    assert most[80] < most[40] + 80
    assert most[80] < 1000


def test_a_line_that_an_earlier_version_wrote_goes_on(store: Store) -> None:
    """Its record holds all places; what follows names it."""
    line = tuple(place(number) for number in range(30))
    old = events.Event(1, "n", None, "wait", SCOPE, "a", "i", "now", events.State(1, line))
    store.create(keys.event(FOLDER, 1), eventjson.encode(old))

    claim(store, 30)
    release(store, 10)
    release(store, 0)

    assert _line(store) == [*_named(range(1, 10)), *_named(range(11, 31))]
    top = store.read(keys.event(FOLDER, 4))
    assert top is not None
    assert len(top.value) < 700


def test_a_short_line_stands_whole_as_earlier_versions_read_it(store: Store) -> None:
    """Also one that was long: no record is needed but the top."""
    for number in range(12):
        claim(store, number)
    for number in range(10):
        release(store, number)

    for seq in sorted(_numbers(store))[:-1]:
        _drop(store, seq)
    assert _line(store) == _named(range(10, 12))


def test_what_the_top_names_is_kept_however_old(store: Store) -> None:
    """Of history, nothing else."""
    for number in range(12):
        claim(store, number)
    for _ in range(10):
        _renewed(store, 11, "a")
        _renewed(store, 11, "b")
    kept = _named_by_top(store)
    assert kept

    while claims.compact(store, FOLDER, 1):
        assert _line(store) == _named(range(12))
    assert kept <= _numbers(store)
    assert len(_numbers(store)) <= len(kept) + 3


def test_a_late_record_of_a_killed_writer_lets_nothing_go_that_the_top_names(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the lowest event that is kept it names less than the true one of its number did."""
    for number in range(12):
        claim(store, number)
    for turn in range(10):
        _renewed(store, 11, f"turn {turn}")
    monkeypatch.setattr(claims, "_MOST_KEPT", 2)
    claims.compact(store, FOLDER)
    monkeypatch.setattr(claims, "_MOST_KEPT", 3)
    _gone(store, max(set(range(max(_numbers(store)))) - _numbers(store)), place(0))

    claims.compact(store, FOLDER)

    assert _line(store) == _named(range(12))


class Overtaken(Stalled):
    """A client that stops once between the top and what the top names."""

    def read(self, key: str) -> Rec | None:
        """Read; of a claim, the second time only after what happened meanwhile."""
        found = self._store.read(key)
        if key.startswith("claims/") and self._meanwhile is not None:
            meanwhile, self._meanwhile = self._meanwhile, None  # type: ignore[assignment]
            meanwhile()
        return found


@pytest.mark.parametrize("is_late", [False, True])
def test_a_reader_who_was_overtaken_reads_the_line_there_is_now(
    store: Store, is_late: bool
) -> None:
    """What the top named has gone meanwhile, or is a killed writer's who had slept for weeks."""
    for number in range(12):
        claim(store, number)

    def months() -> None:
        there = _numbers(store)
        for number in range(11):
            release(store, number)
        while claims.compact(store, FOLDER):
            pass
        for seq in there - _numbers(store) if is_late else ():
            _gone(store, seq, place(99))

    assert _line(Overtaken(store, months)) == _named(range(11, 12))  # type: ignore[arg-type]


def _torn(store: Store) -> tuple[int, list[str | None]]:
    """Tear a record that the top of a line of twelve names; return it, and whose places it held."""
    for number in range(12):
        claim(store, number)
    top = claims.top(store, SCOPE)
    assert top is not None
    part = top.parts[1]
    _drop(store, part.seq)
    at = top.parts[0].size
    return part.seq, _named(range(at, at + part.size))


@pytest.mark.parametrize("value", [None, b"{", b"null"])
def test_of_a_record_that_cannot_be_read_one_unknown_place_is_left(
    store: Store, value: bytes | None
) -> None:
    """All others keep theirs; who had stood there claims anew; and the next event heals the log."""
    seq, lost = _torn(store)
    if value is not None:
        store.create(keys.event(FOLDER, seq), value)
    rest = [one for one in _named(range(12)) if one not in lost]
    there = [*rest[:3], None, *rest[3:]]

    assert _line(store) == there
    assert claims.compact(store, FOLDER) == 0
    number = int(str(lost[0]).rpartition("-")[2])
    assert claim(store, number).state.line[-1].instance == lost[0]
    top = claims.top(store, SCOPE)
    assert top is not None
    assert top.is_whole()
    assert _line(store) == [*there, lost[0]]


def test_no_worker_goes_while_a_place_is_nobodys(store: Store) -> None:
    """It may be theirs."""
    _torn(store)

    assert bygone._busy(store) is None


class Closed(Stalled):
    """A client that may not read one record."""

    def read(self, key: str) -> Rec | None:
        """Say of that one that another user keeps us out."""
        if key == keys.event(FOLDER, self.seq):
            return Rec(key, b"", denied="another's")
        return self._store.read(key)

    seq = 0


def test_nobody_writes_on_a_line_that_is_in_part_closed_to_him(store: Store) -> None:
    """It is whole for others, who keep their places."""
    for number in range(12):
        claim(store, number)
    closed = Closed(store, lambda: None)
    closed.seq = min(_named_by_top(store))

    with pytest.raises(Unavailable, match="may not be read"):
        claim(closed, 50)  # type: ignore[arg-type]

    assert [event.kind for event in claims.tops(closed)] == ["unreadable"]  # type: ignore[arg-type]
    assert _line(store) == _named(range(12))


def test_an_unreadable_top_is_followed_by_a_whole_line(store: Store) -> None:
    """What the last record that could be read named goes with that one, in time."""
    for number in range(12):
        claim(store, number)
    store.create(keys.event(FOLDER, 13), b"{")
    claims.change(store, SCOPE, me(20), lambda at: events.taken(at, place(20), "torn"))
    line = [*_named(range(20, 21)), *_named(range(12))]
    assert _line(store) == line

    for seq in range(1, 14):
        _drop(store, seq)

    assert _line(store) == line


def test_history_is_whole_events_only(store: Store) -> None:
    """A record that is kept for a place of today is no event of today's history."""
    for number in range(12):
        claim(store, number)
    for number in range(6):
        release(store, number)
        claims.compact(store, FOLDER)

    log = claims.history(store, SCOPE)
    assert len(log) < len(_numbers(store))
    assert [event.seq for event in log[-3:]] == [16, 17, 18]
    for event in log:
        line = [one.instance for one in event.state.line]
        first = int(str(line[0]).rpartition("-")[2])
        assert line == _named(range(first, first + len(line)))
