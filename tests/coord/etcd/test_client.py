"""Calls to a cluster: its endpoints in turn, one user, and what a failure leaves known."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import time
from email.utils import format_datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.base.failures import Absent, Denied, Failure, Lost, Refused, Unfit
from coord.etcd import wire
from coord.etcd.address import Address, Endpoint
from coord.etcd.client import Client, _seconds
from harness.fakeserver import Fake, http

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator
    from pathlib import Path

    from coord.etcd.client import Reply

BOUND = 1.0
SECRET = "pass-w0rd"  # noqa: S105  # no server's


@pytest.fixture
def second() -> Iterator[Fake]:
    """Another endpoint."""
    made = Fake()
    yield made
    made.close()


@pytest.fixture
def secret(tmp_path: Path) -> str:
    """A file with a password, its owner's alone."""
    path = tmp_path / "password"
    path.write_text(SECRET + "\n")
    path.chmod(0o600)
    return str(path)


def call(*endpoints: Endpoint, cache: str = "", **how: str) -> Reply:
    """Call once."""
    client = Client(Address(endpoints, "p", **how), cache=cache)
    try:
        return client.call("/v3/kv/txn", {"x": 1}, wire.within(BOUND))
    finally:
        client.close()


def no(code: int, said: str, status: str = "400 Bad Request") -> bytes:
    """Return an answer of etcd's gateway that says no."""
    return http(f'{{"error":"{said}","code":{code},"message":"{said}"}}'.encode(), status)


def _cut(fake: Fake) -> None:
    def handle(one: socket.socket) -> None:
        fake.asked(one)
        one.close()

    fake.handlers.append(handle)


def test_a_lost_answer_is_asked_for_again_with_the_same_bytes(fake: Fake, second: Fake) -> None:
    """Elsewhere, and the caller is told that it was the second time."""
    _cut(fake)
    second.handlers = [second.says(http())]

    reply = call(fake.endpoint, second.endpoint)

    assert reply.again
    assert [one.partition(b"\r\n\r\n")[2] for one in fake.requests + second.requests] == [
        b'{"x": 1}'
    ] * 2


def test_a_connection_that_was_closed_meanwhile_is_opened_anew(fake: Fake) -> None:
    """A server restarts between two calls of one command."""

    def once(one: socket.socket) -> None:
        fake.asked(one)
        one.sendall(http())
        one.close()

    fake.handlers = [once]
    client = Client(Address((fake.endpoint,), "p"))

    for _ in range(3):
        assert client.call("/v3/kv/txn", {}, wire.within(BOUND)).document

    client.close()


def test_an_endpoint_that_is_not_there_costs_one_look_and_is_then_passed_over(
    fake: Fake, second: Fake
) -> None:
    """The next call begins with the one that answered."""
    fake.close()
    second.handlers = [second.says(http())]
    client = Client(Address((fake.endpoint, second.endpoint), "p"))

    assert not client.call("/v3/kv/txn", {}, wire.within(BOUND)).again
    assert client._first == 1
    client.close()


