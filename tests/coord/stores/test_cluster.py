"""A board on a real etcd: who is let in, what a dying server loses, and who is kept waiting."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

import pytest

import harness.etcd
from coord.etcd import pairs
from coord.stores.cluster import Cluster
from coord.stores.store import Misconfigured, StoreError, Unavailable, Unknown
from harness.etcd import authority, served
from harness.load import gap, lost, under_load, value

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from coord.etcd.address import Address

PREFIX = "team/board"
PASSWORD = "pass-w0rd"  # noqa: S105  # no server's


@pytest.fixture
def one(tmp_path: Path) -> Iterator[harness.etcd.Cluster]:
    """An etcd of one member."""
    yield from served(tmp_path / "one")


@pytest.fixture
def three(tmp_path: Path) -> Iterator[harness.etcd.Cluster]:
    """An etcd of three members."""
    yield from served(tmp_path / "three", 3)


def test_a_server_that_is_killed_under_load_loses_nothing_it_acknowledged(
    one: harness.etcd.Cluster,
) -> None:
    """SIGKILL, and a start with what is on disk; writers wait for it within their bound."""
    address = one.address(PREFIX)

    def power_fails() -> None:
        time.sleep(0.7)
        one.members[0].kill()
        time.sleep(0.2)
        one.members[0].start()

    tallies = under_load(address, 2, 2.5, power_fails)

    one.ready()
    store = Cluster(address)
    assert lost(store, tallies) == []
    assert sum(tally.stands for tally in tallies) > 5
    assert gap(tallies) > 0.2  # it was away, and they went on after it
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_three_members_without_their_leader_lose_nothing_and_go_on(
    three: harness.etcd.Cluster, how: signal.Signals
) -> None:
    """The others elect another within seconds; a stopped one keeps its connections open."""

    def leader_goes() -> None:
        time.sleep(1)
        three.leader().signal(how)

    tallies = under_load(three.address(PREFIX), 3, 9, leader_goes)

    store = Cluster(three.address(PREFIX))
    assert lost(store, tallies) == []
    assert sum(tally.stands for tally in tallies) > 20
    assert gap(tallies) < 8, gap(tallies)
    assert max(tally.at for tally in tallies if tally.stands) > max(t.at for t in tallies) - 4
    store.close()


def test_a_frozen_server_is_given_up_in_time_and_what_it_did_afterwards_is_found(
    one: harness.etcd.Cluster,
) -> None:
    """The ghost of a claim that was given up is one's own by its bytes, not lost to oneself."""
    store = Cluster(one.address(PREFIX), patience=1)
    mine = value("ghost")
    store.create("actors/a-x", value("first"))
    one.members[0].signal(signal.SIGSTOP)
    start = time.monotonic()

    with pytest.raises(Unknown, match="no answer in time"):
        store.create("claims/s-x/00000001", mine)
    with pytest.raises(Unavailable):
        store.read("actors/a-x")

    assert time.monotonic() - start < 2 + 2
    one.members[0].signal(signal.SIGCONT)
    assert store.create("claims/s-x/00000001", mine).value == mine
    store.close()


def test_nobody_there_is_told_at_once_and_surely_nothing_was_done(tmp_path: Path) -> None:
    """A refused connection is no reason to wait."""
    made = harness.etcd.Cluster(tmp_path / "never")
    made.close()
    start = time.monotonic()

    with pytest.raises(Unavailable, match="refused"):
        Cluster(made.address(PREFIX)).create("actors/a-x", b"x")

    assert time.monotonic() - start < 2


def test_only_the_right_password_and_prefix_are_let_in_over_tls(
    tmp_path: Path,
) -> None:
    """A role per prefix, an authority of one's own; no message holds what was wrong."""
    passwords = {}
    for name, text in (("right", PASSWORD), ("wrong", "wr0ng-one")):
        passwords[name] = tmp_path / name
        passwords[name].write_text(text)
        passwords[name].chmod(0o600)
    tls = authority(tmp_path / "tls")
    for cluster in served(tmp_path / "secured", tls=tls):
        cluster.secure({"alice": (PASSWORD, PREFIX)})
        known = cluster.address(PREFIX, "alice", str(passwords["right"]))

        store = Cluster(known, cache=str(tmp_path / "token"))
        assert store.create("actors/a-x", b"1").value == b"1"
        assert [rec.key for rec in store.list("actors")] == ["actors/a-x"]
        assert store.delete("actors/a-x", b"1")
        store.close()

        refused: list[tuple[Address, type[StoreError], str]] = [
            (known._replace(prefix="team/boards"), Unavailable, "permission denied"),
            (known._replace(password_file=str(passwords["wrong"])), Unavailable, "password"),
            (known._replace(user="", password_file=""), Misconfigured, "asks for a user"),
            (known._replace(ca=""), Misconfigured, "its certificate: self-signed|unable to get"),
            (known._replace(ca=tls.key), Misconfigured, "the authority cannot be read"),
            (known._replace(tls=False), StoreError, "no gateway|closed|reset"),
        ]
        for address, kind, words in refused:
            start = time.monotonic()
            stranger = Cluster(address)
            with pytest.raises(kind, match=words) as raised:
                stranger.create("actors/a-x", b"2")
            stranger.close()
            assert PASSWORD not in str(raised.value)
            assert "wr0ng" not in str(raised.value)
            assert time.monotonic() - start < 11


