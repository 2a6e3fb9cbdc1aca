"""Servers of git repositories on loopback: git daemon, smart HTTP, ssh; and what comes between."""

from __future__ import annotations

import contextlib
import http.server
import os
import shutil
import socket
import subprocess
import threading
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

HOST = "127.0.0.1"
_LOOK = 0.01


def _free() -> int:
    with socket.create_server((HOST, 0)) as taken:
        return int(taken.getsockname()[1])


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 20
    while True:
        try:
            socket.create_connection((HOST, port), timeout=5).close()
        except OSError:
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(_LOOK)
        else:
            return


def can(*argv: str) -> bool:
    """Tell whether this git has a program of its own that runs here."""
    done = subprocess.run(["git", *argv], capture_output=True, check=False)
    return b"usage" in done.stderr + done.stdout


@contextlib.contextmanager
def daemon(folder: Path, *options: str) -> Iterator[int]:
    """Give all repositories of a folder by git's own protocol; yield the port."""
    if not can("daemon", "--none"):
        pytest.skip("this git has no daemon that runs here")
    port = _free()
    argv = [
        "git", "daemon", "--export-all", "--enable=receive-pack", f"--base-path={folder}",
        f"--listen={HOST}", f"--port={port}", "--reuseaddr", *options, str(folder),
    ]  # fmt: skip
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _await(port, process)
        yield port
    finally:
        process.terminate()
        process.wait()


class _Handler(http.server.BaseHTTPRequestHandler):
    """Hands a request to ``git http-backend``, as RFC 3875 has it."""

    protocol_version = "HTTP/1.1"
    server: Http

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self._body())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's name
        """Say nothing."""

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers["Content-Length"]))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _answer(self, body: bytes) -> None:
        self.server.asked.append(f"{self.command} {self.path}")
        if said := self.server.says(self):
            head, _, content = said.partition(b"\r\n\r\n")
        else:
            head, _, content = self._backend(body).partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        named = dict(line.split(": ", 1) for line in lines)
        status = named.pop("Status", "200 OK").split(" ", 1)
        self.send_response(int(status[0]), status[1])
        for name, value in named.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _backend(self, body: bytes) -> bytes:
        path, _, query = self.path.partition("?")
        env = {
            **os.environ,
            "GIT_PROJECT_ROOT": str(self.server.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REMOTE_USER": "somebody",
            "REMOTE_ADDR": HOST,
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "HTTP_GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        argv = ["git", "http-backend"]
        done = subprocess.run(
            argv,
            input=body,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
            check=False,
        )
        return done.stdout or b"Status: 500 Internal Server Error\r\n\r\n"


class Http(http.server.ThreadingHTTPServer):
    """Smart HTTP for all repositories of a folder.

    Attributes:
        asked: the requests, in order.
        says: what is answered instead, header and content; empty for git's own answer.
    """

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__((HOST, 0), _Handler)
        self.folder = folder
        self.asked: list[str] = []
        self.says: Callable[[http.server.BaseHTTPRequestHandler], bytes] = lambda _: b""

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that has gone."""


@contextlib.contextmanager
def smart(folder: Path) -> Iterator[Http]:
    """Give all repositories of a folder by smart HTTP."""
    if not can("remote-http"):
        pytest.skip("this git has no HTTP that runs here")
    server = Http(folder)
    thread = threading.Thread(target=server.serve_forever, args=(_LOOK,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def sshd(folder: Path) -> Iterator[tuple[int, Path]]:
    """Let us log in by ssh; yield the port, and the config of a client that may."""
    if not os.path.exists("/usr/sbin/sshd") or not shutil.which("ssh"):
        pytest.skip("there is no sshd")
    folder.mkdir()
    for name in ("host", "user"):
        argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(argv, check=True)
    shutil.copy(folder / "user.pub", folder / "authorized")
    port = _free()
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress {HOST}\nHostKey {folder}/host\nPidFile none\nUsePAM no\n"
        f"AuthorizedKeysFile {folder}/authorized\nStrictModes no\nPasswordAuthentication no\n"
        "PermitRootLogin yes\nAcceptEnv GIT_PROTOCOL\n"
    )
    key = (folder / "host.pub").read_text()
    (folder / "known").write_text(f"[{HOST}]:{port} {key}")
    (folder / "config").write_text(
        f"IdentityFile {folder}/user\nIdentitiesOnly yes\nUserKnownHostsFile {folder}/known\n"
    )
    # As root it wants this folder, which only its package's service makes.
    serve = f"exec /usr/sbin/sshd -D -f {folder}/sshd_config -E {folder}/log"
    script = f"mount -t tmpfs none /run && mkdir /run/sshd && {serve}"
    argv = ["unshare", "-m", "sh", "-c", script] if os.geteuid() == 0 else ["sh", "-c", serve]
    process = subprocess.Popen(argv)
    try:
        _await(port, process)
        yield port, folder / "config"
    finally:
        process.terminate()
        process.wait()


class Between:
    """A line to a server that fails at a byte.

    Attributes:
        up: how many bytes of a connection reach the server; None for all.
        down: how many reach the client.
        then: what comes after them: ``cut``, ``hang``, ``drip``.
        carried: bytes that each connection has carried, up and down.
    """

    def __init__(self, port: int) -> None:
        self._target = port
        self._socket = socket.create_server((HOST, 0))
        self.port = int(self._socket.getsockname()[1])
        self.up: int | None = None
        self.down: int | None = None
        self.then = "cut"
        self.carried: list[list[int]] = []
        self._open: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                one, _ = self._socket.accept()
            except OSError:
                return
            other = socket.create_connection((HOST, self._target))
            self._open += [one, other]
            count = [0, 0]
            self.carried.append(count)
            for at, source, goal in ((0, one, other), (1, other, one)):
                limit = (self.up, self.down)[at]
                args = (source, goal, count, at, limit)
                threading.Thread(target=self._carry, args=args, daemon=True).start()

    def _carry(
        self,
        source: socket.socket,
        goal: socket.socket,
        count: list[int],
        at: int,
        most: int | None,
    ) -> None:
        try:
            while data := source.recv(65536):
                left = len(data) if most is None else max(0, most - count[at])
                goal.sendall(data[:left])
                count[at] += min(left, len(data))
                if left < len(data) and not self._fails(data[left:], goal):
                    break
            else:
                goal.shutdown(socket.SHUT_WR)
                return
            for end in (source, goal):
                end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def _fails(self, rest: bytes, goal: socket.socket) -> bool:
        """Do what comes at the byte; tell whether the connection stays."""
        if self.then == "drip":
            for byte in rest:
                time.sleep(0.5)
                goal.sendall(bytes([byte]))
        return self.then != "cut"

    def close(self) -> None:
        """End all."""
        for end in (self._socket, *self._open):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
