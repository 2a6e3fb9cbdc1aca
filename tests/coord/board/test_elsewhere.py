"""Workers of another clone, as their records lie on the board: nothing is looked for here.

Names of workers, branches, worktrees and hosts are the same everywhere, and cloned machines have
one boot id. So whoever is not of this clone is present by a sign on the board, or unknown.
"""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from coord.board import claims, events
from coord.board.events import Place
from coord.identity.pin import now
from coord.identity.whoami import Identity
from coord.liveness import process
from coord.stores import keys
from coord.stores.directory import Directory
from harness.board import actor, answer, scope

if TYPE_CHECKING:
    from pathlib import Path

    from harness.repo import Repo

FAR = "f" * 32
HOURS = 7200
ME = Identity("far", "i-far", "pinned", 2)


class Far:
    """A worker of another clone, of which this one has the records alone."""

    def __init__(self, repo: Repo, clone: str) -> None:
        self.repo = repo
        self.clone = clone
        self.root = repo.common("coord/board")
        self.store = Directory(str(self.root))

    def enrol(self, age: float) -> None:
        """Come to the board `age` seconds ago, from a worktree whose name is not to be found."""
        words = {"actor": "far", "instance": "i-far", "home": "worktrees/far", "created": now()}
        document = {"schema": 1, **words, "host": os.uname().nodename}
        if self.clone:
            document["clone"] = self.clone
        key = keys.actor("i-far")
        self.store.create(key, json.dumps(document).encode())
        at = (self.store.now() or 0) - age
        os.utime(self.root / key, (at, at))

    def claim(self, name: str, branch: str = "far", *, run: bool = False) -> None:
        """Take a place; its process was one of a machine like this one, and is over here."""
        over = subprocess.Popen(["true"])
        known = process.of(over.pid)
        over.wait()
        nonce = "0" * 32 if run else None
        mine = Place(
            "far", "i-far", branch, now(), process=known, run=run, nonce=nonce,
            clone=self.clone or None, command=known if run else None,
        )  # fmt: skip
        take = events.queued if run else events.joined
        claims.change(
            self.store, f"task:{name}", ME, lambda state: take(state, mine, lambda _: False)
        )


@pytest.fixture
def near(installed: Repo, tmp_path: Path) -> Repo:
    """A worker of this clone, which has its id."""
    one = installed.worktree(tmp_path / "near", "near")
    assert one.coord("claim", "own").code == 0
    return one


@pytest.mark.parametrize(
    ("clone", "word"), [(FAR, "unknown"), ("", "gone")], ids=["elsewhere", "before"]
)
def test_who_is_not_to_be_found_is_gone_only_in_this_clone(
    near: Repo, clone: str, word: str
) -> None:
    """A record of a version before is read as it was then: of this clone."""
    far = Far(near, clone)
    far.enrol(HOURS)
    far.claim("db")

    listed, row = actor(near, "far"), scope(near, "task:db")
    taken = near.coord("take-over", "db", "--gone")

    assert (listed["liveness"], row["liveness"]) == (word, word)
    assert (row["gone"], row["dead"]) == ((word == "gone"),) * 2
    assert row["claimants"][0]["state"] == "held"
    assert listed["clone"] == (clone or None)
    assert (taken.code == 0) == (word == "gone")


def test_a_worker_of_another_clone_is_told_of_and_can_be_taken_from_by_decision(
    near: Repo,
) -> None:
    """Where it was recorded is said; no command that is printed calls it gone or ended."""
    far = Far(near, FAR)
    far.enrol(HOURS)
    far.claim("db")

    said = [near.coord(*verb) for verb in (("board",), ("wake",), ("claim", "db"))]
    sent = near.coord("send", "help", "far", "there?")
    taken = near.coord("take-over", "db", "--reason", "it is silent")

    texts = [done.out + done.err for done in said]
    assert f"recorded in another clone, on {os.uname().nodename}" in texts[0]
    assert "your decision: git coord take-over task:db --generation 1 --reason" in texts[2]
    assert not [text for text in texts if "--gone" in text or "ended" in text]
    assert (sent.code, taken.code) == (0, 0), sent.err + taken.err
    assert len(list(far.root.glob("messages/*far/*"))) == 1


def test_a_sign_on_the_board_makes_it_present(near: Repo) -> None:
    """As it does for whoever is here: a take-over is refused."""
    far = Far(near, FAR)
    far.enrol(60)
    far.claim("db")

    assert actor(near, "far")["liveness"] == "present"
    assert near.coord("take-over", "db", "--reason", "x").refusal.rule == "holder-present"


@pytest.mark.parametrize("run", [False, True], ids=["claim", "run"])
def test_a_line_passes_nobody_of_another_clone_over(
    near: Repo, installed: Repo, tmp_path: Path, *, run: bool
) -> None:
    """Its process has ended here, its worktree is not here, a lock of its is nowhere."""
    other = installed.worktree(tmp_path / "other", "other")
    near.coord("claim", "db")
    far = Far(near, FAR)
    far.enrol(HOURS)
    far.claim("db", run=run)
    other.coord("claim", "db")

    before = [one["state"] for one in scope(near, "task:db")["claimants"]]
    near.coord("release", "db")
    line = answer(near, "log", "db")["events"][-1]

    assert before == ["held", "waiting", "waiting"]
    assert "passed_over" not in line
    assert {one["instance"] for one in line["line"]} == {
        "i-far", answer(other, "whoami")["instance"]
    }  # fmt: skip


def test_a_branch_of_the_same_name_is_another_branch(near: Repo, installed: Repo) -> None:
    """That ours has landed, or is not there, says nothing of the other clone's."""
    far = Far(near, FAR)
    far.enrol(HOURS)
    far.claim("db", "near")
    far.claim("api", "other-clones")
    near.commit("work")
    near.coord("finish")
    installed.git("merge", "-q", "near")

    order = installed.coord("merge-order", "--onto", "main")
    installed.coord("--as", "me", "release", "--landed", "--onto", "main")

    assert "not here: its worker is in another clone" in order.out
    assert scope(near, "task:db")["holder"]["actor"] == "far"
    assert scope(near, "task:own")["state"] == "free"


def test_an_uninstall_is_refused_for_what_is_claimed_here(near: Repo, installed: Repo) -> None:
    """Whoever is in another clone does not lose what is theirs by it."""
    far = Far(near, FAR)
    far.enrol(HOURS)
    far.claim("db")

    refused = installed.started("coord-install", "--uninstall")
    near.coord("release", "own")
    done = installed.started("coord-install", "--uninstall")

    assert refused.refusal.rule == "claims-live"
    assert "task:own is held" in refused.err
    assert done.code == 0, done.err