def test_members_that_are_all_slow_to_connect_have_the_whole_time(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is left for the next at first, and then given its share."""
    fake.handlers = [fake.says(http())]
    real = wire.connect

    def slow(endpoint: Endpoint, context: None, end: wire.End) -> wire.Link:
        if end.left < 0.3:
            raise Absent(str(endpoint), "no connection in time")
        return real(endpoint, context, end)

    monkeypatch.setattr("coord.etcd.client._CONNECT", 0.1)
    monkeypatch.setattr(wire, "connect", slow)

    assert call(fake.endpoint, fake.endpoint).document


@pytest.mark.parametrize("frozen", [1, 3])
def test_a_frozen_cluster_is_given_up_at_the_deadline(fake: Fake, frozen: int) -> None:
    """However many members it has: each gets its share of the time."""
    fake.handlers = [lambda one: (one.recv(9999), time.sleep(5))[1]]
    start = time.monotonic()

    with pytest.raises(Lost, match="no answer in time"):
        call(*[fake.endpoint] * frozen)

    assert BOUND - 0.2 < time.monotonic() - start < BOUND + 3


def test_of_a_frozen_member_the_others_have_time_to_answer(fake: Fake, second: Fake) -> None:
    """A third of it, where there are three."""
    fake.handlers = [lambda one: (one.recv(9999), time.sleep(5))[1]]
    second.handlers = [second.says(http())]

    assert call(fake.endpoint, fake.endpoint, second.endpoint).again


@pytest.mark.parametrize(
    ("raw", "kind", "words"),
    [
        (no(7, "etcdserver: permission denied", "403 Forbidden"), Denied, "permission denied"),
        (no(3, "etcdserver: authentication failed, invalid user ID or password"), Denied, "user"),
        (no(16, "etcdserver: invalid auth token", "401 Unauthorized"), Denied, "token"),
        (no(3, "etcdserver: user name is empty"), Unfit, "URL names none"),
        (no(9, "etcdserver: authentication is not enabled"), Unfit, "whoever reaches it"),
        (no(3, "etcdserver: request is too large"), Refused, "too large"),
        (no(14, "etcdserver: no leader", "503 Service Unavailable"), Absent, "no leader"),
        (no(14, "etcdserver: request timed out", "503 Service Unavailable"), Lost, "timed out"),
        (http(b"<html>", "502 Bad Gateway"), Lost, "HTTP status 502"),
        (http(b"", "301 Moved", "Location: http://127.0.0.1:1/"), Unfit, "HTTP status 301"),
        (http(b"404 page not found\n", "404 Not Found"), Unfit, "no gateway"),
        (http(b"[" * 100_000), Lost, "not etcd's"),
        (http(b"[]"), Lost, "not etcd's"),
        (http(b'{"code": "7"}', "403 Forbidden"), Unfit, "HTTP status 403"),
    ],
)
def test_what_a_server_says_is_told_from_what_may_have_been_done(
    fake: Fake, raw: bytes, kind: type[Failure], words: str
) -> None:
    """A redirect is not followed: it would carry what was asked, and the token, elsewhere."""
    fake.handlers = [fake.says(raw)]

    with pytest.raises(kind, match=words) as raised:
        call(fake.endpoint)

    assert type(raised.value).__mro__[1] in {Failure, Denied}


def test_a_server_that_was_lost_once_leaves_it_unknown_whatever_comes_after(
    fake: Fake, second: Fake
) -> None:
    """The first try may have been applied."""
    _cut(fake)
    second.handlers = [second.says(no(7, "permission denied", "403 Forbidden"))]

    with pytest.raises(Lost):
        call(fake.endpoint, second.endpoint)


def test_proxies_of_the_environment_are_not_asked(
    fake: Fake, second: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would see the password."""
    second.handlers = [second.says(http())]
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://{fake.endpoint}")

    call(second.endpoint)

    assert fake.requests == []


def test_a_token_is_kept_for_the_next_command_and_renewed_once_when_it_is_stale(
    fake: Fake, secret: str, tmp_path: Path
) -> None:
    """Asking for one costs 150 ms; the file is its owner's alone, and for one address."""
    cache = tmp_path / "token"
    fake.handlers = [fake.says(http(b'{"token": "t1", "header": {"revision": "1"}}'))]
    how = {"user": "alice", "password_file": secret, "cache": str(cache)}

    call(fake.endpoint, **how)
    call(fake.endpoint, **how)

    paths = [one.split(b" ")[1] for one in fake.requests]
    assert paths == [b"/v3/auth/authenticate", b"/v3/kv/txn", b"/v3/kv/txn"]
    assert cache.stat().st_mode & 0o777 == 0o600
    cache.chmod(0o644)
    call(fake.endpoint, **how)
    assert fake.requests[3].startswith(b"POST /v3/auth/authenticate ")

    fake.handlers = [fake.says(no(16, "etcdserver: invalid auth token", "401 Unauthorized"))]
    before = len(fake.requests)
    with pytest.raises(Denied):
        call(fake.endpoint, **how)
    assert len(fake.requests) == before + 2


def test_a_token_is_shown_to_no_other_server(
    fake: Fake, second: Fake, secret: str, tmp_path: Path
) -> None:
    """Else whoever changes the URL would be handed it."""
    for one, token in ((fake, b"t1"), (second, b"t2")):
        one.handlers = [one.says(http(b'{"token": "%s", "header": {"revision": "1"}}' % token))]
    how = {"user": "alice", "password_file": secret, "cache": str(tmp_path / "token")}

    call(fake.endpoint, **how)
    call(second.endpoint, **how)

    assert all(b"t1" not in request for request in second.requests)


@pytest.mark.parametrize("refused", [b"authenticate", b"txn"])
def test_no_secret_is_in_a_message(fake: Fake, secret: str, refused: bytes) -> None:
    """Not even where the server says back what it was sent."""
    token = "t0ken"  # noqa: S105  # no server's

    def handle(one: socket.socket) -> None:
        while asked := fake.asked(one):
            is_refused = refused in asked.partition(b" HTTP")[0]
            back = SECRET if refused == b"authenticate" else token
            yes = http(f'{{"token": "{token}"}}'.encode())
            one.sendall(no(3, f"who is {back}?") if is_refused else yes)

    fake.handlers = [handle]

    with pytest.raises(Refused, match="who is") as raised:
        call(fake.endpoint, user="alice", password_file=secret)

    assert token not in str(raised.value)
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize(
    ("mode", "words"), [(0o640, "others may read"), (None, "No such file")], ids=["open", "none"]
)
def test_a_password_in_a_file_of_others_is_not_used(
    fake: Fake, secret: str, mode: int | None, words: str
) -> None:
    """It is everybody's who can read it."""
    if mode is None:
        os.unlink(secret)
    else:
        os.chmod(secret, mode)
    fake.handlers = [fake.says(http())]

    with pytest.raises(Unfit, match=words):
        call(fake.endpoint, user="alice", password_file=secret)
    assert fake.requests == []


def _helper(home: Path, body: str) -> None:
    with (home / ".gitconfig").open("a") as config:
        config.write(f'[credential]\n\thelper = "!f() {{ {body}; }}; f"\n')


def test_the_password_comes_of_git_credential(fake: Fake, home: Path, env: dict[str, str]) -> None:
    """By the server, the prefix and the user; nobody is asked at a terminal."""
    assert env
    _helper(home, 'test \\"$1\\" = get && echo password=' + SECRET)
    fake.handlers = [fake.says(http(b'{"token": "t", "header": {"revision": "1"}}'))]

    call(fake.endpoint, user="alice")

    assert SECRET.encode() in fake.requests[0]


def test_what_git_credential_was_told_is_found(
    fake: Fake, home: Path, env: dict[str, str], tmp_path: Path
) -> None:
    """By git's own helper: one password for every board of a server."""
    with (home / ".gitconfig").open("a") as config:
        config.write(f"[credential]\n\thelper = store --file {tmp_path / 'kept'}\n")
    told = f"protocol=etcd\nhost={fake.endpoint}\nusername=alice\npassword={SECRET}\n\n"
    subprocess.run(["git", "credential", "approve"], input=told.encode(), env=env, check=True)
    fake.handlers = [fake.says(http(b'{"token": "t", "header": {"revision": "1"}}'))]

    call(fake.endpoint, user="alice")

    assert SECRET.encode() in fake.requests[0]


@pytest.mark.parametrize(
    ("body", "words"), [(":", "knows no password"), ("sleep 5", "timed out")], ids=["none", "hangs"]
)
def test_a_helper_that_knows_none_or_hangs_ends_within_the_bound(
    fake: Fake, home: Path, env: dict[str, str], body: str, words: str
) -> None:
    """A helper can ask in a window that nobody sees."""
    assert env
    _helper(home, body)
    fake.handlers = [fake.says(http())]
    start = time.monotonic()

    with pytest.raises((Denied, Unfit), match=words):
        call(fake.endpoint, user="alice")

    assert time.monotonic() - start < BOUND + 3
    assert fake.requests == []


def test_a_client_is_used_after_a_fork_by_both(fake: Fake) -> None:
    """Neither reads the other's answer."""
    fake.handlers = [fake.says(http())]
    client = Client(Address((fake.endpoint,), "p"))
    client.call("/v3/kv/txn", {}, wire.within(5))
    pid = os.fork()
    if not pid:
        try:
            client.call("/v3/kv/txn", {}, wire.within(5))
        except BaseException:  # noqa: BLE001
            os._exit(1)
        os._exit(0)
    client.call("/v3/kv/txn", {}, wire.within(5))

    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert len(fake.requests) == 3
    assert len(client._links) == 1
    client.close()


@given(st.datetimes(dt.datetime(1970, 1, 1), dt.datetime(2399, 12, 31)))  # noqa: DTZ001
def test_a_servers_date_is_read_to_the_second(moment: dt.datetime) -> None:
    """As the library reads it, which takes 20 ms to load."""
    moment = moment.replace(microsecond=0, tzinfo=dt.UTC)

    assert _seconds(format_datetime(moment, usegmt=True)) == moment.timestamp()


@pytest.mark.parametrize("date", ["", "Mon, 30 Foo 2026 11:21:16 GMT", "now", "1 2 3 4 5 6 7 8"])
def test_what_is_no_date_is_none(date: str) -> None:
    """A server without a clock is said to be one."""
    assert _seconds(date) is None


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
CREATED = b'{"result":{"created":true}}\n'


def chunks(*pieces: bytes) -> bytes:
    """Return the beginning of an answer that goes on."""
    return CHUNKED + b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)


