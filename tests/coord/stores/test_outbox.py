"""Records that wait to be published: whole or absent, and published once, whoever is killed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from coord.board import claims, eventjson, events, letters
from coord.board.events import Event, Place, State
from coord.board.messages import Message, Party
from coord.etcd import address
from coord.identity.whoami import Identity
from coord.stores import about, keys, outbox
from coord.stores.cluster import Cluster
from coord.stores.store import Pending
from harness.crash import killed_at_every_call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness import Repo

AT = "2026-01-01T00:00:00.000000Z"
ANN, BOB = Identity("ann", "i-ann", "pinned", None), Identity("bob", "i-bob", "pinned", None)
# What changes the clone or the server: strace kills at each of these calls.
CALLS = "sendto,unlink,unlinkat,rename,link,linkat,fsync"
SETTLE = """
import sys
from coord.stores.cluster import Cluster
from coord.stores.replica import Replica
from coord.etcd import address
from coord.identity.whoami import Identity
from coord.repo import worktree
from coord.work import settling
from coord.work.call import Call
call = Call(None, ".", {}, None, print, print, "test")
board = Replica(Cluster(address.parsed(sys.argv[1])), epoch="e1")
me = Identity("amy", "i-amy", "pinned", None)
board.unsettled = ()
from coord.base import publish
from coord.stores import outbox
here = worktree.discover(".")
with publish.lock(outbox.folder(here.common_dir) + "/lock"):
    settling._settle(call, here, board, me)
"""


def place(me: Identity) -> Place:
    """Return the place of a worker."""
    return Place(me.actor, me.instance, "main", AT)


def claimed(me: Identity) -> Pending:
    """Return the first claim of a scope, as it would be created."""
    event = Event(1, "11" * 8, None, "claim", "task:1", me.actor, me.instance, AT,
                  State(1, (place(me),)))  # fmt: skip
    return Pending(keys.event(keys.claim("task:1"), 1), eventjson.encode(event), None, ())


def letter() -> Pending:
    """Return the beginning of a message of ann's to bob."""
    bob = Party("bob", "i-bob", clone=None)
    made = Message(
        "ab" * 8, "help", Party("ann", "i-ann", "main", "pinned"), bob, None, None, "look", AT
    )
    return Pending(f"{keys.letters('i-ann')}/{made.id}", letters._encode([made]), None, ())


def left(repo: Repo, *wanted: Pending) -> None:
    """Have a clone wait with these records of ann's."""
    for one in wanted:
        outbox.add(
            str(repo.common()), one, board="e1", me=ANN, words="claim task:1", sent=True
        )  # fmt: skip


def board_at(url: str) -> Cluster:
    """Return a fresh board of the epoch that the records are for."""
    made = Cluster(address.parsed(url))
    made.create(about.KEY, about.encode(about.About("e1", ())))
    return made


def settled(repo: Repo, url: str, *before: str) -> subprocess.CompletedProcess[str]:
    """Settle in a process of its own, started by `before`."""
    argv = [*before, sys.executable, "-c", SETTLE, url]
    env = dict(repo.env)
    return subprocess.run(argv, cwd=repo.path, env=env, capture_output=True, text=True, check=False)


def stands(store: Cluster) -> dict[str, object]:
    """Return who stands in the line, how many events there are, and what was sent and told."""
    return {
        "line": [one.actor for one in claims.state(store, "task:1").line],
        "letters": len(list(store.list("letters"))),
        "messages": len(list(store.list("messages"))),
        "told": len(list(store.list(keys.notices("i-ann")))),
    }


