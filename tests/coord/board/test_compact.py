"""Compaction: old history goes, the top and the last week never."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from coord.board import claims, events, notices
from coord.board.events import Place, State
from coord.identity.whoami import Identity
from coord.stores import keys
from coord.stores.directory import Directory

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = keys.claim("task:x")
DAY = 86400


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A board on which one scope changed hands ten times."""
    store = Directory(str(tmp_path / "board"))
    for turn in range(5):
        _turn(store, f"i-{turn}")
    return tmp_path / "board"


def _turn(store: Directory, instance: str) -> None:
    me = Identity("a", instance, "pinned", 2)
    mine = Place("a", instance, "main", "now")
    claims.change(store, "task:x", me, lambda at: events.joined(at, mine, _alive))
    claims.change(store, "task:x", me, lambda at: events.left(at, lambda _: True, _alive))


def _alive(_: Place) -> bool:
    return False


def _age(root: Path, seq: int, days: float) -> None:
    then = (Directory(str(root)).now() or 0) - days * DAY
    os.utime(root / keys.event(FOLDER, seq), (then, then))


def _kept(root: Path) -> list[int]:
    return [keys.seq_of(rec.key) for rec in Directory(str(root)).list(FOLDER, values=False)]


def test_history_below_a_week_old_record_goes(root: Path) -> None:
    """The newest record that is older than a week stays: it is the state of a week ago."""
    for seq in range(1, 7):
        _age(root, seq, 8)

    claims.compact(Directory(str(root)), FOLDER)

    assert _kept(root) == [6, 7, 8, 9, 10]


def test_the_top_stays_however_old(root: Path) -> None:
    """It is the scope's state."""
    for seq in range(1, 11):
        _age(root, seq, 400)

    claims.compact(Directory(str(root)), FOLDER)
    claims.compact(Directory(str(root)), FOLDER)

    assert _kept(root) == [9, 10]
    assert claims.state(Directory(str(root)), "task:x").generation == 5


def test_a_weeks_history_is_kept_whole(root: Path) -> None:
    """Six days are not a week."""
    for seq in range(1, 11):
        _age(root, seq, 6)

    claims.compact(Directory(str(root)), FOLDER)

    assert _kept(root) == list(range(1, 11))


def test_claims_compact_on_their_own_now_and_then(root: Path) -> None:
    """A scope in use for years does not grow for years."""
    store = Directory(str(root))
    for turn in range(20):
        for seq in _kept(root):
            _age(root, seq, 8)
        _turn(store, f"later-{turn}")

    assert len(_kept(root)) < 32
    log = claims.history(store, "task:x")
    assert [event.after for event in log[1:]] == [event.nonce for event in log[:-1]]


def test_of_a_busy_week_the_newest_thousand_stay(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A portion at a time, the lowest first, so that a listing does not grow with the week."""
    monkeypatch.setattr(claims, "_MOST_KEPT", 4)

    assert claims.compact(Directory(str(root)), FOLDER, 3) == 3
    assert _kept(root) == [4, 5, 6, 7, 8, 9, 10]
    assert claims.compact(Directory(str(root)), FOLDER) == 3
    assert claims.compact(Directory(str(root)), FOLDER) == 0
    assert _kept(root) == [7, 8, 9, 10]


def test_the_week_is_found_without_opening_its_records(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By bisection: of a hundred records seven or eight are looked at."""
    store = Directory(str(root))
    for turn in range(45):
        _turn(store, f"i-{turn}")
    looked: list[str] = []
    real = Directory.read
    monkeypatch.setattr(Directory, "read", lambda self, key: looked.append(key) or real(self, key))

    claims.compact(store, FOLDER)

    assert len(looked) <= 8


def test_a_notice_of_nothing_goes_before_the_record_that_disproves_it(root: Path) -> None:
    """Its writer was killed; told a week later, its reader gave up what nobody had taken."""
    store = Directory(str(root))
    for seq, instance, nonce in ((3, "i-8", "f" * 16), (4, "i-7", None)):
        event = claims.history(store, "task:x")[seq - 1]
        before = State(line=(Place("a", instance, "main", "now"),))
        forged = event._replace(nonce=nonce or event.nonce, instance="i-9")
        for key, value in notices.of(before, forged):
            store.create(key, value)
    for seq in range(1, 7):
        _age(root, seq, 8)

    claims.compact(store, FOLDER)

    assert _kept(root) == [6, 7, 8, 9, 10]
    told = [notices.unread(store, instance) for instance in ("i-8", "i-7")]
    assert [[one.kind for one in some] for some in told] == [[], ["lost"]]
