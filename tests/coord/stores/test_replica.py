"""The copy of a board on other hosts: what it costs, and that it never says what is not so.

The contract of a store is held to by the conformance suite, with a copy that each read refreshes.
"""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from coord.board import claims, events, letters, messages, notices
from coord.board.events import Place
from coord.board.messages import Message, Party
from coord.etcd import client
from coord.etcd.address import Endpoint
from coord.identity.whoami import Identity
from coord.stores import about, farbell, keys, retired
from coord.stores.cluster import BATCH, Cluster
from coord.stores.replica import Replica
from coord.stores.store import Misconfigured, Rec, Unavailable
from harness.scope import Stalled

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing import SimpleQueue
    from multiprocessing.synchronize import Barrier
    from pathlib import Path

    from coord.etcd.address import Address
    from coord.stores.store import Store

_RACERS, _SCOPES = 6, 8


class Counting(Cluster):
    """A cluster that counts what it asks its server."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self.requests = 0
        real = self._client.call

        def call(*args: object) -> object:
            self.requests += 1
            return real(*args)  # type: ignore[arg-type]

        self._client.call = call  # type: ignore[method-assign, assignment]


@pytest.fixture
def command(address: Address, tmp_path: Path) -> Callable[[Callable[[Store], object]], int]:
    """Run something as a command of its own would, on the clone's copy; return its requests."""
    path = str(tmp_path / "copy")

    def run(act: Callable[[Store], object]) -> int:
        cluster = Counting(address)
        store = Replica(cluster, path, fresh=60)
        act(store)
        store.close()
        return cluster.requests

    return run


def claim(number: int, scope: str = "task:x") -> Callable[[Store], object]:
    """Return what worker `number` does to claim."""
    me = Identity("w", f"i-{number}", "pinned", 2)
    place = Place("w", f"i-{number}", "main", "2026-01-01T00:00:00.000000Z")
    return lambda store: claims.change(
        store, scope, me, lambda state: events.joined(state, place, lambda _: False)
    )


def release(number: int) -> Callable[[Store], object]:
    """Return what worker `number` does to release."""
    me = Identity("w", f"i-{number}", "pinned", 2)
    return lambda store: claims.change(
        store,
        "task:x",
        me,
        lambda state: events.left(state, lambda p: p.instance == me.instance, lambda _: False),
    )


def line(store: Store) -> list[str | None]:
    """Return who stands in the line of the scope."""
    return [place.instance for place in claims.state(store, "task:x").line]


def test_a_command_costs_one_request_and_one_for_each_event_it_writes(
    address: Address, command: Callable[[Callable[[Store], object]], int]
) -> None:
    """Reads none, whatever their number; notices go with their event."""
    found = {
        "first look at a board": command(lambda store: list(claims.tops(store))),
        "claim, free": command(claim(1)),
        "claim, own": command(claim(1)),
        "claim, held": command(claim(2)),
        "board": command(
            lambda store: [list(claims.tops(store)), claims.history(store, "task:x"), line(store)]
        ),
        "inbox": command(lambda store: notices.unread(store, "i-2")),
        "release, to an heir": command(release(1)),
        "inbox of the heir": command(lambda store: notices.unread(store, "i-2")),
        "release, to nobody": command(release(2)),
    }

    assert found == {
        "first look at a board": 1,
        "claim, free": 2,
        "claim, own": 1,
        "claim, held": 2,
        "board": 1,
        "inbox": 1,
        "release, to an heir": 2,
        "inbox of the heir": 1,
        "release, to nobody": 2,
    }
    assert line(Cluster(address)) == []


