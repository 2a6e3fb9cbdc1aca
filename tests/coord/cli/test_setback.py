"""A server that was restored from a backup, or emptied, is noticed by whoever knew more."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

import harness.etcd
from coord.stores import retired, setback
from coord.stores.cluster import Cluster
from harness.board import answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from harness import Repo


class Server:
    """An etcd of one member, with a backup taken when the first of two claims stood."""

    def __init__(self, folder: Path, cluster: harness.etcd.Cluster) -> None:
        self.cluster, self.member = cluster, cluster.members[0]
        self.data, self.kept, self.snapshot = folder / "m0", folder / "kept", folder / "snapshot"
        self.url = f"etcd://{self.member.endpoint}/own"

    def etcdctl(self, *args: str) -> None:
        """Run etcdctl."""
        argv = ["etcdctl", f"--endpoints={self.member.endpoint}", *args]
        env = {**os.environ, "ETCDCTL_API": "3"}
        subprocess.run(argv, env=env, check=True, capture_output=True)

    def back_up(self) -> None:
        """Take both kinds of backup."""
        self.etcdctl("snapshot", "save", str(self.snapshot))
        self.member.kill()
        shutil.copytree(self.data, self.kept)
        self.start()

    def start(self) -> None:
        """Start it."""
        self.member.start()
        self.cluster.ready()

    def folder_back(self) -> None:
        """Put back a copy of its folder."""
        self.member.kill()
        shutil.rmtree(self.data)
        shutil.copytree(self.kept, self.data)
        self.start()

    def snapshot_back(self) -> None:
        """Restore the snapshot, as its manual says."""
        self.member.kill()
        shutil.rmtree(self.data)
        peer = self.member._argv[self.member._argv.index("--initial-advertise-peer-urls") + 1]
        self.etcdctl("snapshot", "restore", str(self.snapshot), "--data-dir", str(self.data),
                     "--name", "m0", "--initial-cluster", f"m0={peer}",
                     "--initial-advertise-peer-urls", peer)  # fmt: skip
        self.start()

    def ahead(self) -> None:
        """Put back its folder, and have others write more than was lost."""
        self.folder_back()
        other = Cluster(self.cluster.address("own"))
        for number in range(40):
            other.create(f"actors/a-{number}", b"x")
        other.close()

    def emptied(self) -> None:
        """Delete all keys."""
        self.etcdctl("del", "--prefix", "own/")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """The server."""
    if not shutil.which("etcdctl"):
        pytest.skip("etcdctl is not installed")
    for cluster in harness.etcd.served(tmp_path / "etcd"):
        yield Server(tmp_path / "etcd", cluster)


WAYS = [Server.folder_back, Server.snapshot_back, Server.ahead, Server.emptied]


@pytest.mark.parametrize("restore", WAYS)
def test_what_this_clone_knew_and_is_gone_is_named_and_accepted_by_one_command(
    installed: Repo, server: Server, restore: Callable[[Server], None]
) -> None:
    """Until then nothing is called free that somebody was told is his."""
    installed.coord("pin", "--self")
    assert installed.coord("store", "use", server.url).code == 0
    assert installed.coord("claim", "task:early").code == 0
    server.back_up()
    assert installed.coord("claim", "task:late").code == 0
    installed.coord("id", "next", "ADR")
    assert "task:late" in installed.coord("board").out

    restore(server)

    for words in ("board", "claim task:late", "store"):
        done = installed.coord(*words.split())
        assert (done.code, done.out) == (3, ""), words
        assert "the board was set back" in done.err
        assert "late" in done.err
        assert f"run: git coord store use {server.url}" in done.err
    assert ("early" in done.err) == (restore is Server.emptied)
    told = installed.coord("store", "use", server.url)
    assert told.code == 0
    assert "late" in told.err
    assert installed.coord("claim", "task:late").out == "task:late is yours, generation 1\n"
    assert answer(installed, "store")["reached"] is True


def test_a_mark_that_somebody_has_planted_hides_no_set_back() -> None:
    """It says that all was swept; no sweep of ours reaches its number (coord.stores.retired)."""
    known = {"claims/s-x/00000007": 5}

    assert setback.lost(known, {f"retired/{retired.MOST}": 1}, 9) == ["claims/s-x"]
    assert setback.lost(known, {"retired/00000007": 1}, 9) == []
