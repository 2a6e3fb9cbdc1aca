"""What a sweep promises, on every store: no number twice, nothing that somebody holds or is at."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from coord.board import claims, events, notices, sweep
from coord.board.events import State
from coord.stores import keys, retired
from coord.stores.store import Rec, Unavailable, one_by_one
from harness.scope import SCOPE, Stalled, alive, claim, me, place, release, take

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from conftest import Maker

    from coord.stores.store import Store

    Pair = tuple[str, bytes]

WEEK = 8 * 86400.0


@pytest.fixture(autouse=True)
def _sweeping(store: Store) -> None:
    store.create("actors/a-first", b"x")  # a board is made by its first record
    with store.alone() as alone:
        if not alone:
            pytest.skip("this store has no lock, and nothing of it is swept")


def goes_in_one_step(store: Store) -> bool:
    """Tell whether what a sweep takes goes at once, if nobody has written: there are no locks."""
    return store.caps.hosts


class Later:
    """A client `seconds` later by the store's clock, for which everything there is old."""

    def __init__(self, store: Store, seconds: float = WEEK) -> None:
        self._store, self._seconds = store, seconds

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def now(self) -> float | None:
        """Return what the store's clock will say then."""
        now = self._store.now()
        return None if now is None else now + self._seconds

    def take(self, found: Sequence[Sequence[str]]) -> int:
        """Take, of files each by this client's own hand."""
        if goes_in_one_step(self._store):
            return self._store.take(found)
        return one_by_one(self, found)  # type: ignore[arg-type]


def swept(store: Store) -> int:
    """Sweep a week later until nothing is left to take; return how many records went."""
    total = 0
    while done := sweep.scopes(Later(store)).records:  # type: ignore[arg-type]
        total += done
    return total


def used(store: Store, scope: str = SCOPE) -> tuple[int, int]:
    """Claim and release as worker 0; return the number and the generation of the claim."""
    made = claim(store, 0, scope).event
    release(store, 0, scope)
    assert made is not None
    return made.seq, made.state.generation


def test_what_was_free_for_a_week_goes_and_begins_again_above(store: Store) -> None:
    """Another scope's name too: one mark serves the whole board."""
    before = [used(store) for _ in range(3)]

    assert swept(store) == 6
    assert list(claims.tops(store)) == []
    assert list(store.folders("claims")) == []
    again, other = used(store), used(store, "task:other")
    assert min(again + other) > max(number for pair in before for number in pair)


def test_what_is_held_offered_young_or_unreadable_stays(store: Store) -> None:
    """Silence and age free nothing."""
    claim(store, 1, "task:held")
    used(store, "task:torn")
    store.create(keys.event(keys.claim("task:torn"), 3), b"{")
    used(store, "task:young")

    assert sweep.scopes(store).records == 0
    assert swept(store) == 2
    kept = {event.scope: event.state.line for event in claims.tops(store)}
    assert kept["task:held"][0].instance == "instance-1"
    assert kept["task:torn"][0].actor == "unknown"


