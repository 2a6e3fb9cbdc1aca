"""A server that is tried as a board: every trouble by one line and one command."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import harness.etcd
from coord.etcd.address import Endpoint
from coord.stores.cluster import Cluster
from harness.fakeserver import Fake

if TYPE_CHECKING:
    import socket
    from pathlib import Path

    from coord.etcd.address import Address
    from coord.stores.probe import Probe
    from coord.stores.store import Rec


def probed(address: Address, kind: type[Cluster] = Cluster) -> Probe:
    """Try a board, within two seconds a call."""
    store = kind(address, patience=2)
    try:
        return store.probe()
    finally:
        store.close()


def test_a_server_that_does_as_it_should_is_right_and_nothing_is_left(address: Address) -> None:
    """That it asks nobody who they are is a note."""
    found = probed(address)

    assert found.troubles == ()
    assert "one wins" in found.right
    assert any("runs etcd 3." in fact for fact in found.facts)
    assert any("a request takes" in fact for fact in found.facts)
    (note,) = found.notes
    assert "without TLS, and asks nobody for a password" in note
    assert Cluster(address).revisions() == {}


def test_a_member_that_is_away_is_named_and_the_others_are_tried(address: Address) -> None:
    """The board goes on without it."""
    away = Endpoint("127.0.0.1", 1)

    found = probed(address._replace(endpoints=(away, *address.endpoints)))

    (trouble,) = found.troubles
    assert (trouble.rule, trouble.where) == ("store-unavailable", "127.0.0.1:1")
    assert trouble.run == "curl -sS --max-time 5 http://127.0.0.1:1/version"
    assert "one wins" in found.right
    alone = probed(address._replace(endpoints=(away,)))
    assert (alone.right, alone.troubles) == ("", (trouble,))


def _says(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


def test_what_is_no_etcd_is_no_board(address: Address) -> None:
    """Another program's port."""
    fake = Fake()

    def answer(one: socket.socket) -> None:
        while fake.asked(one):
            one.sendall(_says(b"<html>hello</html>"))

    fake.handlers.append(answer)

    found = probed(address._replace(endpoints=(fake.endpoint,)))

    (trouble,) = found.troubles
    assert "not etcd's" in trouble.message


class _Twofold(Cluster):
    """A cluster on which each that creates a record wins."""

    def create(self, key: str, value: bytes) -> Rec:
        """Create, or say so."""
        return super().create(key, value)._replace(value=value)


def test_a_store_on_which_two_win_is_named(address: Address) -> None:
    """No etcd does that; a gateway that answers from a cache might."""
    found = probed(address, _Twofold)

    assert [one.rule for one in found.troubles] == ["store-not-atomic"]
    assert found.right == ""


def test_a_clock_that_is_apart_is_a_note(address: Address) -> None:
    """Ages are told by the server's, and nothing else is."""

    class Late(Cluster):
        """A cluster with another time."""

        def now(self) -> float | None:
            """Return the time of an hour ago."""
            return (super().now() or 0.0) - 3600

    found = probed(address, Late)

    assert any("3600 s behind" in note or "3601 s behind" in note for note in found.notes)


def test_who_may_not_write_there_is_told_so(tmp_path: Path) -> None:
    """A role for another prefix; a password that is asked is no note but for the lack of TLS."""
    secret = tmp_path / "password"
    secret.write_text("pw\n")
    secret.chmod(0o600)
    for cluster in harness.etcd.served(tmp_path / "etcd"):
        cluster.secure({"ann": ("pw", "mine")})
        mine = cluster.address("mine", "ann", str(secret))

        right, wrong = probed(mine), probed(mine._replace(prefix="theirs"))

        assert right.troubles == ()
        assert right.notes == (
            "spoken to without TLS: the password, and all that is said, can be read",
        )
        assert [one.rule for one in wrong.troubles] == ["not-permitted"]


def test_a_frozen_server_ends_in_time(address: Address) -> None:
    """It takes connections and says nothing."""
    fake, done = Fake(), threading.Event()
    fake.handlers.append(lambda _: done.wait(30) and None)

    found = probed(address._replace(endpoints=(fake.endpoint,)))

    done.set()
    assert [one.rule for one in found.troubles] == ["store-unavailable"]
