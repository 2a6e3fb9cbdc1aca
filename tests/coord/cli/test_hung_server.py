"""Beside a server that takes a connection and says nothing more, a verb ends when it says it does.

``git://`` has no time of its own: what waits there waits for as long as the connection is open.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from typing import TYPE_CHECKING

import pytest

from harness.board import worker
from harness.daemon import serving
from harness.remotes import Bare

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness import Repo

_TOLD = 10.0  # seconds for a child to be gone, and the machine may be busy


class Silent:
    """A server that takes connections, and is asked for a board from some moment on."""

    def __init__(self, repo: Repo, url: str) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._url = url
        self._repo = repo
        self._made: list[socket.socket] = []

    def close(self) -> None:
        """Be there no more."""
        for one in (self._socket, *self._made):
            one.close()

    def hang(self) -> None:
        """Have the clone's git ask here by the name of the real one."""
        url = f"git://127.0.0.1:{self._socket.getsockname()[1]}/"
        self._repo.git("config", f"url.{url}.insteadOf", self._url)

    def asked(self) -> socket.socket:
        """Return a connection, once git has asked for something on it."""
        self._socket.settimeout(_TOLD)
        made, _ = self._socket.accept()
        self._made.append(made)
        made.settimeout(_TOLD)
        assert made.recv(1 << 16)
        return made


def _is_closed(there: socket.socket) -> bool:
    """Tell whether a connection is closed at the other end, once all that was asked is read."""
    try:
        while there.recv(1 << 16):
            pass
    except TimeoutError:
        return False
    return True


@pytest.fixture
def silent(installed: Repo, tmp_path: Path) -> Iterator[Silent]:
    """Ann has the scope, and bob is in line for it, by the time the server hangs."""
    folder = tmp_path / "server"
    folder.mkdir()
    Bare(folder / "board.git")
    for daemon in serving(folder):
        repo = installed.with_env(GIT_ALLOW_PROTOCOL="file:git")
        url = f"git+{daemon.url}/board.git"
        assert repo.coord("store", "use", "--pushes-a-minute", "0", url).code == 0
        for who in ("ann", "bob"):
            at = worker(repo, tmp_path / who, f"work-{who}", who)
            assert at.coord("claim", "task:1").code == 0
        made = Silent(repo, daemon.url)
        yield made
        made.close()


def test_a_wait_ends_in_its_time_and_leaves_no_git_behind(
    installed: Repo, silent: Silent, tmp_path: Path
) -> None:
    """With the three seconds that a last look may take, and not with those of a fetch."""
    silent.hang()
    bob = installed.at(tmp_path / "bob").with_env(GIT_ALLOW_PROTOCOL="file:git")
    begun = time.monotonic()

    done = bob.coord("wait", "task:1", "--timeout", "4s")

    assert done.code != 0
    assert time.monotonic() - begun < 4 + 3 + 5
    assert _is_closed(silent.asked())


def test_a_verb_that_is_killed_leaves_no_git_behind(
    installed: Repo, silent: Silent, tmp_path: Path
) -> None:
    """The kernel tells git when nobody is there any more."""
    silent.hang()
    ann = installed.at(tmp_path / "ann").with_env(GIT_ALLOW_PROTOCOL="file:git")
    with ann.begun("git", "coord", "release", "task:1", start_new_session=True) as verb:
        there = silent.asked()
        time.sleep(1)  # it may be asked sooner than the kernel is

        os.killpg(verb.pid, signal.SIGKILL)
        verb.communicate()

    assert _is_closed(there)
