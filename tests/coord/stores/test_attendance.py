"""What a clone tells of its workers, and what others make of it: present, or unknown, no more."""

from __future__ import annotations

import json
import os
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from coord.board.events import Place
from coord.board.roll import Roll
from coord.identity.pin import now
from coord.liveness import clone, process
from coord.repo import worktree
from coord.stores import attendance, keys
from coord.stores.attendance import Attendance, Sign
from coord.stores.directory import Directory

if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.liveness.process import Process
    from harness import Repo

EXPIRES = 1800.0
FAR, INSTANCE = "f" * 32, "i-far"
HOUR = 3600.0
Told = dict[str, object]
# Whose worktree is not here; who has the home of this clone's own; of a clone that is not named.
HOMES = (
    (INSTANCE, "worktrees/far", FAR),
    (f"{INSTANCE}-main", ".", FAR),
    (f"{INSTANCE}-unnamed", "worktrees/far", ""),
)


class Shared(Directory):
    """A store that says that several hosts see it, with a clock that is not this machine's."""

    caps = Directory.caps._replace(hosts=True)

    def __init__(self, root: str, ahead: float = 0.0) -> None:
        super().__init__(root)
        self.ahead = ahead

    def now(self) -> float:
        """See :meth:`coord.stores.store.Store.now`."""
        return time.time() + self.ahead


def _told(at: float, **changed: object) -> bytes:
    sign: Told = {"seen": at, "branch": "far", "over": "", **changed}
    return json.dumps({"schema": 1, "host": "two", "workers": {INSTANCE: sign}}).encode()


# What the record of the other clone is, by the store's time, and what that makes of its worker.
CELLS: dict[str, tuple[Callable[[float], bytes], str]] = {
    "none": (lambda _: b"", "unknown"),
    "torn": (lambda at: _told(at)[:40], "unknown"),
    "not text": (lambda _: b"\xff\xfe", "unknown"),
    "a list": (lambda _: b"[]", "unknown"),
    "deep": (lambda _: b"[" * 5000, "unknown"),
    "huge": (lambda at: _told(at, over="x" * (1 << 19)), "unknown"),
    "no signs": (lambda _: b'{"schema":1,"host":"two","workers":{}}', "unknown"),
    "a number of words": (lambda at: _told(at, seen="now"), "unknown"),
    "not a number": (lambda at: _told(at).replace(str(at).encode(), b"NaN"), "unknown"),
    "infinite": (lambda at: _told(at).replace(str(at).encode(), b"1e999"), "unknown"),
    "before time": (lambda at: _told(at, seen=-5), "unknown"),
    "a day ahead": (lambda at: _told(at + 24 * HOUR), "unknown"),
    "recent": (_told, "present"),
    "a little ahead": (lambda at: _told(at + 60), "present"),
    "as old as can be": (lambda at: _told(at - EXPIRES - 240), "present"),
    "old": (lambda at: _told(at - EXPIRES - 360), "unknown"),
    "ended, it says": (lambda at: _told(at, over="its session is over"), "present"),
    "ended long ago": (lambda at: _told(at - 2 * HOUR, over="before this boot"), "unknown"),
}


@pytest.mark.parametrize("ahead", [0.0, -HOUR, HOUR], ids=["same clock", "behind", "ahead"])
def test_a_living_worker_of_another_clone_is_never_called_dead(hub: Repo, ahead: float) -> None:
    """Whatever its clone tells; its process is none here, its worktree is not, its pin another's.

    All names are those of a worker of this clone.
    """
    here = worktree.discover(str(hub.path))
    clone.own(here.common_dir)
    over = subprocess.Popen(["true"])
    known = process.of(over.pid)
    over.wait()
    for number, (cell, (made, word)) in enumerate(CELLS.items()):
        store = Shared(str(hub.common(f"shared{number}")), ahead)
        if value := made(store.now()):
            store.create(attendance.key(FAR), value)
        for instance, home, mine in HOMES:
            _enrol(store, instance, home, mine)

        roll = Roll(store, here, EXPIRES)

        assert roll.of(INSTANCE).liveness == word, cell
        assert roll.rank("task:x")(_place(INSTANCE)) == {"present": 0, "unknown": 3}[word]
        for instance, _, _ in HOMES:
            _require_alive(roll, known, instance)