def watch(fake: Fake) -> bool:
    """Watch, within a bound that a silent server does not outlast."""
    return Client(Address((fake.endpoint,), "p")).watch({"key": "eA=="}, wire.within(0.3))


@pytest.mark.parametrize(
    ("raw", "changed"),
    [
        (chunks(CREATED), False),
        (chunks(CREATED, b'{"result":{"header":{}}}\n', b'{"result":'), False),
        (chunks(CREATED, b'{"result":{"events":[{}]}}\n'), True),
        (chunks(CREATED + b'{"result":{"ev', b'ents":[{}]}}\n'), True),
        (chunks(CREATED, b'{"result":{"canceled":true,"compact_revision":"9"}}\n'), True),
        (chunks(CREATED, b'{"result":{"events":[{"kv":"' + b"x" * 5000), True),
        (chunks(CREATED, b"x" * 100_000), True),
    ],
)
def test_a_watch_hears_of_an_event_in_whatever_pieces_it_comes(
    fake: Fake, raw: bytes, *, changed: bool
) -> None:
    """One too large to be read is one; so is word that some were missed."""
    fake.handlers = [fake.says(raw)]

    assert watch(fake) is changed


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b"", Lost),
        (CHUNKED, Lost),
        (chunks(b"nonsense\n"), Lost),
        (chunks(CREATED, b'{"error":{"message":"no leader"}}\n'), Lost),
        (chunks(b'{"result":{"canceled":true,"cancel_reason":"permission denied"}}\n'), Denied),
        (chunks(CREATED) + b"0\r\n\r\n", Absent),
        (http(), Lost),
        (no(16, "etcdserver: invalid auth token", "401 Unauthorized"), Lost),
    ],
)
def test_a_watch_that_is_not_kept_is_no_word_that_nothing_happened(
    fake: Fake, raw: bytes, kind: type[Failure]
) -> None:
    """Refused, ended, or never begun."""
    fake.handlers = [fake.says(raw)]

    with pytest.raises(kind):
        watch(fake)
