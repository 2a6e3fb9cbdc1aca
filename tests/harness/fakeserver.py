"""A server that answers whatever a test wants, on loopback."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

from coord.etcd.address import Endpoint

if TYPE_CHECKING:
    from collections.abc import Callable

YES = b'{"header": {"revision": "1"}}'


class Fake:
    """A listening socket; each connection is handled by the next handler, then by the last.

    Attributes:
        requests: what was asked, whole, in order.
    """

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.endpoint = Endpoint("127.0.0.1", self._socket.getsockname()[1])
        self.handlers: list[Callable[[socket.socket], None]] = []
        self.requests: list[bytes] = []
        self._open: list[socket.socket] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                one, _ = self._socket.accept()
            except OSError:
                return
            self._open.append(one)
            handler = self.handlers.pop(0) if len(self.handlers) > 1 else self.handlers[0]
            threading.Thread(target=self._handled, args=(one, handler), daemon=True).start()

    @staticmethod
    def _handled(one: socket.socket, handler: Callable[[socket.socket], None]) -> None:
        try:
            handler(one)
        except OSError:
            pass

    def asked(self, one: socket.socket) -> bytes:
        """Return the next whole request; empty at its end."""
        data = b""
        while b"\r\n\r\n" not in data:
            part = one.recv(65536)
            if not part:
                return b""
            data += part
        head, _, body = data.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split()[0])
        while len(body) < length:
            body += one.recv(65536)
        self.requests.append(head + b"\r\n\r\n" + body)
        return self.requests[-1]

    def says(self, raw: bytes) -> Callable[[socket.socket], None]:
        """Return a handler that answers every request of a connection so."""

        def handle(one: socket.socket) -> None:
            while self.asked(one):
                one.sendall(raw)

        return handle

    def close(self) -> None:
        """End it, and what is connected."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)  # a close alone leaves it to who accepts
        except OSError:
            pass
        self._thread.join()
        self._socket.close()
        for one in self._open:
            one.close()


def http(body: bytes = YES, status: str = "200 OK", *headers: str) -> bytes:
    """Return an answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