def test_a_token_that_was_withdrawn_is_asked_for_anew_once(
    one: harness.etcd.Cluster, tmp_path: Path
) -> None:
    """A new password ends what the old one gave; the command that finds out does not fail."""
    password, keeper = tmp_path / "password", tmp_path / "root"
    for path, text in ((password, PASSWORD), (keeper, "root")):
        path.write_text(text)
        path.chmod(0o600)
    one.secure({"alice": (PASSWORD, PREFIX)})
    address, cache = one.address(PREFIX, "alice", str(password)), tmp_path / "token"
    first = Cluster(address, cache=str(cache))
    first.create("actors/a-x", b"1")
    token = cache.read_text()
    change = {"name": "alice", "password": "new"}
    one.ask("/v3/auth/user/changepw", change, user="root", password_file=str(keeper))

    with pytest.raises(Unavailable, match="password"):
        first.read("actors/a-x")
    password.write_text("new")

    second = Cluster(address, cache=str(cache))
    assert second.read("actors/a-x") is not None
    assert cache.read_text() != token
    first.close()
    second.close()


def test_records_are_numbered_in_the_order_in_which_they_were_written(
    one: harness.etcd.Cluster,
) -> None:
    """One sequence for the whole cluster; the same number from create, read and list."""
    store = Cluster(one.address(PREFIX))

    made = [store.create(f"actors/a-{name}", value(name)) for name in "ba"]

    revs = [rec.rev or 0 for rec in made]
    assert revs == sorted(set(revs))
    assert store.read("actors/a-b") == made[0]
    assert list(store.list("actors")) == made[::-1]
    store.close()


def test_what_another_program_wrote_below_the_prefix_does_no_harm(
    one: harness.etcd.Cluster,
) -> None:
    """What is no key is not listed; what has no stamp of ours has none."""
    store = Cluster(one.address(PREFIX))
    for name, text in {
        "actors/A B": b"x", "actors/a-raw": b"raw", "actors/a-cut": b"at 12", "actors/": b"",
        "actors/a-odd": b"at " + b"9" * 400 + b"\nx", "actors/a/b/c/d": b"x", "actors/a-none": b"",
    }.items():  # fmt: skip
        put = pairs.put(f"{PREFIX}/{name}".encode(), text)
        one.ask("/v3/kv/txn", pairs.transaction([], [put]))

    found = {rec.key: (rec.value, rec.at) for rec in store.list("actors")}

    assert sorted(found) == ["actors/a-cut", "actors/a-none", "actors/a-odd", "actors/a-raw"]
    assert found["actors/a-raw"] == (b"raw", None)
    assert {at for _, at in found.values()} == {None}
    assert list(store.last("actors")) == []
    store.close()


def test_a_list_too_large_for_one_answer_is_read_in_smaller_ones(
    one: harness.etcd.Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound of an answer is no bound of a board."""
    store = Cluster(one.address(PREFIX))
    names = [f"claims/s-{at}/00000001" for at in range(40)]
    for name in names:
        store.create(name, b"x" * 1000)
    monkeypatch.setattr("coord.etcd.client.MOST", 9000)

    assert [rec.key for rec in store.list("claims")] == sorted(names)
    assert [rec.value for rec in store.last("claims")] == [b"x" * 1000] * 40
    store.close()


def test_nothing_is_appended_to_what_is_not_there_any_more(one: harness.etcd.Cluster) -> None:
    """A writer that slept finds its number free, and its predecessor gone; or a log begun."""
    store = Cluster(one.address(PREFIX))
    store.create("claims/s-x/00000007", b"7")
    also = [("notices/a-x/n1", b"x")]

    assert store.append("claims/s-x/00000003", b"3", "claims/s-x/00000002", also) is None
    assert store.append("claims/s-x/00000001", b"1", None, also) is None

    assert [rec.key for rec in store.list("claims")] == ["claims/s-x/00000007"]
    assert list(store.list("notices")) == []
    store.close()
