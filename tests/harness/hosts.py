"""Two clones on one board as two machines have them: each command with a host name of its own."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from coord.etcd import address, pairs, wire
from coord.etcd.client import Client
from coord.stores import answers, attendance
from harness.board import worker
from harness.repo import Repo

if TYPE_CHECKING:
    from pathlib import Path

    from harness.repo import Done

_NAMED = 'hostname "$0" && exec "$@"'


@dataclass(frozen=True)
class Hosted(Repo):
    """A worktree whose commands run in a UTS namespace where the machine is called `host`."""

    host: str = ""

    def run(self, *argv: str, stdin: str | None = None, timeout: float = 60) -> Done:
        """See :meth:`harness.repo.Repo.run`."""
        return super().run(*self._there(argv), stdin=stdin, timeout=timeout)

    def _there(self, argv: tuple[str, ...]) -> tuple[str, ...]:
        return ("unshare", "-ru", "sh", "-c", _NAMED, self.host, *argv)

    def begun(self, *argv: str) -> subprocess.Popen[bytes]:
        """Begin a command, with a group of processes of its own."""
        return subprocess.Popen(
            self._there(argv), cwd=self.path, env=self.env, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def started(self, *argv: str, stdin: str | None = None, timeout: float = 60) -> Done:
        """See :meth:`harness.repo.Repo.started`; nothing forked has another name."""
        return self.run(*argv, stdin=stdin, timeout=timeout)


def clone(repo: Repo, path: Path, host: str, url: str) -> Hosted:
    """Return an installed clone of `repo` on the machine `host`, whose board is at `url`."""
    repo.git("clone", "-q", str(repo.path), str(path))
    made = Hosted(path, repo.env, host)
    if made.run("true").code:
        pytest.skip("no UTS namespaces may be made here")
    assert made.started("coord-install").code == 0
    assert made.coord("store", "use", url).code == 0
    return made


def on(repo: Repo, path: Path, host: str, url: str, actor: str) -> Hosted:
    """Return a worktree of a worker in a new clone."""
    made = worker(clone(repo, path, host, url), path.with_name(f"{path.name}-wt"), "work", actor)
    assert isinstance(made, Hosted)
    made.git("branch", "-q", "-m", f"work-{actor}")
    return made


def aged(url: str, seconds: float) -> None:
    """Set all that the board knows of who was there back by `seconds`."""
    where = address.parsed(url)
    client, begin = Client(where), f"{where.prefix}/".encode()
    for folder in ("actors", attendance.FOLDER):
        asked = pairs.below(begin + folder.encode() + b"/")
        found = pairs.of_range(client.call("/v3/kv/range", asked, wire.within(5)).document)
        for pair in found.pairs:
            value, at = answers.unwrapped(pair.value)
            assert at is not None
            if folder == attendance.FOLDER:
                told = attendance.decode(value)
                signs = {
                    name: one._replace(seen=one.seen - seconds) for name, one in told.signs.items()
                }
                value = attendance.encode(told._replace(signs=signs), at)
            put = [pairs.put(pair.key, answers.wrapped(value, at - seconds))]
            client.call("/v3/kv/txn", pairs.transaction([], put), wire.within(5))
    client.close()


def told(url: str) -> list[tuple[float | None, attendance.Attendance]]:
    """Return what clones have told of their workers, and when."""
    where = address.parsed(url)
    client = Client(where)
    asked = pairs.below(f"{where.prefix}/{attendance.FOLDER}/".encode())
    found = pairs.of_range(client.call("/v3/kv/range", asked, wire.within(5)).document)
    client.close()
    values = [answers.unwrapped(pair.value) for pair in found.pairs]
    return [(at, attendance.decode(value)) for value, at in values]