def test_a_refresh_costs_one_request_and_another_after_deletions(address: Address) -> None:
    """However much is new; what is gone is known by the number of what is left."""
    other, cluster = Cluster(address), Counting(address)
    store = Replica(cluster)
    keep = [f"actors/a-{number}" for number in range(20)]
    for key in keep:
        other.create(key, key.encode())
    store.refresh()
    costs = []
    for act in (
        lambda: None,
        lambda: [other.create(f"actors/b-{number}", b"x") for number in range(20)],
        lambda: [other.delete(f"actors/b-{number}", b"x") for number in range(20)],
        lambda: [other.delete(keep[0], keep[0].encode()), other.create(keep[0], b"anew")],
        lambda: [other.delete(keep[1], keep[1].encode()), other.create("actors/c", b"c")],
    ):
        act()
        before = cluster.requests
        store.refresh()
        costs.append(cluster.requests - before)

    assert costs == [1, 1, 2, 1, 2]
    assert list(store.list("actors")) == list(other.list("actors"))
    assert store.read(keep[0]) == other.read(keep[0])
    store.close()
    other.close()


def test_what_was_decided_on_an_old_copy_is_not_published(address: Address) -> None:
    """Somebody else was first: the answer says so, brings it along, and it is decided again."""
    cluster = Counting(address)
    stale, other = Replica(cluster, fresh=60), Cluster(address)
    claim(1)(other)
    stale.refresh()
    for number in (2, 3):
        claim(number)(other)
    before = cluster.requests

    claim(4)(stale)

    assert line(other) == ["i-1", "i-2", "i-3", "i-4"]
    assert cluster.requests == before + 2
    assert [event.seq for event in claims.history(other, "task:x")] == [1, 2, 3, 4]
    stale.close()
    other.close()


def test_a_writer_with_a_copy_of_before_a_compaction_does_not_win(address: Address) -> None:
    """Its number is free again, and its copy says that it follows on the top."""
    stale, other = Replica(Cluster(address), fresh=60), Cluster(address)
    claim(0)(other)
    stale.refresh()
    for number in range(1, 6):
        claim(number)(other)
    for seq in range(1, 5):
        rec = other.read(keys.event(keys.claim("task:x"), seq))
        assert rec is not None
        other.delete(rec.key, rec.value)

    claim(99)(stale)

    assert line(other)[-1] == "i-99"
    assert len(line(other)) == 7
    assert other.read(keys.event(keys.claim("task:x"), 2)) is None
    stale.close()
    other.close()


def test_nothing_is_appended_to_a_record_that_is_another_now(address: Address) -> None:
    """A number that was deleted and given again: what was decided on is not what stands there."""
    stale, other = Replica(Cluster(address), fresh=60), Cluster(address)
    claim(0)(other)
    first = other.read(keys.event(keys.claim("task:x"), 1))
    assert first is not None
    stale.refresh()
    other.delete(first.key, first.value)
    claim(1)(other)

    claim(2)(stale)

    assert line(other) == ["i-1", "i-2"]
    stale.close()
    other.close()


def test_what_an_old_copy_says_is_decided_again_where_it_is_no_event(address: Address) -> None:
    """A claim needs no look before it; that there is nothing to do, or a refusal, needs one."""
    cluster = Counting(address)
    stale, other = Replica(cluster), Replica(Cluster(address))
    costs = []
    stale.refresh()
    for other_does, then in (
        (lambda: None, lambda: claim(1)(stale)),
        (lambda: claim(2)(other), lambda: claim(3)(stale)),
        (lambda: release(1)(other), lambda: claim(1)(stale)),
        (lambda: None, lambda: claim(1)(stale)),
        (lambda: release(2)(other), lambda: release(2)(stale)),
    ):
        other.heard()
        other_does()
        stale.heard()
        before = cluster.requests
        with stale.unrefreshed():
            then()
        costs.append(cluster.requests - before)

    assert costs == [1, 2, 2, 1, 1]
    assert line(Cluster(address)) == ["i-3", "i-1"]
    stale.close()
    other.close()


def test_a_scope_that_was_swept_begins_above_for_who_never_heard_of_it(address: Address) -> None:
    """Its copy is of before: it knows neither the scope nor the mark."""
    stale, other = Replica(Cluster(address), fresh=60), Replica(Cluster(address))
    claim(8, "task:y")(other)
    stale.refresh()
    claim(0)(other)
    release(0)(other)
    retired.lift(other, 2)
    folder = keys.claim("task:x")
    with other.alone() as alone:
        assert alone
        assert other.take([[keys.event(folder, 1), keys.event(folder, 2)]]) == 2

    with stale.unrefreshed():
        claim(1)(stale)

    newest = claims.top(stale, "task:x")
    assert newest is not None
    assert (newest.seq, newest.state.generation) == (3, 3)
    stale.close()
    other.close()


