"""One exchange to a deadline, with servers that freeze, drip, lie and say no end of it."""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING

import pytest

from coord.base.failures import Absent, Lost, TooLarge
from coord.etcd import wire
from harness.fakeserver import YES, http

if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.etcd.address import Endpoint
    from coord.etcd.wire import Answer
    from harness.fakeserver import Fake

BOUND = 0.3


def ask(endpoint: Endpoint, most: int = 1000) -> Answer:
    """Ask once, within the bound."""
    end = wire.within(BOUND)
    return wire.connect(endpoint, None, end).post("/v3/x", b"{}", "token", end, most)


@pytest.mark.parametrize(
    "raw",
    [
        http(YES, "200 OK", "Date: now"),
        b"HTTP/1.1 100 Continue\r\n\r\n" + http(YES, "200 OK", "Date: now"),
        b"HTTP/1.1 200 OK\r\nDATE: now\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"".join(b"%x;x=y\r\n%s\r\n" % (len(part), part) for part in (YES[:9], YES[9:]))
        + b"0\r\nTrailer: x\r\n\r\n",
    ],
    ids=["length", "continue", "chunked"],
)
def test_an_answer_is_read_whole_and_the_connection_is_used_again(fake: Fake, raw: bytes) -> None:
    """In whichever of HTTP's forms Go's server writes it."""
    fake.handlers = [fake.says(raw)]
    end = wire.within(5)
    link = wire.connect(fake.endpoint, None, end)

    for _ in range(2):
        assert link.post("/v3/x", b"{}", "token", end, 1000) == (200, "now", YES)
        assert link.open
    assert all(b"\r\nAuthorization: token\r\n" in request for request in fake.requests)
    link.close()


def _silent(one: socket.socket) -> None:
    one.recv(65536)
    time.sleep(5)


def _dripping(data: bytes) -> Callable[[socket.socket], None]:
    def handle(one: socket.socket) -> None:
        one.recv(65536)
        for byte in data * 100:
            one.sendall(bytes([byte]))
            time.sleep(0.02)

    return handle


@pytest.mark.parametrize(
    "handler",
    [_silent, _dripping(b"HTTP/1.1 200 OK\r\n"), _dripping(http(b"x" * 900, "200 OK"))],
    ids=["silent", "dripping-head", "dripping-body"],
)
def test_a_server_that_does_not_end_its_answer_outlasts_no_deadline(
    fake: Fake, handler: Callable[[socket.socket], None]
) -> None:
    """A byte now and then begins the wait of a socket anew, and not ours."""
    fake.handlers = [handler]
    start = time.monotonic()

    with pytest.raises(Lost, match="no answer in time"):
        ask(fake.endpoint)

    assert time.monotonic() - start < BOUND + 4


def test_a_server_that_reads_nothing_outlasts_no_deadline(fake: Fake) -> None:
    """A request larger than what the kernel takes waits for its reader."""
    fake.handlers = [lambda _: time.sleep(5)]
    end = wire.within(BOUND)
    link = wire.connect(fake.endpoint, None, end)
    start = time.monotonic()

    with pytest.raises(Lost):
        link.post("/v3/x", b"x" * (32 << 20), "", end, 1000)

    assert time.monotonic() - start < BOUND + 4


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"nonsense\r\n\r\n", b"HTTP/2 200\r\n\r\n", http(b"x", "huh"), http(b"short")[:-1],
        b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1e3\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: " + b"x" * (1 << 17),
        b"x" * (1 << 17),
    ],
)  # fmt: skip
def test_an_answer_that_is_cut_or_no_http_is_lost(fake: Fake, raw: bytes) -> None:
    """What was asked may have been done all the same."""

    def handle(one: socket.socket) -> None:
        fake.asked(one)
        one.sendall(raw)
        one.close()

    fake.handlers = [handle]

    with pytest.raises(Lost):
        ask(fake.endpoint)


@pytest.mark.parametrize(
    "raw",
    [
        http(b"x" * 1001),
        b"HTTP/1.1 200 OK\r\nContent-Length: 9999999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"200\r\n%s\r\n" % (b"x" * 512) * 2,
    ],
    ids=["length", "claimed", "chunks"],
)
def test_an_answer_without_end_is_not_read(fake: Fake, raw: bytes) -> None:
    """By its own word, or by what has come; the line says how much would have been."""
    fake.handlers = [fake.says(raw)]

    with pytest.raises(TooLarge, match="more than 1000 bytes"):
        ask(fake.endpoint)


def test_nobody_there_is_absent_and_a_hanging_resolver_outlasts_no_deadline(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``getaddrinfo`` knows no time."""
    fake.close()
    with pytest.raises(Absent, match="refused"):
        ask(fake.endpoint)
    real = socket.getaddrinfo

    def hanging(host: str, port: int, *rest: int) -> object:
        if rest[-1] == 0:
            time.sleep(5)
        return real(host, port, *rest)

    monkeypatch.setattr(socket, "getaddrinfo", hanging)
    start = time.monotonic()

    with pytest.raises(Absent, match="not resolved in time"):
        ask(fake.endpoint._replace(host="db.invalid"))

    assert time.monotonic() - start < BOUND + 4
