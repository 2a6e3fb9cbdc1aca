"""Who is present on a board that has no clock, whatever all clocks show and whoever sets them.

The law, of a worker of another clone: it is present for the expiry after it last did something on
the board, at least; and silent once its reader has seen nothing new of it for so long, and for as
long as a clone waits between two words of its workers.
"""

from __future__ import annotations

import json
import os
from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coord.board import roll
from coord.board.actors import Actor
from coord.board.roll import Member, Roll
from coord.identity.pin import now
from coord.liveness import clone, presence
from coord.repo import worktree
from coord.stores import attendance, keys
from coord.stores.replica import Replica
from coord.work import attend
from harness.clockless import YEAR, Clockless, Machine, World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from coord.etcd.address import Address
    from coord.repo.worktree import Worktree
    from harness.repo import Repo

EXPIRES = 1800.0
FAR = "f" * 32
MINUTE = 60.0
_LONGEST = EXPIRES + attendance.EVERY
_SLACK = 2.0  # seconds that the test itself may take


class Teller:
    """A clone on a machine of its own, with two workers, that tells of them as commands do."""

    def __init__(self, address: Address, path: Path, world: World) -> None:
        self.machine = Machine(world)
        self.address, self._path, self._world = address, path, world
        self._files: dict[str, float] = {}  # the last sign of each, as its file is stamped
        self.given: dict[str, float] = {}  # when that was in truth
        self.told: dict[str, float] = {}  # likewise, of those that were published
        self.words = 0  # how often some were
        self.undisturbed = True  # its clock was never set, and so on: it can tell how long ago

    def act(self, instance: str) -> None:
        """Give a sign, and tell of all, where the last word is old."""
        self._world.at = self.machine
        self._files[instance] = self._world.time()
        self.given[instance] = self._world.passed
        store = Replica(Clockless(self.address), str(self._path), fresh=0)
        if not self.told:
            for name in ("i-a", "i-b"):
                store.create(keys.actor(name), _actor(name))
        attend._carry(self, store, instance, instance)  # type: ignore[arg-type]
        if store._cluster.is_laden:
            self.told = dict(self.given)
            self.words += 1
        store.unload()
        store.close()

    def forget(self) -> None:
        """Lose the copy."""
        self._path.unlink(missing_ok=True)

    # What the use case asks of a worktree, of its roll and of its declaration.
    common_dir = top = ""

    def members(self, _: object) -> Iterator[Member]:
        """Stand for :meth:`coord.board.roll.Roll.members`: what the files of signs say."""
        for name, at in self._files.items():
            seen = at if at <= self._world.time() + 300 else None
            yield Member(_found(name), presence.Status(presence.PRESENT, seen), None, None)

    def is_elsewhere(self, _: object) -> bool:
        """Stand for :meth:`coord.board.roll.Roll.is_elsewhere`."""
        return False


def _found(name: str, home: str = "worktrees/far", made: str = FAR) -> Actor:
    return Actor(name, name, home, "two", now(), made)


def _actor(name: str, *where: str) -> bytes:
    words = _found(name, *where)._asdict()
    del words["at"], words["rev"]
    return json.dumps({"schema": 1, **words}).encode()


class Reader:
    """A clone that looks at who is there."""

    def __init__(self, address: Address, path: Path, world: World, here: Worktree) -> None:
        self.machine = Machine(world)
        self._address, self._path, self._world, self.here = address, path, world, here

    def look(self, instance: str = "i-a") -> presence.Status:
        """Return what is known of a worker of the other clone."""
        self._world.at = self.machine
        store = Replica(Clockless(self._address), str(self._path), fresh=0)
        try:
            return Roll(store, self.here, EXPIRES).of(instance)
        finally:
            store.close()

    def forget(self) -> None:
        """Lose the copy."""
        self._path.unlink(missing_ok=True)


class Scene(NamedTuple):
    """Both, and true time."""

    world: World
    teller: Teller
    reader: Reader


class Scenes:
    """Makes boards that nobody has come to yet."""

    def __init__(self, members: Address, tmp_path: Path, repo: Repo) -> None:
        self._members, self._path = members, tmp_path
        self._here = worktree.discover(str(repo.path))
        clone.own(self._here.common_dir)

    def made(self, patch: pytest.MonkeyPatch) -> Scene:
        """Return a new one; `patch` is for as long as it is used."""
        world, name = World(patch), os.urandom(6).hex()
        address = self._members._replace(prefix=name)
        teller = Teller(address, self._path / f"{name}-a", world)
        patch.setattr(roll, "time", world)
        patch.setattr(attend, "Roll", lambda *_: teller)
        patch.setattr(attend, "clone", SimpleNamespace(known=lambda _: FAR))
        patch.setattr(attend, "config", SimpleNamespace(load=lambda _: self))
        return Scene(world, teller, Reader(address, self._path / f"{name}-b", world, self._here))

    expires = EXPIRES


