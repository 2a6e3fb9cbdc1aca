"""A store that stamps nothing, as git is one: of nobody it can be said how long they were idle."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from coord.board import claims, events, letters, messages, notices
from coord.board.events import Event, Place, State
from coord.board.messages import Message, Party
from coord.board.roll import Roll
from coord.identity.whoami import Identity
from coord.liveness import presence
from coord.repo import worktree
from coord.stores import keys
from coord.stores.directory import Directory
from harness.board import silence

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from coord.stores.store import Rec
    from harness.repo import Repo

HOLDER, HEIR = (Place(name, f"i-{name}", None, "2001-01-01T00:00:00Z") for name in "ab")


class Clockless(Directory):
    """A board that knows no time."""

    def now(self) -> float | None:
        """Return None: there is no clock."""

    def _read(self, key: str) -> Rec | None:
        found = super()._read(key)
        return None if found is None else found._replace(at=None)


class Stampless(Directory):
    """A board whose clock can be asked, with records that it did not stamp."""

    def _read(self, key: str) -> Rec | None:
        found = super()._read(key)
        return None if found is None else found._replace(at=None)


@pytest.fixture(params=[Clockless, Stampless])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Directory:
    """A board whose records are of no age, however long ago they were written."""
    made: Directory = request.param(str(tmp_path / "coord" / "board"))
    return made


def _aged(tmp_path: Path) -> None:
    for path in (tmp_path / "coord" / "board").rglob("*"):
        os.utime(path, (1, 1))


def _released() -> Event:
    at, after = HOLDER.since, State(2, (HEIR,))
    return Event(2, "n-2", "n-1", "release", "task:x", "a", "i-a", at, after)


def _told(store: Directory) -> Iterator[str]:
    yield from (one.kind for one in notices.unread(store, "i-b"))


def test_a_notice_is_kept_until_its_event_comes(store: Directory, tmp_path: Path) -> None:
    """It is written first: deleted in between, it would leave an heir that never learns of it."""
    me = Identity("a", "i-a", "pinned", 2)
    for one in (HOLDER, HEIR):
        who = me._replace(actor=one.actor, instance=one.instance)
        claims.change(
            store, "task:x", who, lambda at, mine=one: events.joined(at, mine, lambda _: False)
        )
    before = claims.state(store, "task:x")
    made = notices.of(before, _released())
    for key, value in made:
        store.create(key, value)
    _aged(tmp_path)

    assert list(_told(store)) == []  # it comes too early to be told
    assert [store.read(key).value for key, _ in made if store.read(key)] == [made[0][1]]
    notices.withdraw(store, made)
    claims.change(
        store, "task:x", me, lambda at: events.left(at, lambda one: one == HOLDER, lambda _: False)
    )
    assert list(_told(store)) == ["yours"]


def test_a_letter_whose_sender_is_at_work_is_not_taken_for_left(
    store: Directory, tmp_path: Path
) -> None:
    """That it is old cannot be told; that its sender has ended, as everywhere."""
    made = [Message("a", "help", Party("a", "i-a"), Party("b", "i-b"), None, None, "x", "now")]
    store.create(f"{keys.letters('i-a')}/a", letters._encode(made))
    _aged(tmp_path)

    assert letters.settle(store, "i-a") == []


def test_a_history_is_not_called_old(store: Directory, tmp_path: Path) -> None:
    """Compaction deletes what is a week old by the clock, and by that alone."""
    me = Identity("a", "i-a", "pinned", 2)
    for number in range(4):
        place = HOLDER._replace(intent=str(number))
        claims.change(
            store, "task:x", me, lambda at, mine=place: events.joined(at, mine, lambda _: False)
        )
    _aged(tmp_path)
    claims.compact(store, keys.claim("task:x"))

    assert len(claims.history(store, "task:x")) == 4


def test_nobody_is_silent_left_or_forgotten(installed: Repo, tmp_path: Path) -> None:
    """By no clock a sign is not old; an end that is proved is one all the same."""
    a = installed.worktree(tmp_path / "a", "a")
    a.coord("claim", "db")
    silence(a, 10**7)
    board = Clockless(str(installed.common("coord/board")))
    here = worktree.discover(str(installed.path), installed.env)

    roll = Roll(board, here, 1800)
    (found,) = roll.members(())
    assert found.status.liveness == presence.PRESENT

    installed.git("worktree", "remove", "--force", str(a.path))
    (found,) = Roll(board, here, 1800).members(())
    assert found.status.liveness == presence.GONE


def test_a_message_has_an_id_in_the_order_of_the_writers_time(store: Directory) -> None:
    """There is no better one."""
    ids = [messages.stamped(store)[0][:14] for _ in range(20)]
    assert ids == sorted(ids)
