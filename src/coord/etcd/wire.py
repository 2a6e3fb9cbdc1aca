"""One connection to one endpoint, and one HTTP/1.1 exchange on it, to a deadline.

A socket's timeout is one read's, so a server that sends a byte a second outlasts any; and
``getaddrinfo`` has none at all. Proxies of the environment are not asked, nor is a redirect
followed: both would carry a password elsewhere.
"""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING, NamedTuple

from coord.base.failures import Absent, Lost, TooLarge, Unfit

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator

    from coord.etcd.address import Endpoint

_HEAD = 64 * 1024  # bytes of all headers; Go's own limit for answers is a megabyte
_CHUNK = 1 << 16
_CONTINUE, _OK = 100, 200


class End(NamedTuple):
    """A moment by the monotonic clock at which to give up."""

    at: float

    @property
    def left(self) -> float:
        """Seconds from now, at least none."""
        return max(0.0, self.at - time.monotonic())

    def share(self, parts: int) -> End:
        """Return the moment at which one of so many equal parts of the time left is over."""
        return End(time.monotonic() + self.left / parts)


def within(seconds: float) -> End:
    """Return the end of so many seconds from now."""
    return End(time.monotonic() + seconds)


class Answer(NamedTuple):
    """What a server answered."""

    status: int
    date: str
    body: bytes


