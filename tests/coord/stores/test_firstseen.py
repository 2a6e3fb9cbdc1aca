"""Ages on a board that has no clock: by what this clone has seen, whatever any clock shows."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from coord.etcd.address import Endpoint
from coord.stores.cluster import Cluster
from coord.stores.replica import Replica
from harness.clockless import YEAR, Clockless, Machine, World

if TYPE_CHECKING:
    from pathlib import Path

    from coord.etcd.address import Address

SKEWS = pytest.mark.parametrize("skewed", [0.0, -YEAR, YEAR, -600.0, 600.0])


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """Clocks that show what this test says."""
    return World(monkeypatch)


class Looker:
    """A clone that looks at one record, by a command of its own each time."""

    def __init__(self, address: Address, path: Path, world: World) -> None:
        self.address, self.path, self.world = address, str(path), world

    def age(self, key: str = "x/a") -> float:
        """Return how old it is, at one look."""
        store = Replica(Clockless(self.address), self.path, fresh=0)
        try:
            rec, now = store.read(key), store.now()
            assert rec is not None
            assert rec.at is not None
            assert now == pytest.approx(self.world.time(), abs=1)
            return now - rec.at
        finally:
            store.close()


@pytest.fixture
def looker(address: Address, tmp_path: Path, world: World) -> Looker:
    """A clone of a board that has one record, of which it has not heard yet."""
    other = Cluster(address)
    other.create("x/a", b"a")
    other.close()
    return Looker(address, tmp_path / "copy", world)


@SKEWS
def test_a_record_is_as_old_as_it_was_seen_unchanged(looker: Looker, skewed: float) -> None:
    """Whatever its writer's clock shows: that stamp is never asked."""
    writer = Clockless(looker.address)
    writer.skewed = skewed
    writer.create("x/b", b"b")

    assert looker.age("x/b") == pytest.approx(0, abs=1)
    looker.world.passed += 2400
    assert looker.age("x/b") == pytest.approx(2400, abs=1)
    writer.carry("x/b", b"b, as it is now")
    writer.unload()
    assert looker.age("x/b") == pytest.approx(0, abs=1)
    looker.world.passed += 60
    assert (looker.age("x/b"), looker.age()) == pytest.approx((60, 2460), abs=1)
    writer.close()


@SKEWS
def test_a_clock_that_is_set_makes_nothing_older_or_younger(looker: Looker, skewed: float) -> None:
    """What passes is told by the time since the machine was started, which nobody sets."""
    assert looker.age() == pytest.approx(0, abs=1)
    looker.world.passed += 100
    looker.world.at.skewed = skewed

    assert looker.age() == pytest.approx(100, abs=1)
    looker.world.at.skewed = 0
    looker.world.passed += 100
    assert looker.age() == pytest.approx(200, abs=1)


@SKEWS
def test_while_the_machine_is_off_nothing_gets_older(looker: Looker, skewed: float) -> None:
    """Nobody looked; and a battery that is flat sets the clock to what it likes."""
    looker.age()
    looker.world.passed += 300
    looker.age()
    looker.world.at.reboot(off=7 * 86400)
    looker.world.at.skewed = skewed

    assert looker.age() == pytest.approx(300, abs=1)
    looker.world.passed += 300
    assert looker.age() == pytest.approx(600, abs=1)


def test_a_machine_set_back_with_its_clocks_expires_nothing(looker: Looker) -> None:
    """A snapshot of it goes on with the boot it had, beside a copy that has seen more."""
    looker.age()
    looker.world.passed += 5000
    looker.age()
    looker.world.at._booted += 4000

    assert looker.age() == pytest.approx(5000, abs=1)
    looker.world.passed += 60
    assert looker.age() == pytest.approx(5060, abs=1)


def test_two_machines_with_one_clone_do_not_age_each_others_records(looker: Looker) -> None:
    """A common dir on a disk that both have: each tells the time on by its own clock."""
    one, other = looker.world.at, Machine(looker.world, skewed=-YEAR)
    looker.world.passed += 86400
    for _ in range(5):
        for at in (one, other):
            looker.world.at = at
            looker.age()
            looker.world.passed += 100

    assert looker.age() == pytest.approx(1000, abs=101)


def test_a_copy_that_is_filled_anew_knows_what_has_not_changed(looker: Looker) -> None:
    """One that is made anew does not: there all is new."""
    looker.age()
    looker.world.passed += 1000
    with closing(sqlite3.connect(looker.path)) as copy, copy:
        copy.execute("UPDATE upto SET rev = 0")

    assert looker.age() == pytest.approx(1000, abs=1)
    os.unlink(looker.path)
    assert looker.age() == pytest.approx(0, abs=1)


def test_a_copy_whose_time_cannot_be_read_is_made_anew(looker: Looker) -> None:
    """Else all would be new to each command for ever."""
    looker.age()
    copy = sqlite3.connect(looker.path)
    copy.executescript("DROP TABLE clock; CREATE TABLE clock (other INTEGER)")
    copy.close()

    for seconds in (500, 600):
        looker.world.passed += seconds
        assert looker.age() == pytest.approx(0, abs=1)
    looker.world.passed += 700
    assert looker.age() == pytest.approx(700, abs=1)


def test_while_the_board_is_not_reached_nothing_gets_older(looker: Looker) -> None:
    """There may be news; an age is that of the last look."""
    looker.age()
    looker.world.passed += 100
    looker.age()
    looker.world.passed += 86400
    near, looker.address = (
        looker.address,
        looker.address._replace(endpoints=(Endpoint("127.0.0.1", 1),)),
    )

    assert looker.age() == pytest.approx(100, abs=1)
    looker.address = near
    assert looker.age() == pytest.approx(86500, abs=1)


def test_an_age_is_told_by_nobody_else(looker: Looker) -> None:
    """What a write returns bears no stamp, and a copy in memory finds everything new."""
    store = Replica(Clockless(looker.address))
    made = store.create("x/c", b"c")

    assert (made.at, store.caps.clock) == (None, False)
    rec = store.read("x/a")
    assert rec is not None
    assert (store.now() or 0) - (rec.at or 0) == pytest.approx(0, abs=1)
    store.close()
