"""``git coord store migrate``: a board goes elsewhere whole, and nobody writes into the old one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from coord.board import chosen, claims
from coord.board.cluster import Cluster
from coord.board.directory import Directory
from coord.board.moved import Moved
from coord.etcd import address
from harness.board import answer, scope, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

CALLS = "sendto,rename,link,linkat,mkdir,unlink"


@pytest.fixture
def url(etcd: str) -> str:
    """A prefix that nobody has used."""
    return f"{etcd}/{os.urandom(6).hex()}"


@pytest.fixture
def ann(installed: Repo, tmp_path: Path) -> Repo:
    """A worker with a claim, which has sent a message to another one."""
    made = worker(installed, tmp_path / "ann", "work-ann", "ann")
    worker(installed, tmp_path / "bob", "work-bob", "bob").coord("board")
    for words in ("claim task:1", "claim task:2", "release task:2", "send help bob look"):
        assert made.coord(*words.split()).code == 0
    return made


def board(repo: Repo) -> Directory:
    """Return the board in a git dir, as a command that is at work has it open."""
    return Directory(chosen.folder(str(repo.common())))


def all_of(store: Directory | Cluster) -> dict[str, tuple[bytes, int]]:
    """Return all records but those about the board itself: bytes and stamps, in microseconds."""
    return {
        rec.key: (rec.value, round(1e6 * (rec.at or 0)))
        for rec in store.everything()
        if not rec.key.startswith("about/")
    }


def test_there_and_back_with_bytes_numbers_and_stamps(ann: Repo, url: str) -> None:
    """The other worktrees follow; a command that was at work writes nothing into the old board."""
    bob, old = ann.at(ann.path.parent / "bob"), board(ann)
    before = all_of(old)
    assert len(before) > 5

    moved = ann.coord("store", "migrate", url)

    assert (moved.code, moved.err) == (0, "")
    assert f"the board is at {url}, and can be reached" in moved.out
    there = Cluster(address.parsed(url))
    assert all_of(there) == before
    assert "look" in bob.coord("inbox").out
    assert scope(bob, "task:1")["state"] == "held"
    with pytest.raises(Moved, match=url):
        old.create("claims/s-late/00000001", b"late")
    assert bob.coord("doctor").out.count("store-") == 0
    assert bob.coord("claim", "task:3").code == 0

    before = all_of(there)
    assert ann.coord("store", "migrate", "local").code == 0

    assert all_of(board(ann)) == before
    assert answer(bob, "store")["url"] is None
    assert bob.coord("claim", "task:4").code == 0
    with pytest.raises(Moved):
        there.create("claims/s-late/00000001", b"late")


def test_another_clone_is_told_where_its_board_went(
    repo: Repo, ann: Repo, etcd: str, url: str, tmp_path: Path
) -> None:
    """With the one command that follows it."""
    assert ann.coord("store", "migrate", url).code == 0
    repo.git("clone", "-q", str(repo.path), str(tmp_path / "two"))
    other = repo.at(tmp_path / "two")
    assert other.run("coord-install").code == 0
    assert other.coord("store", "use", url).code == 0
    assert other.coord("board").code == 0
    goal = f"{etcd}/{os.urandom(6).hex()}"

    assert ann.coord("store", "migrate", goal).code == 0

    refused = other.coord("board")
    assert refused.code == 3
    assert "store-moved: the board has moved" in refused.err
    assert f"run: git coord store use {goal}" in refused.err
    assert other.coord("store", "use", goal).code == 0
    assert "task:1" in other.coord("board").out


def test_who_waits_in_a_git_dir_goes_on_where_the_board_went(ann: Repo, url: str) -> None:
    """It has slept since before; nothing would ever come in the folder that it looks at."""
    bob = ann.at(ann.path.parent / "bob")
    with bob.begun("git", "coord", "wait", "task:1", "--timeout", "1m") as waiting:
        assert b"waiting for task:1: held by ann" in waiting.stderr.readline()

        assert ann.coord("store", "migrate", url).code == 0
        assert ann.coord("release", "task:1").code == 0

        assert waiting.wait(30) == 0, waiting.stderr.read()


def test_who_waits_on_a_server_is_told_that_the_board_has_moved(ann: Repo, url: str) -> None:
    """And by which command it goes on waiting there, with its place."""
    bob = ann.at(ann.path.parent / "bob")
    assert ann.coord("store", "migrate", url).code == 0
    assert bob.coord("claim", "task:1").code == 0
    with bob.begun("git", "coord", "wait", "task:1", "--timeout", "1m") as waiting:
        assert b"waiting for task:1: held by ann" in waiting.stderr.readline()

        assert ann.coord("store", "migrate", "local").code == 0

        assert waiting.wait(40) == 1
        said = waiting.stderr.read().decode()
    assert "store-moved" in said
    assert "run: git coord wait task:1" in said
    assert scope(bob, "task:1")["claimants"][1]["actor"] == "bob"


def test_what_would_be_torn_apart_is_not_moved(ann: Repo, url: str) -> None:
    """A run that could not say that it has ended; a board where there is one already."""
    argv = ["git", "coord", "run", "task:9", "--", "sleep", "60"]
    with subprocess.Popen(argv, cwd=ann.path, env=dict(ann.env)) as running:
        while "task:9" not in ann.coord("board").out:
            pass
        refused = ann.coord("store", "migrate", url)
        running.send_signal(signal.SIGTERM)
    assert refused.code == 1
    assert "when no run is at work" in refused.err
    assert ann.coord("claim", "task:5").code == 0

    Cluster(address.parsed(url)).create("about/board", b'{"schema":1,"epoch":"e","roots":[]}')
    refused = ann.coord("store", "migrate", url)
    assert (refused.code, "there is a board already" in refused.err) == (1, True)
    assert ann.coord("claim", "task:6").code == 0


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_killed_at_any_call_the_same_command_goes_on(ann: Repo, etcd: str) -> None:
    """Meanwhile there is one board: the old one, or, from the mark on, none that takes records."""
    place, kept = ann.common("coord/board"), ann.path.with_name("kept")
    shutil.copytree(place, kept)
    before, log = all_of(board(ann)), ann.path.with_name("strace.log")

    def migrated(url: str, *before: str) -> tuple[int, str]:
        argv = [*before, sys.executable, "-m", "coord", "store", "migrate", url]
        env = dict(ann.env)
        done = subprocess.run(argv, cwd=ann.path, env=env, capture_output=True, check=False)
        return done.returncode, done.stderr.decode()

    def again() -> str:
        ann.common("hooks/coord/store").unlink(missing_ok=True)
        shutil.rmtree(place)
        shutil.copytree(kept, place)
        return f"{etcd}/{os.urandom(6).hex()}"

    trace = ("strace", "-f", "-qq", "-o", str(log), "-e", f"trace={CALLS}")
    assert migrated(again(), *trace) == (0, "")
    lines = [line.split(None, 1)[1] for line in log.read_text(errors="replace").splitlines()]
    names = [line.partition("(")[0] for line in lines if "(" in line]
    points = [(name, names[: at + 1].count(name)) for at, name in enumerate(names)]
    assert len(points) > 8
    step = 1 if os.environ.get("COORD_KILL_ROUNDS") else max(1, len(points) // 12)
    killed = 0
    for name, number in points[::step]:
        url = again()
        inject = f"inject={name}:signal=KILL:when={number}"
        killed += migrated(url, "strace", "-f", "-qq", "-o", os.devnull, "-e", inject)[0] != 0
        there, old = Cluster(address.parsed(url)), board(ann)
        if chosen.choice(str(ann.common())) is None and old.left_for():
            with pytest.raises(Moved):
                old.create("claims/s-late/00000001", b"late")
        assert migrated(url) == (0, ""), (name, number)
        assert all_of(there) == before, (name, number)
        assert claims.state(there, "task:1").holder is not None
        assert [rec.key for rec in there.list("about")] == ["about/board"], (name, number)
    assert killed > len(points[::step]) - 3  # now and then there is a sign of life less to write