def test_a_scope_swept_by_another_command_meanwhile_begins_above(
    address: Address, tmp_path: Path
) -> None:
    """They share a copy: the mark is not newer than that, and was not there for the decision."""
    path = str(tmp_path / "copy")
    mine, peer = Replica(Cluster(address), path, fresh=60), Replica(Cluster(address), path)
    claim(8, "task:y")(mine)

    def swept() -> None:
        claim(0)(peer)
        release(0)(peer)
        retired.lift(peer, 2)
        folder = keys.claim("task:x")
        with peer.alone():
            assert peer.take([[keys.event(folder, 1), keys.event(folder, 2)]]) == 2

    claim(1)(Stalled(mine, swept))  # type: ignore[arg-type]

    newest = claims.top(mine, "task:x")
    assert newest is not None
    assert (newest.seq, newest.state.generation) == (3, 3)
    mine.close()
    peer.close()


def test_nothing_is_written_on_a_board_that_was_emptied(address: Address) -> None:
    """A claim there would be one on a board that nobody else of the fleet looks at."""
    truth = Cluster(address)
    rec = truth.create(about.KEY, about.encode(about.made([])))
    known = about.decode(rec.value)
    assert known is not None
    stale = Replica(Cluster(address), epoch=known.epoch)
    stale.refresh()
    stale.heard()
    truth.delete(rec.key, rec.value)

    with stale.unrefreshed(), pytest.raises(Misconfigured):
        claim(1)(stale)

    assert list(truth.list("claims")) == []
    stale.close()
    truth.close()


def test_news_too_large_for_an_answer_hide_nothing_that_was_written(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A claim that stands was called one that surely does not."""
    stale, other = Replica(Cluster(address), fresh=60), Cluster(address)
    claim(0)(other)
    stale.refresh()
    for number in range(20):
        other.create(f"actors/a-{number}", b"x" * 300)
    monkeypatch.setattr(client, "MOST", 4000)

    claim(1)(stale)

    assert line(other) == ["i-0", "i-1"]
    assert len(stale.list("actors")) == 20
    stale.close()
    other.close()


def test_what_is_forgotten_costs_no_list_and_goes_in_one_step(address: Address) -> None:
    """It stands for nothing at once, with the next request; a sweep takes what has gathered."""
    cluster = Counting(address)
    one, other = Replica(Cluster(address), fresh=0), Replica(cluster, fresh=0)
    told = [one.create(f"notices/a-x/{number}", b"x") for number in range(BATCH)]
    other.refresh()
    one.forget(told)
    assert list(one.list("notices")) == []
    one.close()

    before = cluster.requests
    other.refresh()
    assert cluster.requests == before + 1
    assert list(other.list("notices")) == []
    assert other.read(told[0].key) is None
    assert not other.knows("notices")
    assert len(Cluster(address).revisions()) == BATCH

    with other.alone():
        assert Cluster(address).revisions() == {}
    other.close()


def _raced(
    address: Address, path: str, number: int, start: Barrier, told: SimpleQueue[list[int | None]]
) -> None:
    """Claim scopes as one that has not looked at the board for long; tell the places in line."""
    store, found = Replica(Cluster(address), path), []
    start.wait()
    for scope in range(_SCOPES):
        with store.unrefreshed():
            claim(number, f"task:{scope}")(store)
        line = [place.instance for place in claims.state(store, f"task:{scope}").line]
        found.append(line.index(f"i-{number}") if f"i-{number}" in line else None)
        store.heard()
    store.close()
    told.put(found)


def test_of_who_claim_at_once_by_old_copies_one_holds_and_the_line_is_one(
    address: Address, tmp_path: Path
) -> None:
    """Each is told another place, and the first of them alone that it holds."""
    context = multiprocessing.get_context("fork")
    start, told = context.Barrier(_RACERS), context.SimpleQueue()
    for number in range(_RACERS):
        copy = Replica(Cluster(address), str(tmp_path / f"copy-{number % 3}"))
        claim(99, f"task:before-{number}")(copy)  # a copy has to be of something
        copy.close()
    racers = [
        context.Process(
            target=_raced, args=(address, str(tmp_path / f"copy-{at % 3}"), at, start, told)
        )
        for at in range(_RACERS)
    ]
    for racer in racers:
        racer.start()
    rows = [told.get() for _ in racers]
    for racer in racers:
        racer.join()
        assert racer.exitcode == 0

    for places in zip(*rows, strict=True):
        assert sorted(places) == list(range(_RACERS))
    truth = Cluster(address)
    for scope in range(_SCOPES):
        events_of = claims.history(truth, f"task:{scope}")
        assert [one.after for one in events_of] == [None, *(one.nonce for one in events_of[:-1])]
        assert len({one.state.line[0].instance for one in events_of}) == 1
    truth.close()


def _churn(address: Address, path: str, number: int) -> None:
    store = Replica(Cluster(address), path, fresh=0)
    for turn in range(15):
        key = f"actors/a-{number}-{turn}"
        store.create(key, b"x")
        if turn % 3 == 0:
            store.delete(key, b"x")
        store.refresh()


def test_commands_that_share_a_copy_leave_it_as_the_board_is(
    address: Address, tmp_path: Path
) -> None:
    """News that come late, of before another's deletion, are not written over its own."""
    path = str(tmp_path / "copy")
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_churn, args=(address, path, at)) for at in range(6)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0

    store, truth = Replica(Cluster(address), path), Cluster(address)
    assert store.list("actors") == list(truth.list("actors"))
    assert len(store.list("actors")) == 6 * 10
    assert os.stat(path).st_mode & 0o777 == 0o600
    store.close()
    truth.close()