class Link:
    """An open connection, for one exchange at a time."""

    def __init__(self, sock: socket.socket, where: str) -> None:
        self._sock = sock
        self._rest = b""
        self.where = where
        #: Whether the last exchange ended cleanly, so that another may follow it.
        self.open = True
        #: Whether an exchange was had: a server may have closed since.
        self.used = False

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close it, without a word to the server: after a fork the other process has it too."""
        self.open = False
        self._sock.close()

    def post(self, path: str, body: bytes, token: str, end: End, most: int) -> Answer:
        """Send one request and return the answer.

        Raises:
            Lost: the connection or the time ended before the answer was whole.
            TooLarge: the answer has more than `most` bytes.
        """
        self.open = False  # until the answer was read whole
        try:
            self._send(self._request(path, body, token), end)
            answer = self._answer(end, most)
        except (OSError, ValueError) as error:
            raise self._lost(error) from error
        finally:
            if not self.open:
                self.close()
        self.used = True
        return answer

    def follow(self, path: str, body: bytes, token: str, end: End) -> Iterator[bytes]:
        """Send one request and yield the pieces of an answer that goes on, as they come.

        Raises:
            Lost: the connection or the time ended; nothing else can follow on it.
            TooLarge: a piece is larger than any but an event.
        """
        self.open = False
        try:
            self._send(self._request(path, body, token), end)
            yield from self._pieces(end)
        except (OSError, ValueError) as error:
            raise self._lost(error) from error
        finally:
            self.close()

    def _pieces(self, end: End) -> Iterator[bytes]:
        status, headers = self._head(end)
        if status != _OK or headers.get("transfer-encoding", "").lower() != "chunked":
            raise ValueError(status)
        while size := int(self._line(end, _HEAD).partition(b";")[0], 16):
            yield self._exactly(size, end, _HEAD)
            self._line(end, _HEAD)

    def _request(self, path: str, body: bytes, token: str) -> bytes:
        head = f"POST {path} HTTP/1.1\r\nHost: {self.where}\r\nContent-Type: application/json\r\n"
        if token:
            head += f"Authorization: {token}\r\n"
        return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body

    def _lost(self, error: OSError | ValueError) -> Lost:
        if isinstance(error, TimeoutError):
            return Lost(self.where, "no answer in time")
        if isinstance(error, OSError):
            return Lost(self.where, f"no answer: {_said(error)}")
        return Lost(self.where, "the answer is no HTTP")

    def _send(self, data: bytes, end: End) -> None:
        rest = memoryview(data)
        while rest:
            self._sock.settimeout(_some(end))
            rest = rest[self._sock.send(rest) :]

    def _answer(self, end: End, most: int) -> Answer:
        status = _CONTINUE
        headers: dict[str, str] = {}
        while status == _CONTINUE:
            status, headers = self._head(end)
        length = headers.get("content-length", "")
        if headers.get("transfer-encoding", "").lower() == "chunked":
            body = self._chunks(end, most)
        elif length.isascii() and length.isdigit() and len(length) <= len(str(1 << 62)):
            body = self._exactly(int(length), end, most)
        else:
            raise ValueError(length)
        self.open = headers.get("connection", "").lower() != "close"
        return Answer(status, headers.get("date", ""), body)

    def _head(self, end: End) -> tuple[int, dict[str, str]]:
        left, lines = _HEAD, [b""]
        while len(lines) == 1 or lines[-1]:
            lines.append(self._line(end, left))
            left -= len(lines[-1]) + 2
        version, _, status = lines[1].decode("latin-1").partition(" ")
        if version not in {"HTTP/1.1", "HTTP/1.0"}:
            raise ValueError(version)
        pairs = (line.decode("latin-1").partition(":") for line in lines[2:-1])
        return int(status[:3]), {name.lower(): text.strip() for name, _, text in pairs}

    def _chunks(self, end: End, most: int) -> bytes:
        parts: list[bytes] = []
        had = 0
        while size := int(self._line(end, _HEAD).partition(b";")[0], 16):
            if size < 0:
                raise ValueError(size)
            parts.append(self._exactly(size, end, most, had))
            had += size
            self._line(end, _HEAD)
        while self._line(end, _HEAD):
            pass
        return b"".join(parts)

    def _line(self, end: End, most: int) -> bytes:
        while b"\r\n" not in self._rest:
            if len(self._rest) > most:
                raise ValueError(most)
            self._rest += self._received(end)
        line, _, self._rest = self._rest.partition(b"\r\n")
        return line

    def _exactly(self, size: int, end: End, most: int, had: int = 0) -> bytes:
        """Return so many bytes, of an answer of which as many were had before."""
        if had + size > most:
            raise TooLarge(self.where, f"the answer has more than {most} bytes")
        parts, left = [self._rest[:size]], size - len(self._rest)
        self._rest = self._rest[size:]
        while left > 0:
            part = self._received(end)
            parts.append(part[:left])
            self._rest = part[left:]
            left -= len(part)
        return b"".join(parts)

    def _received(self, end: End) -> bytes:
        self._sock.settimeout(_some(end))
        data = self._sock.recv(_CHUNK)
        if not data:
            raise ConnectionResetError("the server closed the connection")
        return data


def connect(endpoint: Endpoint, context: ssl.SSLContext | None, end: End) -> Link:
    """Return a connection to `endpoint`, in TLS by `context`.

    Raises:
        Absent: nobody answers there in time.
        Unfit: the server is not who it must be, or does not speak TLS.
    """
    where, failed = str(endpoint), Absent(str(endpoint), "the name has no address")
    found = _resolved(endpoint, end)
    for number, (family, address) in enumerate(found):
        sock = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        try:
            sock.settimeout(_some(end.share(len(found) - number)))
            sock.connect(address)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return Link(_wrapped(sock, endpoint, context, end), where)
        except BaseException as error:
            sock.close()
            if not isinstance(error, OSError):
                raise
            failed = Absent(where, _said(error))
    raise failed


def _wrapped(
    sock: socket.socket, endpoint: Endpoint, context: ssl.SSLContext | None, end: End
) -> socket.socket:
    if context is None:
        return sock
    import ssl  # noqa: PLC0415  # 20 ms that only TLS pays

    sock.settimeout(_some(end))  # of a handshake this is the time of all its reads together
    try:
        return context.wrap_socket(sock, server_hostname=endpoint.host)
    except ssl.SSLCertVerificationError as error:
        raise Unfit(str(endpoint), f"its certificate: {error.verify_message}") from error
    except ssl.SSLError as error:
        if error.reason is None:
            raise
        raise Unfit(str(endpoint), f"TLS: {error.reason.lower().replace('_', ' ')}") from error


def _resolved(endpoint: Endpoint, end: End) -> list[tuple[int, tuple[object, ...]]]:
    """Return the addresses of a host: at once if it is one, else within the time, by a thread.

    The thread of a resolver that hangs is left behind; none is waited for at the end of a process.
    """
    import _thread  # noqa: PLC0415  # `threading` would wait for it, and costs 5 ms

    def look(flags: int) -> list[tuple[int, tuple[object, ...]]]:
        rows = socket.getaddrinfo(
            endpoint.host, endpoint.port, 0, socket.SOCK_STREAM, socket.IPPROTO_TCP, flags
        )
        return [(row[0], row[4]) for row in rows]

    try:
        return look(socket.AI_NUMERICHOST)
    except socket.gaierror:
        pass
    found: list[list[tuple[int, tuple[object, ...]]] | OSError] = []
    done = _thread.allocate_lock()
    done.acquire()

    def ask() -> None:
        try:
            found.append(look(0))
        except OSError as error:
            found.append(error)
        finally:
            done.release()

    _thread.start_new_thread(ask, ())
    if not done.acquire(timeout=end.left):
        raise Absent(str(endpoint), "its name was not resolved in time")
    if isinstance(found[0], OSError):
        raise Absent(str(endpoint), _said(found[0])) from found[0]
    return found[0]


def _some(end: End) -> float:
    """Return the time left for a socket, to which none would mean not to wait at all.

    Raises:
        TimeoutError: there is none.
    """
    left = end.left
    if not left:
        raise TimeoutError("no time left")
    return left


def _said(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return "no connection in time"
    return error.strerror or str(error)
