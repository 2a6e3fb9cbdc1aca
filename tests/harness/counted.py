"""A proxy before a server that counts the requests that are sent through it."""

from __future__ import annotations

import re
import socket
import threading
from typing import TYPE_CHECKING

from coord.etcd.address import Endpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LINE = re.compile(rb"POST (/v3/[a-z/]+) HTTP/1\.1\r\n")


class Counted:
    """A listening socket; whatever comes is sent on to the server, and its answers back.

    Attributes:
        endpoint: where it listens.
        asked: the paths of all requests, in order.
    """

    def __init__(self, server: Endpoint) -> None:
        self._server = server
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.endpoint = Endpoint("127.0.0.1", self._socket.getsockname()[1])
        self.asked: list[str] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Listen no more."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
                server = socket.create_connection(self._server)
            except OSError:
                return
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._joined, args=(client, server), daemon=True).start()

    def _joined(self, client: socket.socket, server: socket.socket) -> None:
        back = threading.Thread(target=_passed, args=(server, client), daemon=True)
        back.start()
        with client, server:
            _passed(client, server, self._counted)
            back.join()

    def _counted(self, data: bytes) -> bytes:
        """Note each request that begins in `data`; return the rest, where one may begin."""
        end = 0
        for found in _LINE.finditer(data):
            self.asked.append(found[1].decode())
            end = found.end()
        return data[end:][-64:]


def _passed(
    source: socket.socket, to: socket.socket, seen: Callable[[bytes], bytes] = lambda _: b""
) -> None:
    rest = b""
    try:
        while data := source.recv(1 << 16):
            rest = seen(rest + data)
            to.sendall(data)
        to.shutdown(socket.SHUT_WR)
    except OSError:
        return


def counted(server: Endpoint) -> Iterator[Counted]:
    """Yield a proxy, and end it."""
    made = Counted(server)
    try:
        yield made
    finally:
        made.close()