def _garbage(path: Path) -> None:
    path.write_bytes(b"no copy " * 4096)


def _torn(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + b"\xff" * 9000)


def _forgetful(path: Path) -> None:
    with sqlite3.connect(path) as copy:
        copy.execute("DELETE FROM rec WHERE key = 'actors/a-1'")
    copy.close()


def _ahead(path: Path) -> None:
    with sqlite3.connect(path) as copy:
        copy.execute("UPDATE upto SET rev = 1000000000")
    copy.close()


def _restored(path: Path) -> None:
    with sqlite3.connect(path) as copy:
        copy.execute("UPDATE upto SET cluster = '1'")
        copy.execute("UPDATE rec SET value = 'of another history'")
    copy.close()


def _another(path: Path) -> None:
    with sqlite3.connect(path) as copy:
        copy.execute("DROP TABLE rec")
        copy.execute("CREATE TABLE rec (other)")
    copy.close()


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


@pytest.mark.parametrize(
    "spoil", [_garbage, _torn, _forgetful, _ahead, _restored, _another, _pipe, _link, os.unlink]
)
def test_a_copy_that_was_spoilt_is_made_anew(
    address: Address, tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    """Nothing of it needs to survive; a cluster that was set back or restored is another."""
    path = tmp_path / "copy"
    first = Replica(Cluster(address), str(path))
    for number in range(40):
        first.create(f"actors/a-{number}", b"x" * 300)
    first.refresh()
    first.close()
    spoil(path)

    store, truth = Replica(Cluster(address), str(path)), Cluster(address)

    assert store.list("actors") == list(truth.list("actors"))
    assert store.create("actors/b", b"1").value == b"1"
    assert store.read("actors/b") == truth.read("actors/b")
    store.close()
    truth.close()


def test_a_copy_is_not_carried_over_a_fork(address: Address, tmp_path: Path) -> None:
    """SQLite forbids it, and two would read one connection's answers."""
    store = Replica(Cluster(address), str(tmp_path / "copy"), fresh=0)
    store.create("actors/a-x", b"1")
    pid = os.fork()
    if not pid:
        try:
            ok = store.create("actors/a-y", b"2").value == b"2" and len(store.list("actors")) == 2
        except BaseException:  # noqa: BLE001
            os._exit(2)
        os._exit(not ok)

    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert len(store.list("actors")) == 2
    store.close()


def test_a_copy_of_another_form_costs_one_command_its_copy_and_no_other(
    address: Address, tmp_path: Path
) -> None:
    """A version to come may want other tables."""
    path = tmp_path / "copy"
    for spoil in (_another, lambda _: None, lambda _: None):
        store = Replica(Cluster(address), str(path))
        store.create("actors/a-x", b"1")
        assert [rec.key for rec in store.list("actors")] == ["actors/a-x"]
        store.close()
        spoil(path)

    with sqlite3.connect(path) as copy:
        assert copy.execute("SELECT key FROM rec").fetchall() == [("actors/a-x",)]
    copy.close()


def test_a_watch_ends_with_a_change_or_with_its_time(address: Address) -> None:
    """Of what it asks for, and after what the copy knows: nothing falls between look and watch."""
    store, other = Replica(Cluster(address)), Cluster(address)
    store.refresh()
    start = time.monotonic()
    assert store.watch("claims/s-x", store.place(), 0.3) is False
    assert 0.2 < time.monotonic() - start < 3

    other.create("claims/s-x/00000001", b"1")
    assert store.watch("claims/s-x", store.place(), 20) is True
    store.heard()
    assert [rec.value for rec in store.list("claims/s-x")] == [b"1"]
    other.create("claims/s-y/00000001", b"1")
    assert store.watch("claims/s-x", store.place(), 0.3) is False

    store.refresh()
    other.create("claims/s-x/00000002", b"x" * 1_000_000)
    assert store.watch("claims/s-x", store.place(), 20) is True
    store.refresh()

    rec = other.read("claims/s-x/00000001")
    assert rec is not None
    timer = threading.Timer(0.3, other.delete, (rec.key, rec.value))
    start = time.monotonic()
    timer.start()
    assert store.watch("claims/s-x", store.place(), 20) is True
    assert time.monotonic() - start < 5
    timer.join()
    store.close()
    other.close()


def test_a_watch_that_nobody_keeps_is_told_of(members: Address) -> None:
    """A waiter that heard nothing for an hour must know whether anybody listened."""
    gone = Cluster(members._replace(endpoints=(Endpoint("127.0.0.1", 1),)))

    with pytest.raises(Unavailable, match="refused"):
        gone.watch("claims", 1, 5)


def test_what_a_write_carries_costs_no_request_of_its_own(
    command: Callable[[Callable[[Store], object]], int], address: Address
) -> None:
    """Whether that write wins what it is for or comes too late."""

    def carrying(value: bytes, act: Callable[[Store], object]) -> Callable[[Store], object]:
        def run(store: Store) -> None:
            assert isinstance(store, Replica)
            store.carry("present/x", value)
            act(store)
            found = store.read("present/x")
            assert found is not None
            assert found.value == value
            store.unload()  # there is nothing left to write

        return run

    command(claim(1))
    won, with_it = command(claim(2, "task:y")), command(carrying(b"1", claim(3, "task:z")))
    plain = command(lambda store: store.create("actors/c", b"mine"))
    late = command(carrying(b"2", lambda store: store.create("actors/a", b"mine")))
    with closing(Cluster(address)) as other:
        other.create("actors/b", b"another's")
    lost = command(carrying(b"3", lambda store: store.create("actors/b", b"mine")))

    assert won == with_it
    assert late == lost == plain
    with closing(Cluster(address)) as other:
        found = other.read("present/x")
    assert found is not None
    assert found.value == b"3"


def test_what_is_brought_is_made_with_the_next_create_whoever_else_makes_it(
    address: Address,
) -> None:
    """Another session of the worker may be first: then what is created is created all the same."""
    cluster = Counting(address)
    store, other = Replica(cluster, fresh=60), Replica(Cluster(address))
    claim(1)(store)
    cluster.requests = 0

    for name, sooner in (("i-a", False), ("i-b", True)):
        store.bring(keys.actor(name), b"mine")
        assert store.read(keys.actor(name)) == Rec(keys.actor(name), b"mine")
        assert store.list("actors")[-1].key == keys.actor(name)
        if sooner:
            other.create(keys.actor(name), b"another session's")
        store.create(f"claims/{name}/00000001", b"x")

    there = {rec.key: rec.value for rec in other.list("actors")}
    assert there == {keys.actor("i-a"): b"mine", keys.actor("i-b"): b"another session's"}
    assert {rec.key: rec.value for rec in store.list("actors")} == there
    assert cluster.requests == 1 + 3
    store.close()
    other.close()


def test_what_is_brought_and_nothing_takes_along_is_made_at_the_end(address: Address) -> None:
    """As where the first claim of a worker found it settled already."""
    store, other = Replica(Cluster(address)), Replica(Cluster(address))
    store.bring(keys.actor("i-a"), b"mine")
    assert other.read(keys.actor("i-a")) is None
    store.unload()
    other.refresh()
    assert other.read(keys.actor("i-a"))
    store.close()
    other.close()


def test_a_record_that_is_overwritten_is_never_missing_from_a_copy(
    address: Address, tmp_path: Path
) -> None:
    """Not even where that happens while the copy looks for what was deleted meanwhile."""
    other = Cluster(address)

    def tell(value: bytes) -> None:
        other.carry("present/x", value)
        other.unload()

    class Late(Cluster):
        def revisions(self) -> dict[str, int]:
            tell(b"newer")
            return super().revisions()

    tell(b"old")
    other.create("actors/a", b"a")
    store = Replica(Late(address), str(tmp_path / "copy"), fresh=60)
    assert store.read("present/x") is not None
    other.delete("actors/a", b"a")

    store.refresh()

    found = store.read("present/x")
    assert found is not None
    assert store.read("actors/a") is None
    store.refresh()
    found = store.read("present/x")
    assert found is not None
    assert found.value == b"newer"
    store.close()
    other.close()


def test_a_board_that_is_another_one_is_refused_at_each_read(address: Address) -> None:
    """Whoever may go on without what it has asked for must not be the last who is told."""
    with closing(Cluster(address)) as other:
        other.create(about.KEY, about.encode(about.made([])))
    store = Replica(Cluster(address), epoch="0" * 16)

    for _ in range(2):
        with pytest.raises(Misconfigured, match="not the board"):
            store.read("actors/a")

    store.close()


def test_what_is_sent_to_several_is_one_request(address: Address) -> None:
    """Also what is sent once for a reason, with the mark that it was; the second time, nothing."""
    cluster = Counting(address)
    store = Replica(cluster, fresh=60)
    store.refresh()
    name, at = messages.stamped(store)
    made = [
        Message(name, "help", Party("w", "i-1"), Party("w", f"i-{to}"), None, None, "look", at)
        for to in range(3)
    ]
    costs = []
    for act in (
        lambda: letters.send(store, "i-1", made[:2]),
        lambda: letters.once(store, "posted/a-x/reason", lambda: made[2:]),
        lambda: letters.once(store, "posted/a-x/reason", lambda: made[:1]),
    ):
        before = cluster.requests
        act()
        costs.append(cluster.requests - before)

    assert costs[:2] == [1, 1]
    assert len(list(Cluster(address).list("messages"))) == 3
    assert list(Cluster(address).list("letters")) == []
    store.close()


def test_what_another_command_has_brought_meanwhile_rings(address: Address, tmp_path: Path) -> None:
    """They share a copy: it came between the waiter's look and its watch, and nobody sends it."""
    path = str(tmp_path / "copy")
    waiter, peer, other = (Replica(Cluster(address), one) for one in (path, path, ":memory:"))
    claim(1)(other)
    newest = claims.top(waiter, "task:x")
    assert newest is not None
    bell = farbell.Bell(waiter, [keys.claim("task:x")], [], lambda: False)
    bell.expect(f"/board/{keys.event(keys.claim('task:x'), 2)}")
    release(1)(other)
    peer.refresh()

    bell.expect(f"/board/{keys.event(keys.claim('task:x'), 2)}")

    assert bell.rest(5) == "changed"
    assert line(waiter) == []
    bell.close()
    for store in (waiter, peer, other):
        store.close()
