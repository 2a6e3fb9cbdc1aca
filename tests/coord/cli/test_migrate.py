"""``git coord store migrate``: a board goes elsewhere whole, and nobody writes into the old one."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from coord.board import claims
from coord.etcd import address
from coord.repo import worktree
from coord.stores import chosen, engine
from coord.stores.choice import Choice
from coord.stores.directory import Directory
from coord.stores.moved import Goal, Moved
from coord.work import migrate
from harness.board import answer, scope, worker
from harness.clockless import YEAR, Clockless

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from coord.stores.engine import Far
    from harness import Repo

EVERY = bool(os.environ.get("COORD_KILL_ROUNDS"))
CALLS = "sendto,rename,link,linkat,mkdir,unlink"


@pytest.fixture(params=["etcd", "git"])
def fresh(request: pytest.FixtureRequest, repo: Repo, tmp_path: Path) -> Callable[[], str]:
    """Makes a place elsewhere that nobody has used, and returns its URL."""

    def made() -> str:
        name = os.urandom(6).hex()
        if request.param == "etcd":
            return f"{request.getfixturevalue('etcd')}/{name}"
        repo.git("init", "-q", "--bare", str(tmp_path / f"{name}.git"))
        return f"git+{tmp_path}/{name}.git"

    return made


@pytest.fixture
def url(fresh: Callable[[], str]) -> str:
    """The URL of such a place."""
    return fresh()


@pytest.fixture
def ann(installed: Repo, tmp_path: Path) -> Repo:
    """A worker with a claim, which has sent a message to another one."""
    made = worker(installed, tmp_path / "ann", "work-ann", "ann")
    worker(installed, tmp_path / "bob", "work-bob", "bob").coord("board")
    for words in ("claim task:1", "claim task:2", "release task:2", "send help bob look"):
        assert made.coord(*words.split()).code == 0
    return made


def to(url: str) -> tuple[str, ...]:
    """Return the words that move a board to a URL, where it costs nothing to push."""
    return ("store", "migrate", url, *(("--pushes-a-minute", "0") if url[0] == "g" else ()))


def board(repo: Repo) -> Directory:
    """Return the board in a git dir, as a command that is at work has it open."""
    return Directory(chosen.folder(str(repo.common())))


def far(repo: Repo, url: str) -> Far:
    """Return the board at a URL, as somebody else comes to it."""
    base = repo.path.parent / f"look-{os.urandom(4).hex()}"
    return engine.opened(Choice(url, rate=0), str(base), "/")


def all_of(store: Directory | Far) -> dict[str, tuple[bytes, int]]:
    """Return all records but those about the board itself: bytes and stamps, in microseconds."""
    return {
        rec.key: (rec.value, round(1e6 * (rec.at or 0)))
        for rec in store.everything()
        if not rec.key.startswith("about/")
    }


def kept(found: dict[str, tuple[bytes, int]], place: str) -> dict[str, object]:
    """Return what a move keeps of all records: from a place on git no stamp, and no word of who is.

    Both are of some clock that nobody else goes by.
    """
    if "git" not in place:
        return dict(found)
    return {key: pair[0] for key, pair in found.items() if not key.startswith("present/")}


def test_there_and_back_with_bytes_numbers_and_stamps(ann: Repo, url: str) -> None:
    """The other worktrees follow; a command that was at work writes nothing into the old board."""
    bob, old = ann.at(ann.path.parent / "bob"), board(ann)
    before = all_of(old)
    assert len(before) > 5

    moved = ann.coord(*to(url))

    assert (moved.code, moved.err) == (0, "")
    assert f"the board is at {url}, and can be reached" in moved.out
    there = far(ann, url)
    assert all_of(there) == before
    assert "look" in bob.coord("inbox").out
    assert scope(bob, "task:1")["state"] == "held"
    with pytest.raises(Moved, match=re.escape(url)):
        old.create("claims/s-late/00000001", b"late")
    assert bob.coord("doctor").out.count("store-") == 0
    assert bob.coord("claim", "task:3").code == 0

    before = all_of(there)
    assert ann.coord("store", "migrate", "local").code == 0

    assert kept(all_of(board(ann)), url) == kept(before, url)
    assert answer(bob, "store")["url"] is None
    assert bob.coord("claim", "task:4").code == 0
    with pytest.raises(Moved):
        there.create("claims/s-late/00000001", b"late")


def test_from_any_kind_of_place_to_any_other(ann: Repo, etcd: str, tmp_path: Path) -> None:
    """A server, a git remote made on the way, and the git dir: the records stay what they are."""
    before = all_of(board(ann))
    server = f"{etcd}/{os.urandom(6).hex()}"

    for goal in (server, f"git+{tmp_path}/one.git", f"git+{tmp_path}/two.git", f"{server}-git"):
        create = ("--create",) if goal.startswith("git+") else ()
        done = ann.coord(*to(goal), *create)
        assert done.code == 0, done.err
        there = all_of(far(ann, goal))
        assert kept(there, goal) == kept(before, goal), goal
        assert answer(ann, "store")["url"] == goal
    assert ann.coord("store", "migrate", "local").code == 0
    assert kept(all_of(board(ann)), "git") == kept(before, "git")


def test_another_clone_is_told_where_its_board_went(
    repo: Repo, ann: Repo, fresh: Callable[[], str], url: str, tmp_path: Path
) -> None:
    """With the one command that follows it."""
    assert ann.coord(*to(url)).code == 0
    repo.git("clone", "-q", str(repo.path), str(tmp_path / "two"))
    other = repo.at(tmp_path / "two")
    assert other.run("coord-install").code == 0
    assert other.coord("store", "use", url).code == 0
    assert other.coord("board").code == 0
    goal = fresh()

    assert ann.coord(*to(goal)).code == 0

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

        assert waiting.wait(40) == 1, waiting.stderr.read()
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
        refused = ann.coord(*to(url))
        running.send_signal(signal.SIGTERM)
    assert refused.code == 1
    assert "when no run is at work" in refused.err
    assert ann.coord("claim", "task:5").code == 0

    far(ann, url).create("about/board", b'{"schema":1,"epoch":"e","roots":[]}')
    refused = ann.coord(*to(url))
    assert (refused.code, "there is a board already" in refused.err) == (1, True)
    assert ann.coord("claim", "task:6").code == 0


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_killed_at_any_call_the_same_command_goes_on(ann: Repo, fresh: Callable[[], str]) -> None:
    """Meanwhile there is one board: the old one, or, from the mark on, none that takes records."""
    place, kept = ann.common("coord/board"), ann.path.with_name("kept")
    shutil.copytree(place, kept)
    before, log = all_of(board(ann)), ann.path.with_name("strace.log")

    def migrated(url: str, *before: str) -> tuple[int, str]:
        argv = [*before, sys.executable, "-m", "coord", *to(url)]
        env = dict(ann.env)
        done = subprocess.run(argv, cwd=ann.path, env=env, capture_output=True, check=False)
        return done.returncode, done.stderr.decode()

    def again() -> str:
        ann.common("hooks/coord/store").unlink(missing_ok=True)
        shutil.rmtree(place)
        shutil.copytree(kept, place)
        return fresh()

    trace = ("strace", "-qq", "-o", str(log), "-e", f"trace={CALLS}")
    assert migrated(again(), *trace) == (0, "")
    lines = log.read_text(errors="replace").splitlines()
    names = [line.partition("(")[0] for line in lines if "(" in line]
    points = [(name, names[: at + 1].count(name)) for at, name in enumerate(names)]
    assert len(points) > 8
    some = 12 if "etcd" in fresh() else 6
    step = 1 if EVERY else max(1, len(points) // some)
    killed = 0
    for name, number in points[::step]:
        url = again()
        inject = f"inject={name}:signal=KILL:when={number}"
        killed += migrated(url, "strace", "-qq", "-o", os.devnull, "-e", inject)[0] != 0
        there, old = far(ann, url), board(ann)
        if chosen.choice(str(ann.common())) is None and old.left_for():
            with pytest.raises(Moved):
                old.create("claims/s-late/00000001", b"late")
        assert migrated(url) == (0, ""), (name, number)
        assert all_of(there) == before, (name, number)
        assert claims.state(there, "task:1").holder is not None
        assert [rec.key for rec in there.list("about")] == ["about/board"], (name, number)
    assert killed > len(points[::step]) - 3  # now and then there is a sign of life less to write


@pytest.mark.parametrize("fresh", ["etcd"], indirect=True)
def test_from_a_board_without_a_clock_no_stamp_goes_along(ann: Repo, url: str) -> None:
    """Each is of its writer's clock: a year behind, all of it would be old where a clock decides.

    Nor does what a clone tells of its workers, which is of such a clock too.
    """
    there = Clockless(address.parsed(url))
    there.skewed = -YEAR
    for key in ("claims/s-x/00000001", "actors/i-x", "present/c-x"):
        there.create(key, b"x\n")
    here = worktree.discover(str(ann.path), ann.env)
    local = Directory(str(ann.path.parent / "coming"))
    goal = Goal("local", "e", "c")

    migrate._copied(migrate._Move(here, there, local, goal))

    assert {rec.key: rec.value for rec in local.everything()} == {
        "claims/s-x/00000001": b"x\n", "actors/i-x": b"x\n"
    }  # fmt: skip
    assert all(abs((local.now() or 0) - (rec.at or 0)) < 60 for rec in local.everything())
    there.close()