def killed_points(repo: Repo, url: str) -> Sequence[tuple[str, int]]:
    """Return each call of a settlement that changes something: name and number."""
    log = repo.path.parent / "strace.log"
    done = settled(repo, url, "strace", "-f", "-qq", "-o", str(log), "-e", f"trace={CALLS}")
    assert done.returncode == 0, done.stderr
    lines = [line.split(None, 1)[1] for line in log.read_text(errors="replace").splitlines()]
    names = [line.partition("(")[0] for line in lines if "(" in line]
    return [(name, names[: at + 1].count(name)) for at, name in enumerate(names)]


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
@pytest.mark.parametrize("first", [None, BOB])
def test_killed_at_any_call_the_next_settlement_goes_on_and_nothing_is_published_twice(
    repo: Repo, etcd: str, first: Identity | None
) -> None:
    """Where another was first, ann comes to stand behind it once."""
    wanted = {
        "line": ["bob", "ann"] if first else ["ann"],
        "letters": 0, "messages": 1, "told": 2,
    }  # fmt: skip

    def scene() -> tuple[str, Cluster]:
        url = f"{etcd}/{os.urandom(6).hex()}"
        store = board_at(url)
        if first:
            claims.change(
                store, "task:1", first,
                lambda state: events.joined(state, place(first), lambda _: False),
            )  # fmt: skip
        left(repo, claimed(ANN), letter())
        return url, store

    url, store = scene()
    points = killed_points(repo, url)
    assert stands(store) == wanted
    assert len(points) > 5
    for name, number in points:
        url, store = scene()
        inject = f"inject={name}:signal=KILL:when={number}"
        assert settled(repo, url, "strace", "-f", "-qq", "-o", os.devnull, "-e", inject).returncode
        assert settled(repo, url).returncode == 0
        assert stands(store) == wanted, (name, number)
        assert outbox.names(str(repo.common())) == []


def test_of_many_who_settle_at_once_each_record_is_published_once(repo: Repo, etcd: str) -> None:
    """They take turns, and whoever comes late finds nothing."""
    url = f"{etcd}/{os.urandom(6).hex()}"
    store = board_at(url)
    left(repo, claimed(ANN), letter())
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: settled(repo, url), range(4)))

    assert [one.returncode for one in done] == [0] * 4
    assert sum(one.stdout.count("unpublished") for one in done) == 2
    assert stands(store) == {"line": ["ann"], "letters": 0, "messages": 1, "told": 2}


def test_killed_at_any_call_a_record_is_written_down_whole_or_not_at_all(repo: Repo) -> None:
    """No half of one is ever published."""
    imports = """
from coord.stores import outbox
from coord.stores.store import Pending
from coord.identity.whoami import Identity
"""
    body = (
        "outbox.add(sys.argv[1], Pending('claims/s-x/00000001', b'whole' * 500, None, ()), "
        "board='e1', me=Identity('a', 'i', 'pinned', None), words='claim x', sent=False)"
    )
    common = str(repo.common())
    counts = []
    for _ in killed_at_every_call(imports, body, [common], repo.path, repo.env):
        found = list(outbox.every(common))
        assert all(one.pending.value == b"whole" * 500 for one in found)
        assert len(found) == len(outbox.names(common))
        counts.append(len(found))
    assert counts[0] == 0
    assert len(list(outbox.every(common))) > counts[-1] >= 1


@pytest.mark.parametrize(
    "change",
    [b"{", b"[]", b'{"schema": 1}', b"\xff", b'"key": "claims/../x/1"', b'"key": "actors/i-ann"'],
)
def test_a_file_that_is_none_of_ours_is_published_by_nobody(repo: Repo, change: bytes) -> None:
    """Whoever may write here could have any record published in another's name otherwise."""
    left(repo, claimed(ANN))
    common = str(repo.common())
    path = os.path.join(outbox.folder(common), outbox.names(common)[0])
    with open(path, "rb") as file:
        text = file.read()
    key = b'"key": "%s"' % claimed(ANN).key.encode()
    assert key in text
    with open(path, "wb") as file:
        file.write(text.replace(key, change) if change.startswith(b'"key"') else change)

    assert list(outbox.every(common)) == []
    assert len(outbox.names(common)) == 1