def _require_alive(roll: Roll, known: Process | None, instance: str) -> None:
    """Insist that nothing calls an instance dead, nor what it claims or runs."""
    status = roll.of(instance)
    assert (status.dead, status.gone) == (False, False), status
    claim = _place(instance)
    for place in (claim, claim._replace(process=known, run=True, command=known, nonce="0" * 32)):
        assert not roll.is_dead(place)
        assert not roll.lingers(place)


def _place(instance: str) -> Place:
    return Place("far", instance, "far", now(), clone=FAR)


def test_who_declares_a_shorter_expiry_does_not_outrun_what_others_tell(hub: Repo) -> None:
    """A record is as old as its own clone lets it become: five minutes, whatever is declared."""
    here, store = worktree.discover(str(hub.path)), Shared(str(hub.common("shared")))
    clone.own(here.common_dir)
    store.create(attendance.key(FAR), _told(store.now() - 290))
    _enrol(store, INSTANCE, "worktrees/far", FAR)

    assert Roll(store, here, 60.0).of(INSTANCE).liveness == "present"


def _enrol(store: Shared, instance: str, home: str, mine: str) -> None:
    """Have been on the board for long: the stamp of that record is no sign of life any more."""
    words = {"actor": "ada", "instance": instance, "home": home, "created": now(), "clone": mine}
    key = keys.actor(instance)
    store.create(key, json.dumps({"schema": 1, "host": os.uname().nodename, **words}).encode())
    at = store.now() - 24 * HOUR
    os.utime(f"{store._root}/{key}", (at, at))


@pytest.mark.parametrize("ahead", [-HOUR, HOUR], ids=["behind", "ahead"])
def test_a_server_with_another_clock_makes_nobody_of_this_clone_silent(
    hub: Repo, ahead: float
) -> None:
    """Its own signs of life are files, which this machine's clock has stamped."""
    here, store = worktree.discover(str(hub.path)), Shared(str(hub.common("shared")), ahead)
    assert hub.coord("claim", "db").code == 0

    found = [one for one in Roll(store, here, EXPIRES).members(()) if one.worktree]

    assert [one.status.liveness for one in found] == ["present"]
    assert found[0].status.seen == pytest.approx(store.now(), abs=60)


def test_a_board_of_files_looks_for_no_record_of_other_clones(hub: Repo) -> None:
    """It has none, and each look is a file's."""
    here = worktree.discover(str(hub.path))
    store = Directory(str(hub.common("coord/board")))
    store.create(attendance.key(FAR), _told(store.now() or 0))
    document = {"schema": 1, "actor": "far", "instance": INSTANCE, "home": "worktrees/far"}
    old = {**document, "host": "two", "created": now(), "clone": FAR}
    store.create(keys.actor(INSTANCE), json.dumps(old).encode())
    os.utime(hub.common(f"coord/board/{keys.actor(INSTANCE)}"), (1, 1))

    assert Roll(store, here, EXPIRES).of(INSTANCE).liveness == "unknown"


def test_what_is_told_comes_back_as_it_was_and_never_grows_without_end() -> None:
    """The newest workers stay; those of whom nothing was seen for a week go."""
    at = 1_800_000_000.0
    told = Attendance("two", {"a": Sign(at, "x", "over"), "b": Sign(at - 1, None)})

    assert attendance.decode(attendance.encode(told, at)) == told
    old = Attendance("two", {"a": Sign(at - 8 * 86400)})
    assert attendance.decode(attendance.encode(old, at)).signs == {}
    many = Attendance("two", {str(n): Sign(at - n, "b" * 3000) for n in range(5000)})
    made = attendance.encode(many, at)
    kept = attendance.decode(made).signs
    assert len(made) < 1 << 18
    assert 10 < len(kept) < 1000
    assert all(str(n) in kept for n in range(len(kept)))
