"""Workers on two hosts, in clones that share a board: who is there, and what nobody may say."""

from __future__ import annotations

import os
import shutil
import signal
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from harness import hosts
from harness.board import actor, answer, eventually, scope

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo
    from harness.hosts import Hosted

FORTY = 2400.0


@pytest.fixture
def url(etcd: str) -> str:
    """A prefix that nobody has used."""
    return f"{etcd}/{os.urandom(6).hex()}"


@pytest.fixture
def ann(repo: Repo, tmp_path: Path, url: str) -> Hosted:
    """A worker on one machine."""
    return hosts.on(repo, tmp_path / "a" / "one", "one", url, "ann")


@pytest.fixture
def bob(repo: Repo, tmp_path: Path, url: str) -> Hosted:
    """A worker on another machine."""
    return hosts.on(repo, tmp_path / "b" / "one", "two", url, "bob")


def test_a_worker_of_another_host_is_there_and_is_not_dispossessed(
    ann: Hosted, bob: Hosted, url: str
) -> None:
    """Its record makes it present; without a new one it is unknown, since when and where."""
    assert bob.coord("claim", "db").code == 0

    there, shown = actor(ann, "bob"), ann.coord("board").out
    refused = ann.coord("take-over", "db", "--reason", "I want it")

    assert (there["liveness"], there["host"], there["branch"]) == ("present", "two", "work-bob")
    assert there["worktree"] is None
    assert "bob on work-bob at two" in shown
    assert next(one for one in shown.split("\n") if one.startswith("  bob ")).endswith("on two")
    assert refused.refusal.rule == "holder-present"
    assert "bob (work-bob) at two, who is present" in refused.err

    for words in (("wake", "--no-stagger"), ("show", "bob"), ("send", "help", "bob", "?")):
        done = ann.coord(*words)
        assert "on two" in done.out + done.err, words

    hosts.aged(url, FORTY)
    there, row = actor(ann, "bob"), scope(ann, "task:db")
    asked, gone = ann.coord("claim", "db"), ann.coord("take-over", "db", "--gone")

    assert (there["liveness"], row["dead"], row["gone"]) == ("unknown", False, False)
    assert there["why"] == "recorded in another clone, on two"
    assert "unknown, silent since" in asked.out + asked.err
    assert "(40 minutes)" in asked.out + asked.err
    assert "to take it is your decision: git coord take-over task:db" in asked.out + asked.err
    assert gone.refusal.rule == "holder-not-gone"

    for _ in range(2):  # one that only looks says that it is here, once its copy has aged too
        assert bob.coord("board").code == 0
    assert actor(ann, "bob")["liveness"] == "present"
    again = ann.coord("take-over", "db", "--reason", "I want it")
    assert again.refusal.rule == "holder-present"
    by_force = ann.coord("take-over", "db", "--reason", "I want it", "--from-present")
    assert by_force.code == 0, by_force.err
    assert scope(bob, "task:db")["holder"]["actor"] == "ann"


def test_names_that_are_equal_everywhere_decide_nothing(
    repo: Repo, tmp_path: Path, url: str
) -> None:
    """One host name, one actor name, both in the main worktree, whose branch is called main."""
    mine = hosts.clone(repo, tmp_path / "a" / "repo", "box", url)
    theirs = hosts.clone(repo, tmp_path / "b" / "repo", "box", url)
    for one in (mine, theirs):
        assert one.coord("--as", "ann", "pin", "--self").code == 0
    assert theirs.coord("claim", "db").code == 0

    board = mine.coord("board").out
    held = mine.coord("claim", "db")
    taken = mine.coord("take-over", "db", "--reason", "x")

    instances = {one["instance"] for one in answer(mine, "board")["actors"]}
    assert len(instances) == 2
    assert "in another clone, on box" in board
    assert "task:db  ann on main in another clone for" in board
    assert "held by ann (main) in another clone; you are number 2" in held.out
    assert taken.refusal.rule == "holder-present"
    assert mine.coord("sign-off").code == 0
    assert scope(theirs, "task:db")["holder"]["instance"] == answer(theirs, "whoami")["instance"]


def test_a_copy_of_a_clone_tells_nothing_and_takes_nothing(
    ann: Hosted, bob: Hosted, tmp_path: Path, url: str
) -> None:
    """It has the id of its original, whose workers are none of it, and the board's address."""
    assert bob.coord("claim", "db").code == 0
    shutil.copytree(tmp_path / "b", tmp_path / "c", symlinks=True)
    copy = replace(ann, path=tmp_path / "c" / "one", host="three")
    before = hosts.told(url)

    listed = actor(copy, "bob")
    refused = copy.coord("--as", "bob", "release", "db")

    assert (listed["liveness"], listed["worktree"]) == ("present", None)
    assert refused.refusal.rule == "clone-copied"
    assert hosts.told(url) == before
    assert actor(ann, "bob")["host"] == "two"


# What the hooks of a commit do.
_COMMITTING = 'while sleep 1; do touch "$(git rev-parse --git-dir)/coord-seen"; done'
LASTING = {
    "run": ("run", "api", "--", "sleep", "30"),
    "wait": ("wait", "db", "--timeout", "30s"),
    "session": ("session", "--", "sh", "-c", _COMMITTING),
}


@pytest.mark.parametrize("verb", LASTING)
def test_what_lasts_says_all_the_while_that_its_worker_is_here(
    ann: Hosted, bob: Hosted, url: str, verb: str
) -> None:
    """It gives no other command meanwhile, and whoever reads of it has no other way to know."""
    bob.write(".coord.toml", '[presence]\nexpires = "6s"\n')
    assert ann.coord("claim", "db").code == 0
    instance = answer(bob, "whoami")["instance"]
    lasting = bob.begun("git", "coord", *LASTING[verb])

    def stamps() -> set[float]:
        return {told.signs[instance].seen for _, told in hosts.told(url) if instance in told.signs}

    try:
        assert eventually(stamps)
        first = max(stamps())
        assert eventually(lambda: max(stamps()) > first + 3)
    finally:
        os.killpg(lasting.pid, signal.SIGKILL)
        lasting.wait()


