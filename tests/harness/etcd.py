"""A real etcd on loopback: free ports, a folder of its own, ended with the test that started it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from typing import TYPE_CHECKING, NamedTuple

import pytest

from coord.base.failures import Failure
from coord.etcd import pairs, wire
from coord.etcd.address import Address, Endpoint
from coord.etcd.client import Client

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

HOST = "127.0.0.1"


class Files(NamedTuple):
    """Of TLS: the authority, and the server's certificate with its key."""

    ca: str
    cert: str
    key: str


class Member:
    """One server process."""

    def __init__(self, folder: Path, name: str, argv: list[str], client: int) -> None:
        self.endpoint = Endpoint(HOST, client)
        self._argv = [*argv, "--name", name, "--data-dir", str(folder / name)]
        self._log = folder / f"{name}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, or start it again with what it has on disk."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(self._argv, stdout=log, stderr=log)

    def signal(self, number: int) -> None:
        """Send it a signal."""
        assert self.process is not None
        os.kill(self.process.pid, number)

    def kill(self) -> None:
        """End it as a power cut would, as far as a process can tell."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


class Cluster:
    """One, three or more servers that are one etcd."""

    def __init__(self, folder: Path, members: int = 1, tls: Files | None = None) -> None:
        if not shutil.which("etcd"):
            pytest.skip("etcd is not installed")
        folder.mkdir(parents=True)
        self.tls = tls
        ports = _free(2 * members)
        scheme = "https" if tls else "http"
        peers = [f"http://{HOST}:{port}" for port in ports[members:]]
        named = ",".join(f"m{at}={peer}" for at, peer in enumerate(peers))
        self.members = []
        for at, peer in enumerate(peers):
            url = f"{scheme}://{HOST}:{ports[at]}"
            argv = [
                "etcd", "--listen-client-urls", url, "--advertise-client-urls", url,
                "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                "--initial-cluster", named, "--initial-cluster-token", folder.name,
                "--bcrypt-cost", "4",  # the least: a password costs 1 ms, not 100
            ]  # fmt: skip
            if tls:
                argv += ["--cert-file", tls.cert, "--key-file", tls.key]
            self.members.append(Member(folder, f"m{at}", argv, ports[at]))
        for member in self.members:
            member.start()

    def address(self, prefix: str, user: str = "", password_file: str = "") -> Address:
        """Return the address of a board on it."""
        return Address(
            tuple(member.endpoint for member in self.members), prefix, user, bool(self.tls),
            ca=self.tls.ca if self.tls else "", password_file=password_file,
        )  # fmt: skip

    def ask(self, path: str, request: dict[str, object], **known: str) -> dict[str, object]:
        """Send one request as `known` (nobody), as the server's keeper would."""
        client = Client(self.address("x", **known))
        try:
            return client.call(path, request, wire.within(10)).document
        finally:
            client.close()

    def ready(self) -> None:
        """Wait until it answers."""
        end = time.monotonic() + 30
        while True:
            try:
                self.ask("/v3/kv/range", {"key": "eA=="})
            except Failure:
                assert time.monotonic() < end
                time.sleep(0.05)
            else:
                return

    def leader(self) -> Member:
        """Return the member that leads."""
        for member in self.members:
            alone = Client(Address((member.endpoint,), "x"))
            found = alone.call("/v3/maintenance/status", {}, wire.within(5)).document
            alone.close()
            header = found["header"]
            assert isinstance(header, dict)
            if found["leader"] == header["member_id"]:
                return member
        raise AssertionError("nobody leads")

    def secure(self, users: dict[str, tuple[str, str]]) -> None:
        """Switch authentication on: user → (password, prefix), root's password is ``root``."""
        self.ask("/v3/auth/user/add", {"name": "root", "password": "root"})
        self.ask("/v3/auth/user/grant", {"user": "root", "role": "root"})
        for user, (password, prefix) in users.items():
            self.ask("/v3/auth/role/add", {"name": user})
            grant = {"permType": "READWRITE", **pairs.below(f"{prefix}/".encode())}
            self.ask("/v3/auth/role/grant", {"name": user, "perm": grant})
            self.ask("/v3/auth/user/add", {"name": user, "password": password})
            self.ask("/v3/auth/user/grant", {"user": user, "role": user})
        self.ask("/v3/auth/enable", {})

    def close(self) -> None:
        """End all of it."""
        for member in self.members:
            member.kill()


def _free(count: int) -> Sequence[int]:
    """Return ports that are free now, below those from which the system takes its own."""
    held = [socket.socket() for _ in range(count)]
    try:
        for one in held:
            one.bind((HOST, 0))
        return [one.getsockname()[1] for one in held]
    finally:
        for one in held:
            one.close()


def authority(folder: Path) -> Files:
    """Return an authority of its own and a certificate of 127.0.0.1 by it, made by openssl."""
    folder.mkdir(parents=True, exist_ok=True)

    def openssl(*args: str) -> None:
        subprocess.run(["openssl", *args], cwd=folder, check=True, capture_output=True)

    fast = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj")
    openssl("req", "-x509", *fast, "/CN=ca", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2")
    openssl("req", *fast, "/CN=server", "-keyout", "server.key", "-out", "server.csr")
    (folder / "names").write_text(f"subjectAltName=IP:{HOST}\n")
    openssl(
        "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
        "-CAcreateserial", "-out", "server.pem", "-days", "2", "-extfile", "names",
    )  # fmt: skip
    return Files(*(str(folder / name) for name in ("ca.pem", "server.pem", "server.key")))


def served(folder: Path, members: int = 1, tls: Files | None = None) -> Iterator[Cluster]:
    """Yield a cluster that answers, and end it."""
    made = Cluster(folder, members, tls)
    try:
        made.ready()
        yield made
    finally:
        made.close()
