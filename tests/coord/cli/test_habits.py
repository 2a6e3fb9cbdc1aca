"""``mirror`` and ``lanes`` as they are typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.board import answer, worker
from harness.moves import LEDGER, moved, text

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

LANES = '[lane.social]\nevery = "1d"\nabout = "answer what \\u001b people asked"\n'


@pytest.fixture
def one(tmp_path: Path, repo: Repo) -> Repo:
    """A worker in a repository with a lane."""
    repo.commit("declare", {".coord.toml": LANES})
    return worker(repo, tmp_path / "one", "feat-one", "one-0001")


def test_the_mirror_of_nothing(repo: Repo) -> None:
    """No ledger is no fault."""
    assert answer(repo, "mirror") == {
        "schema": 1,
        "window": 12,
        "shipped": 0,
        "kinds": {},
        "cold": None,
        "all_cold": [],
    }
    assert repo.coord("mirror").out == "nothing shipped yet\n"
    assert not (repo.path / "coordination").exists()


def test_the_mirror_shows_counts_and_what_goes_cold(repo: Repo) -> None:
    """For how long, in words; the rest of the file is not looked at."""
    moves = [moved("infra", 9), *(moved("improve", 0.5),) * 11, moved("new", 0.1)]
    repo.write(LEDGER, text(moves))

    found = answer(repo, "mirror")
    shown = repo.coord("mirror").out.splitlines()

    assert found["kinds"] == {"improve": 11, "new": 1}
    assert found["cold"] == {"kind": "combine", "last_shipped": None}
    assert {"kind": "infra", "last_shipped": moves[0].at} in found["all_cold"]
    assert shown[0] == "the last 12 moves"
    assert "  improve   11  last 12 hours ago" in shown
    assert "  infra      0  last 9 days ago: going cold" in shown
    assert "  reach      0  never shipped: going cold" in shown


def test_a_healthy_mix_is_said(repo: Repo) -> None:
    """Nothing is asked for then."""
    kinds = ("new", "improve", "combine", "reach", "infra", "outreach")
    repo.write(LEDGER, text(map(moved, kinds)))

    assert answer(repo, "mirror")["cold"] is None
    assert "a healthy mix" in repo.coord("mirror").out
    assert "a healthy mix" not in repo.coord("mirror", "--last", "2").out


@pytest.mark.parametrize("window", ["0", "-1", "x", "1001"])
def test_a_window_is_a_number_of_moves(repo: Repo, window: str) -> None:
    """Exit 2."""
    done = repo.coord("mirror", "--last", window)

    assert done.code == 2
    assert repo.paste(done.refusal.run).code == 0


def test_what_strangers_wrote_into_the_ledger_is_escaped(repo: Repo) -> None:
    """A merged branch may hold anything."""
    repo.write(LEDGER, text([moved("improve")]).replace("improve", "\x1b]0;x\x07"))

    assert "\x1b" not in repo.coord("mirror").out
    assert "\\x1b]0;x" in repo.coord("mirror").out


def test_a_lane_is_overdue_until_somebody_claims_or_tends_it(repo: Repo, one: Repo) -> None:
    """At once, and in every worktree, though the ledger is not merged yet."""
    repo.git("checkout", "-q", "-b", "other")

    def state() -> str:
        (lane,) = answer(repo, "lanes")["lanes"]
        return str(lane["state"])

    assert state() == "overdue"
    answer(one, "claim", "lane:social")
    assert state() == "held"
    answer(one, "release", "lane:social")
    assert state() == "overdue"
    answer(one, "ship", "reach", "answered", "--lane", "social")
    assert state() == "tended"
    assert not (repo.path / LEDGER).exists()


def test_a_person_reads_what_is_due_and_who_has_it(repo: Repo, one: Repo) -> None:
    """What a lane is about stands behind a mark, escaped."""
    before = repo.coord("lanes").out
    answer(one, "claim", "lane:social")

    assert before == (
        "  social  overdue  not tended yet, due every 1d\n"
        "                   | answer what \\x1b people asked\n"
    )
    assert "social  held     claimed by one-0001 (feat-one)" in repo.coord("lanes").out


def test_a_repository_without_lanes_says_how_to_declare_one(repo: Repo) -> None:
    """On stderr; the answer is empty."""
    done = repo.coord("lanes")

    assert (done.code, done.out) == (0, "")
    assert "[lane.NAME]" in done.err


def test_a_peers_broken_ledger_says_nothing(repo: Repo, one: Repo) -> None:
    """The lane is overdue then; one's own is refused."""
    one.write(LEDGER, "no ledger\n")

    assert answer(repo, "lanes")["lanes"][0]["state"] == "overdue"
    assert one.coord("lanes").refusal.rule == "ledger-foreign"


def test_a_lane_that_is_not_declared_is_said(one: Repo) -> None:
    """A typo would leave the real one overdue."""
    done = one.coord("ship", "reach", "x", "--lane", "socal")

    assert done.code == 0
    assert "socal is no lane of .coord.toml: the lanes are social" in done.err
