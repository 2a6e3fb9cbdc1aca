"""Each transport, and a line to a server that fails at any byte of it."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from coord.base.failures import Absent, Denied, Failure, Lost
from harness import gitservers
from harness.remotes import Cache

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.gitservers import Between
    from harness.remotes import Bare

pytestmark = pytest.mark.usefixtures("env")
_PLACES = {"cut": 6, "hang": 4, "drip": 4}  # bytes of each direction at which a line fails

_LAST = 30  # bytes before the end, which are an answer's


@pytest.fixture
def served_by(request: pytest.FixtureRequest, bare: Bare) -> Iterator[str]:
    """A URL of the repository, with the port of its server left out."""
    kind = request.param
    if kind == "daemon":
        with gitservers.daemon(bare.path.parent) as port:
            yield f"git://{gitservers.HOST}:{port}/board"
    else:
        with gitservers.smart(bare.path.parent) as server:
            yield f"http://{gitservers.HOST}:{server.server_port}/board"


@pytest.fixture
def ssh(bare: Bare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A URL of the repository by ssh; the user's ssh knows the host, and has a key for it."""
    assert bare
    with gitservers.sshd(tmp_path / "sshd") as (port, config):
        program = tmp_path / "bin" / "ssh"
        program.parent.mkdir()
        program.write_text(
            f'#!/bin/sh\necho "$@" >>{tmp_path}/asked\nexec /usr/bin/ssh -F {config} "$@"\n'
        )
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
        yield f"ssh://{gitservers.HOST}:{port}{bare.path}"


def _works(bare: Bare, there: Cache) -> None:
    assert there.fetch() == ""
    first = there.commit("1")
    assert there.push("", first)
    assert not there.push("", there.commit("other"))
    assert there.fetch() == first
    second = there.commit("2", first, data=b"2")
    assert there.push(first, second)
    assert bare.tip == second == there.fetch()


@pytest.mark.parametrize("served_by", ["daemon", "http"], indirect=True)
def test_a_board_is_kept_by_each_server(bare: Bare, tmp_path: Path, served_by: str) -> None:
    """As in a folder of this machine."""
    _works(bare, Cache(tmp_path, served_by))


def test_a_board_is_kept_by_ssh_which_asks_nobody(bare: Bare, tmp_path: Path, ssh: str) -> None:
    """And which ends by itself where the server does not answer, if we are killed."""
    _works(bare, Cache(tmp_path, ssh))

    asked = (tmp_path / "asked").read_text()
    assert all("BatchMode=yes" in line for line in asked.splitlines())
    assert "ConnectTimeout=" in asked
    assert "ServerAliveInterval=" in asked


def test_the_ssh_command_of_the_users_own_repository_is_used(
    tmp_path: Path, ssh: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key for one repository is named in its config."""
    there = Cache(tmp_path, ssh)
    program = str(tmp_path / "bin" / "ssh")
    monkeypatch.setenv("PATH", os.environ["PATH"].partition(":")[2])
    with pytest.raises(Denied, match="Host key"):
        there.fetch()

    argv = ["git", f"--git-dir={there.common}", "config", "core.sshCommand", program]
    subprocess.run(argv, check=True)
    assert there.fetch() == ""

    assert "BatchMode" not in (tmp_path / "asked").read_text()


@pytest.mark.parametrize("variable", ["GIT_SSH", "GIT_SSH_COMMAND"])
def test_the_ssh_command_of_the_environment_is_used(
    tmp_path: Path, ssh: str, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """As git does."""
    monkeypatch.setenv(variable, str(tmp_path / "bin" / "ssh"))
    monkeypatch.setenv("PATH", os.environ["PATH"].partition(":")[2])

    assert Cache(tmp_path, ssh).fetch() == ""


def test_a_key_that_the_server_does_not_know_is_denied(tmp_path: Path, ssh: str) -> None:
    """Nobody is asked for a password."""
    (tmp_path / "sshd" / "authorized").write_text("")

    with pytest.raises(Denied, match="Permission denied"):
        Cache(tmp_path, ssh).fetch()


@pytest.mark.parametrize("served_by", ["daemon", "http"], indirect=True)
@pytest.mark.parametrize("then", ["cut", "hang"])
def test_of_a_push_over_a_line_that_fails_nothing_is_said_that_is_not_so(
    bare: Bare, cache: Cache, tmp_path: Path, served_by: str, then: str
) -> None:
    """At any byte, in either direction: what is called done stands, what is called not done not."""
    line = _line(served_by)
    there = Cache(tmp_path, served_by.replace(f":{_port(served_by)}/", f":{line.port}/"))
    first = cache.commit("1")
    assert cache.push("", first)
    assert there.fetch() == first
    assert there.push(first, there.commit("2", first))
    up, down = line.carried[-1]
    line.then = then
    found = set()
    for places in (up, None), (None, down):
        for part in range(_PLACES[then]):
            line.up, line.down = (
                at and (at - _LAST) * part // (_PLACES[then] - 1) for at in places
            )
            found.add(_judged(bare, there))
    line.close()

    assert (Lost, True) in found
    assert (Absent, False) in found


def _port(url: str) -> int:
    return int(url.split(":")[2].partition("/")[0])


def _line(url: str) -> Between:
    return gitservers.Between(_port(url))


def _judged(bare: Bare, there: Cache) -> tuple[object, bool]:
    """Return what a push is called, and whether it stands a moment later."""
    old = bare.tip
    new = there.commit(str(time.monotonic_ns()), old)
    answer: object
    begun = time.monotonic()
    try:
        answer = there.push(old, new, within=0.7)
    except Failure as failure:
        answer = type(failure)
    assert time.monotonic() - begun < 5
    time.sleep(0.2)  # the server may still be at it
    stands = bare.tip == new
    assert stands == answer or answer is Lost or (answer in {Absent, False} and not stands)
    return answer, stands


@pytest.mark.parametrize("served_by", ["http"], indirect=True)
@pytest.mark.parametrize("then", ["cut", "drip"])
def test_of_a_fetch_over_a_line_that_fails_no_board_is_said_to_be_gone(
    cache: Cache, tmp_path: Path, served_by: str, then: str
) -> None:
    """Whoever is told so forgets all that was there."""
    line = _line(served_by)
    there = Cache(tmp_path, served_by.replace(f":{_port(served_by)}/", f":{line.port}/"))
    first = cache.commit("1")
    assert cache.push("", first)
    assert there.fetch() == first
    line.then = then
    for part in range(_PLACES[then]):
        line.down = 70 * part
        with pytest.raises(Absent):
            there.fetch(within=0.7)
    line.down = None

    assert there.fetch() == first
    line.close()