def test_of_many_scopes_those_that_are_free_for_a_day_go(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads the board looks at each; where there are few, history is kept for a week."""
    monkeypatch.setattr(sweep, "MANY", 3)
    day = Later(store, 1.5 * 86400)
    claim(store, 1, "task:held")
    for number in range(2):
        used(store, f"task:{number}")
    assert sweep.scopes(day).records == 0  # type: ignore[arg-type]
    used(store, "task:one more")

    assert sweep.scopes(Later(store, 3600.0)).records == 0  # type: ignore[arg-type]
    assert sweep.scopes(day).records == 6  # type: ignore[arg-type]

    assert [event.scope for event in claims.tops(store)] == ["task:held"]


def test_a_clock_that_was_set_back_sweeps_nothing(store: Store) -> None:
    """What comes from the future is not old."""
    used(store)

    assert sweep.scopes(Later(store, -WEEK)).records == 0  # type: ignore[arg-type]


def test_a_sweep_waits_for_nobody_who_is_writing(store: Store) -> None:
    """It does nothing, or the claim that was being made is decided again: its number is as high."""
    used(store)
    done: list[int] = []
    stalled = Stalled(store, lambda: done.append(swept(store)))

    made = claim(stalled, 7)  # type: ignore[arg-type]

    assert done == [2 if goes_in_one_step(store) else 0]
    assert made.event is not None
    assert made.event.seq == 3
    assert made.event.after is None or done == [0]


def test_a_sweep_takes_nothing_once_somebody_has_written(store: Store) -> None:
    """Without locks too: what it had found free may be another's by then."""
    used(store)
    taken: list[int] = []

    class Interrupted(Later):
        """A client that is overtaken by a claim between what it finds and what it takes."""

        def take(self, found: Sequence[Sequence[str]]) -> int:
            """Take, after a claim where it has to wait for none."""
            if goes_in_one_step(store):
                claim(store, 7)
            taken.append(super().take(found))
            return taken[-1]

    done = sweep.scopes(Interrupted(store))  # type: ignore[arg-type]

    assert done.alone is not goes_in_one_step(store)
    assert taken == [0 if goes_in_one_step(store) else 2]
    assert [one.instance for one in claims.state(store, SCOPE).line] == (
        ["instance-7"] if goes_in_one_step(store) else []
    )


class StalledBefore(Stalled):
    """A client that stops once between its look and its lock."""

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Share the lock, after what happened meanwhile."""
        if self._meanwhile is not None:
            meanwhile, self._meanwhile = self._meanwhile, None  # type: ignore[assignment]
            meanwhile()
        with self._store.writing():
            yield


@pytest.mark.parametrize("was_there", [True, False])
def test_a_writer_that_wakes_after_the_sweep_decides_again(store: Store, was_there: bool) -> None:
    """Whether it had seen the last record of the scope, or none: its number is spent."""
    if was_there:
        used(store)
    spent: list[tuple[int, int]] = []

    def a_month() -> None:
        spent.append(used(store))
        swept(store)

    made = claim(StalledBefore(store, a_month), 9)  # type: ignore[arg-type]

    assert made.event is not None
    assert made.event.seq > spent[0][0]
    assert made.state.generation > spent[0][1]
    assert claims.state(store, SCOPE).line[0].instance == "instance-9"


class Reading(Later):
    """A client that counts what it reads."""

    reads = 0

    def read(self, key: str) -> Rec | None:
        """Read a record."""
        self.reads += 1
        return self._store.read(key)


def test_a_portion_reads_what_it_takes_and_not_all_that_is_old(store: Store) -> None:
    """Each portion of a large sweep read all the rest of it, too."""
    for number in range(12):
        used(store, f"task:{number}")
    reading = Reading(store)

    done = sweep.scopes(reading, 4, store.folders("claims"))  # type: ignore[arg-type]

    assert done.records == 4
    assert reading.reads <= 2 * 3 + 4 * 2


class Killed(BaseException):
    """Where a sweep ends for good."""


class Dying(Later):
    """A client that is killed at the `left`-th change it makes."""

    def __init__(self, store: Store, left: int) -> None:
        super().__init__(store)
        self._left = left

    def __getattr__(self, name: str) -> object:
        if name in {"create", "delete", "prune"}:
            self._spend()
        return super().__getattr__(name)

    def take(self, found: Sequence[Sequence[str]]) -> int:
        """Take, in as many changes as the store needs."""
        if goes_in_one_step(self._store):
            self._spend()
        return super().take(found)

    def _spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise Killed


def test_killed_at_any_change_it_leaves_scopes_that_go_on(maker: Maker) -> None:
    """Each is as it was or away; the next claim of it is above all before."""
    for left in range(40):
        scope = f"task:{left}"
        store = maker.open()
        last = [used(store, scope) for _ in range(2)][-1]
        try:
            sweep.scopes(Dying(store, left))  # type: ignore[arg-type]
            finished = True
        except Killed:
            finished = False
        state = claims.state(store, scope)
        assert state.generation in {0, last[1]}
        assert state.line == ()
        assert min(used(store, scope)) > last[1]
        swept(store)
        if finished:
            break
    assert finished
    assert left >= (3 if goes_in_one_step(store) else 5)


def test_what_a_scope_that_went_had_to_tell_is_told(store: Store) -> None:
    """Its worker slept for a month: the event is away, and the notice is none of nothing."""
    claim(store, 0)
    take(store, 1, "instance-0")
    release(store, 1)
    swept(store)

    assert [one.kind for one in notices.unread(store, "instance-0")] == ["lost"]


class Closed(Later):
    """A client that may not read one record, or may not take it away."""

    def __init__(self, store: Store, key: str, *, reads: bool) -> None:
        super().__init__(store)
        self._key, self._reads = key, reads

    def read(self, key: str) -> Rec | None:
        """Say of that one that it may not be read."""
        if key == self._key and not self._reads:
            return Rec(key, b"", denied="another's")
        return self._store.read(key)

    def delete(self, key: str, expect: bytes) -> bool:
        """Leave that one where it is."""
        return key != self._key and self._store.delete(key, expect)

    def take(self, found: Sequence[Sequence[str]]) -> int:
        """Take each by this client's own hand, in whatever store."""
        return one_by_one(self, found)  # type: ignore[arg-type]


@pytest.mark.parametrize("reads", [True, False])
@pytest.mark.parametrize("seq", [1, 2, 3])
def test_a_scope_with_a_record_that_does_not_go_stays_free(
    store: Store, seq: int, reads: bool
) -> None:
    """A record of a claim that was left below would come back as a claim that nobody can free."""
    for _ in range(2):
        used(store)
    used(store, "task:other")

    closed = Closed(store, keys.event(keys.claim(SCOPE), seq), reads=reads)
    done = sweep.scopes(closed)  # type: ignore[arg-type]

    assert done.records == 2 + (seq - 1 if reads else 0)
    state = claims.state(store, SCOPE)
    assert (state.line, state.generation) == ((), 2)
    assert used(store)[0] == 5


def test_the_mark_is_a_number_however_many_digits_it_has(store: Store) -> None:
    """By name, the mark of nine digits went for one of eight, and numbers came twice."""
    used(store)
    swept(store)
    retired.lift(store, 99_999_997)
    given = 99_999_997
    for _ in range(3):
        seq, generation = used(store)
        assert min(seq, generation) > given
        swept(store)
        given = retired.mark(store)
        assert given > seq


def test_a_generation_that_no_events_have_made_stays_and_lifts_nothing(store: Store) -> None:
    """What another program has written does not decide where every scope begins."""
    claims.change(store, SCOPE, me(0), lambda _: events.Change("release", State(10**30)))

    assert swept(store) == 0
    assert retired.mark(store) == 0
    assert claims.state(store, SCOPE).generation == 10**30


@pytest.mark.parametrize("planted", [str(retired.MOST), str(keys.MOST), "9" * 40, "litter"])
def test_a_mark_that_another_program_has_planted_is_none(store: Store, planted: str) -> None:
    """Scopes would begin where no numbers are left, and nothing would be swept again."""
    store.create(f"{retired.FOLDER}/{planted}", retired.marker())

    assert used(store)[0] == 1
    assert swept(store) == 2
    assert retired.mark(store) == 2
    assert [used(store), swept(store)] == [(3, 3), 2]


def test_a_record_of_a_number_that_is_none_of_ours_is_passed_over(store: Store) -> None:
    """It would hold the scope for ever: what follows it has a name that no file can have."""
    for planted in (keys.MOST, 10**80):
        store.create(keys.event(keys.claim(SCOPE), planted), b"x")

    assert [used(store), used(store)] == [(1, 1), (3, 2)]
    assert [event.seq for event in claims.tops(store)] == [4]


def test_after_the_last_number_there_is_nothing_left_to_claim(store: Store) -> None:
    """A claim of a number that nobody looks at would be none, and said to be one."""
    store.create(keys.event(keys.claim(SCOPE), keys.MOST - 1), b"x")

    with pytest.raises(Unavailable, match="no numbers left"):
        claims.change(store, SCOPE, me(0), lambda at: events.taken(at, place(0), "because"))


class DyingAt(Later):
    """A client that is killed between an event's notices and the event."""

    def append(self, key: str, value: bytes, after: str | None, also: Sequence[Pair]) -> None:
        """Publish what belongs to the event."""
        del key, value, after
        for name, text in also:
            self._store.create(name, text)
        raise Killed


def test_a_notice_of_nothing_in_a_scope_that_was_never_swept_is_not_told(store: Store) -> None:
    """However high the mark of the board: its own top says which numbers it has given."""
    claim(store, 0)
    with pytest.raises(Killed):
        take(DyingAt(store), 1, "instance-0")  # type: ignore[arg-type]
    for number in range(3):
        used(store, f"task:{number}")
    while sweep.scopes(Later(store)).records:  # type: ignore[arg-type]
        pass

    assert retired.mark(store) >= 2
    assert len(list(store.list(keys.notices("instance-0")))) == 1
    assert notices.unread(store, "instance-0") == []


@pytest.mark.parametrize("another", [True, False])
def test_a_notice_of_nothing_goes_before_the_records_that_disprove_it(
    store: Store, another: bool
) -> None:
    """Whether another event has its number, or none came; swept, nobody could tell any more."""
    claim(store, 0)
    with pytest.raises(Killed):
        take(DyingAt(store), 1, "instance-0")  # type: ignore[arg-type]
    release(store, 0)
    if not another:
        (rec,) = store.list(keys.notices("instance-0"))
        store.delete(rec.key, rec.value)
        store.create(rec.key, rec.value.replace(b'"seq": 2', b'"seq": 3'))
    used(store, "task:higher")
    used(store, "task:higher")

    assert swept(store) == 6
    assert retired.mark(store) > 3
    assert list(store.list(keys.notices("instance-0"))) == []


def _worked(number: int, maker: Maker) -> list[int]:
    """Hold and release a scope, or sweep; return the generations that were held."""
    store, held = maker.open(), []
    for _ in range(maker.times(12, 2)):
        if number < 2:
            sweep.scopes(Later(store))  # type: ignore[arg-type]
            continue
        mine = place(number)
        made = claims.change(
            store,
            SCOPE,
            me(number),
            lambda at, mine=mine: None if at.line else events.joined(at, mine, alive),
        )
        if made.event is not None:
            held.append(made.state.generation)
            release(store, number)
    return held


def test_no_generation_comes_twice_while_sweeps_race_with_claims(
    maker: Maker, race: Callable[..., list[list[int]]]
) -> None:
    """Two sweep as if each record was old, six claim and release."""
    generations = [one for some in race(maker.racers(8), _worked, maker) for one in some]

    assert len(set(generations)) == len(generations) > 0
    store = maker.open()
    swept(store)
    assert retired.mark(store) >= max(generations)