@pytest.fixture
def scenes(members: Address, tmp_path: Path, hub: Repo) -> Scenes:
    """What makes boards."""
    return Scenes(members, tmp_path, hub)


SKEWS = (0.0, -YEAR, YEAR, -600.0, 600.0)
_STEP = st.one_of(
    st.tuples(st.sampled_from(["acts", "other acts"]), st.sampled_from([0.0, 200.0, 1200.0])),
    st.tuples(st.just("looks"), st.sampled_from([0.0, 290.0, 1500.0, 2200.0])),
    st.tuples(st.sampled_from(["teller is set", "reader is set"]), st.sampled_from(SKEWS)),
    st.tuples(st.sampled_from(["reader is off", "teller is off"]), st.sampled_from([10.0, 2e4])),
    st.tuples(st.sampled_from(["reader forgets", "teller forgets"]), st.just(0.0)),
)


class _Law:
    """What must be so at each look."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._looked = 0.0  # seconds since nothing new was seen of the clone, at least
        self._last = 0.0  # of these, until the last look
        self._is_off = False
        self._before = 0.0
        self._known = 0  # how many of its words

    def pass_over(self, seconds: float) -> None:
        """Let time go by."""
        self._scene.world.passed += seconds
        self._looked += 0 if self._is_off else seconds

    def is_told(self) -> None:
        """Take it that a clone has said, or not, how long ago the worker gave its last sign."""
        teller = self._scene.teller
        self._before = self._scene.world.passed - teller.given["i-a"] if teller.undisturbed else 0.0

    def is_off(self) -> None:
        """Count nothing from the last look to the next one: how long that was nobody knows."""
        self._looked, self._is_off = self._last, True

    def forgets(self) -> None:
        """Begin to look anew."""
        self._known = 0

    def looks(self) -> None:
        """Insist that it holds."""
        world, teller, reader = self._scene
        told = teller.told["i-a"]
        if teller.words != self._known:
            self._known, self._looked = teller.words, self._before
        found = reader.look()
        if world.passed - teller.given["i-a"] < EXPIRES:
            assert found.present, (world.passed, told, found)
        if self._looked > _LONGEST + _SLACK:
            assert not found.present, (world.passed, told, found)
        assert found.liveness in {presence.PRESENT, presence.UNKNOWN}
        self._last, self._is_off = self._looked, False


@settings(
    max_examples=int(os.environ.get("COORD_HYPOTHESIS_EXAMPLES", "30")),
    deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(st.sampled_from(SKEWS), st.sampled_from(SKEWS), st.lists(_STEP, min_size=4, max_size=24))
def test_no_clocks_make_anybody_present_for_ever_or_silent_too_soon(
    scenes: Scenes, far: float, near: float, steps: list[tuple[str, float]]
) -> None:
    """Set at any time, both machines; with copies that are lost, and machines that are off."""
    with pytest.MonkeyPatch.context() as patch:
        scene = scenes.made(patch)
        _, teller, reader = scene
        teller.machine.skewed, reader.machine.skewed = far, near
        law = _Law(scene)
        teller.act("i-a")
        for step, number in [*steps, ("looks", 0.0), ("looks", _LONGEST + 5), ("looks", 0.0)]:
            match step:
                case "acts" | "other acts":
                    law.pass_over(number)
                    teller.act("i-a" if step == "acts" else "i-b")
                    law.is_told()
                case "looks":
                    law.looks()
                    law.pass_over(number)
                case "reader is off":
                    reader.machine.reboot(number)
                    law.is_off()
                case "teller is off":
                    law.pass_over(number)
                    teller.machine.reboot(0.0)
                    teller.undisturbed = False
                case "teller is set":
                    teller.machine.skewed = number
                    teller.undisturbed = False
                case "reader is set":
                    reader.machine.skewed = number
                case "reader forgets":
                    reader.forget()
                    law.forgets()
                case "teller forgets":
                    teller.forget()
                    teller.undisturbed = False


def test_who_is_told_of_by_others_after_the_clock_was_set_is_as_old_as_before(
    scenes: Scenes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files are a year old then, or of next year; what was told before says when it was."""
    for skewed in SKEWS:
        world, teller, reader = scenes.made(monkeypatch)
        teller.act("i-a")
        teller.machine.skewed = skewed
        world.passed += 400
        teller.act("i-b")

        assert reader.look().present, skewed
        world.passed += EXPIRES - 401
        assert reader.look().present, skewed
        world.passed += attendance.EVERY + 2
        found = reader.look()
        assert (found.liveness, found.heard) == (presence.UNKNOWN, True), skewed
        assert world.time() - (found.seen or 0) == pytest.approx(_LONGEST + 1, abs=3)