@pytest.fixture
def origin(repo: Repo, tmp_path: Path) -> Path:
    """A bare repository that all clones push to."""
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "origin.git"))
    return tmp_path / "origin.git"


def _shared(worker: Hosted, origin: Path) -> None:
    worker.git("remote", "set-url", "origin", str(origin))


def _grown(worker: Hosted, name: str, artifacts: int, *, finished: bool) -> str:
    """Make a branch with a commit, and claims of some artifacts, and maybe finish it."""
    worker.git("switch", "-q", "-c", name, "main")
    for number in range(artifacts):
        worker.write(f"{name}-{number}", f"{name}\n")
    worker.git("add", ".")
    worker.git("commit", "-q", "-m", name)
    paths = [f"artifact:{name}-{number}" for number in range(artifacts)]
    assert worker.coord("claim", *paths).code == 0
    if finished:
        assert worker.coord("finish").code == 0
    return worker.git("rev-parse", "HEAD")


def _order(worker: Hosted) -> list[tuple[str, str, str | None]]:
    found = answer(worker, "merge-order", "--onto", "origin/main")["order"]
    return [(one["branch"], one["state"], one["tip"]) for one in found]


@pytest.mark.parametrize("each", [2, pytest.param(6, marks=pytest.mark.slow)])
def test_branches_of_two_hosts_have_one_order_on_both(
    ann: Hosted, bob: Hosted, origin: Path, each: int
) -> None:
    """What was pushed and fetched is what its own host has, and a rehearsal merges that."""
    for worker, letter in ((ann, "a"), (bob, "b")):
        _shared(worker, origin)
        for number in range(each):
            _grown(worker, f"{letter}{number}", (number * 5) % 3 + 1, finished=number % 2 == 0)
        worker.git("push", "-q", "origin", *(f"{letter}{number}" for number in range(each)))
    for worker in (ann, bob):
        worker.git("fetch", "-q", "origin")

    found = _order(ann)
    rehearsed = ann.coord("merge-order", "--onto", "origin/main", "--rehearse")

    assert found == _order(bob)
    assert len(found) == 2 * each
    assert [state for _, state, _ in found] == sorted(state for _, state, _ in found)
    assert rehearsed.code == 0, rehearsed.out
    assert "origin/b0" in rehearsed.out


def test_a_branch_that_was_not_fetched_is_on_the_other_host_and_not_deleted(
    ann: Hosted, bob: Hosted, origin: Path
) -> None:
    """Nor is a branch of its name here that branch; once it has landed, its claims are settled."""
    for worker in (ann, bob):
        _shared(worker, origin)
    ann.git("branch", "-q", "fix", "main")  # another one
    tip = _grown(bob, "fix", 1, finished=True)

    before = ann.coord("merge-order", "--onto", "origin/main")
    rehearsed = ann.coord("merge-order", "--onto", "origin/main", "--rehearse")

    assert "not here: its worker is on two; git fetch brings what was pushed of it" in before.out
    assert "deleted" not in before.out + rehearsed.out
    assert _order(ann) == [("fix", "finished", None)]

    bob.git("push", "-q", "origin", "fix")
    ann.git("fetch", "-q", "origin")
    entry = answer(ann, "merge-order", "--onto", "origin/main")["order"][0]
    assert (entry["tip"], entry["ref"], entry["elsewhere"]) == (tip, "origin/fix", "on two")
    assert "origin/fix here" in ann.coord("merge-order", "--onto", "origin/main").out

    bob.git("reset", "-q", "--hard", "main")  # given up, for now
    bob.git("push", "-q", "--force", "origin", "fix")
    ann.git("fetch", "-q", "origin")
    assert [one[:2] for one in _order(ann)] == [one[:2] for one in _order(bob)]
    assert ann.coord("release", "--landed", "--onto", "origin/main").code == 0
    assert scope(bob, "artifact:fix-0")["state"] == "held"

    bob.git("push", "-q", "origin", "--delete", "fix")
    ann.git("fetch", "-q", "--prune", "origin")
    assert _order(ann) == [("fix", "finished", tip)]  # its commit is here, whatever it is called
    last = ann.coord("merge-order", "--onto", "origin/main", "--rehearse").out
    assert f"git merge --no-edit {tip[:12]}" in last

    bob.git("push", "-q", "origin", f"{tip}:main")
    ann.git("fetch", "-q", "origin")
    settled = ann.coord("release", "--landed", "--onto", "origin/main")
    assert settled.code == 0, settled.err
    assert scope(bob, "artifact:fix-0")["state"] == "free"


def test_files_that_branches_of_two_hosts_change_are_told_on_both(
    ann: Hosted, bob: Hosted, origin: Path
) -> None:
    """By what was fetched of the other's."""
    for worker, name in ((ann, "mine"), (bob, "yours")):
        _shared(worker, origin)
        worker.git("switch", "-q", "-c", name, "main")
        worker.commit(name, {"README": f"{name}\n"})
        assert worker.coord("claim", f"artifact:{name}").code == 0
        worker.git("push", "-q", "origin", name)
    for worker in (ann, bob):
        worker.git("fetch", "-q", "origin")

    met = [answer(worker, "overlap")["actual"] for worker in (ann, bob)]

    assert met[0] == met[1]
    assert [one["branches"] for one in met[0]] == [["mine", "yours"]]