def test_a_clone_that_does_not_know_how_old_its_word_is_tells_it_anew(
    scenes: Scenes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a restart, and by another machine with the same files; a lost copy is not such a case.

    To a new copy that word is new: others would wait for the next, and see who is here silent.
    """
    world, teller, _ = scenes.made(monkeypatch)
    teller.act("i-a")
    teller.told = {"i-a": -1}
    world.passed += 100
    teller.forget()
    teller.act("i-a")
    assert teller.told == {"i-a": -1}
    teller.machine.reboot(0)
    teller.act("i-a")
    assert teller.told == {"i-a": 100}


def test_who_writes_is_told_of_once_its_own_last_word_is_old(
    scenes: Scenes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others of its clone may have told of it lately, as it was long before."""
    world, teller, reader = scenes.made(monkeypatch)
    teller.act("i-a")
    world.passed += EXPIRES - 10
    teller.act("i-b")
    assert reader.look().present
    world.passed += 20
    teller.act("i-a")
    assert reader.look().present
    world.passed += EXPIRES - 60

    assert reader.look().present


@pytest.mark.parametrize("told", [b"{", b"[]", b'{"schema":1,"host":"two","workers":{}}'])
def test_a_word_that_cannot_be_read_leaves_who_came_to_the_board_as_it_came(
    scenes: Scenes, monkeypatch: pytest.MonkeyPatch, told: bytes
) -> None:
    """It is present for the expiry after it was first seen here, and then unknown."""
    world, teller, reader = scenes.made(monkeypatch)
    teller.act("i-a")
    store = Clockless(teller.address)
    store.carry(attendance.key(FAR), told)
    store.unload()
    store.close()

    assert reader.look().present
    world.passed += _LONGEST + 2
    assert reader.look().liveness == presence.UNKNOWN


def test_what_a_clone_has_told_of_its_own_worker_ends_as_all_silence_does(
    scenes: Scenes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stands in for files of another year, which say nothing, for the expiry and no longer."""
    world, teller, reader = scenes.made(monkeypatch)
    made = clone.known(reader.here.common_dir)
    store = Replica(Clockless(teller.address), fresh=0)
    store.create(keys.actor("i-own"), _actor("i-own", "worktrees/none", made))
    sign = attendance.Sign(world.time())
    told = attendance.Attendance("one", {"i-own": sign}, world.time(), *world.at.uptime)
    reader.machine = world.at
    store.create(attendance.key(made), attendance.encode(told, world.time()))
    store.close()
    monkeypatch.setattr(presence.Judge, "of", lambda *_: presence.Status(presence.UNKNOWN))

    assert reader.look("i-own") == presence.Status(
        presence.PRESENT, pytest.approx(world.time(), abs=2)
    )
    world.passed += EXPIRES + 1
    assert reader.look("i-own").liveness == presence.UNKNOWN


def test_a_new_copy_lists_nobody_of_whom_its_clone_tells_no_more(
    scenes: Scenes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All who ever came are new to it; who holds something is listed all the same."""
    world, teller, reader = scenes.made(monkeypatch)
    teller.act("i-a")
    world.passed += 8 * 86400
    teller.act("i-b")

    def listed(*holding: str) -> set[str]:
        store = Replica(Clockless(teller.address), fresh=0)
        try:
            found = Roll(store, reader.here, EXPIRES).members(holding)
            return {one.actor.instance for one in found} & {"i-a", "i-b"}
        finally:
            store.close()

    def here() -> set[str]:
        store = Replica(Clockless(teller.address), fresh=0)
        try:
            found = Roll(store, reader.here, EXPIRES)
            return {one.instance for one in found.everyone() if found.is_here(one)}
        finally:
            store.close()

    assert listed() == {"i-b"}
    assert listed("i-a") == {"i-a", "i-b"}
    assert here() == {"i-b"}
    assert reader.look("i-a").present  # whether it is, a clone that has just come cannot tell
    world.passed += _LONGEST + 2
    assert not reader.look("i-a").present
