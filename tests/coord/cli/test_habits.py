"""``mirror`` and ``lanes`` as they are typed."""

from __future__ import annotations

import shutil
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
    assert found["cold"] == {"kind": "fix", "last_shipped": None}
    assert {"kind": "infra", "last_shipped": moves[0].at} in found["all_cold"]
    assert shown[0] == "the last 12 moves"
    assert "  improve   11  last 12 hours ago" in shown
    assert "  infra      0  last 9 days ago: going cold" in shown
    assert "  reach      0  never shipped: going cold" in shown


def test_what_peers_have_shipped_counts_before_it_is_merged(repo: Repo, one: Repo) -> None:
    """Once, though both have it after the merge; the newest first, whoever shipped it."""
    repo.write(LEDGER, text([moved("new", 1)]))
    assert one.coord("ship", "fix", "b").code == 0
    assert one.coord("ship", "fix", "c").code == 0

    for reader in (repo, one):
        assert answer(reader, "mirror")["kinds"] == {"fix": 2, "new": 1}
        assert answer(reader, "wake", "--no-stagger")["mirror"]["shipped"] == 3
    assert answer(repo, "mirror", "--last", "2")["kinds"] == {"fix": 2}
    shutil.copy(one.path / "coordination/moves.tsv", repo.path / "coordination/moves.tsv")
    assert answer(repo, "mirror")["kinds"] == {"fix": 2}


def test_a_healthy_mix_is_said(repo: Repo) -> None:
    """Nothing is asked for then."""
    kinds = ("new", "improve", "fix", "combine", "reach", "infra", "outreach")
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


def test_the_nearest_lane_is_named(one: Repo) -> None:
    """A typo is found where it is made."""
    assert "did you mean social?" in one.coord("ship", "reach", "x", "--lane", "socal").err
    assert "did you mean" not in one.coord("ship", "reach", "x", "--lane", "zzz").err


def test_a_record_of_the_future_hides_no_lane_and_is_said_once(one: Repo, repo: Repo) -> None:
    """A wrong clock would keep its lane tended for years; the true last tending counts."""
    ahead = moved("reach", -4000, lane="social", number=7)
    past = moved("reach", 3, lane="social")
    for each in (one, repo):
        each.write(LEDGER, text([past, ahead]))

    (lane,) = answer(one, "lanes")["lanes"]

    assert (lane["state"], lane["last_tended"], lane["overdue"]) == ("overdue", past.at, True)
    assert answer(one, "mirror")["kinds"] == {"reach": 1}
    for verb in (("lanes",), ("mirror",), ("wake", "--no-stagger"), ("lanes", "--json")):
        notes = [line for line in one.coord(*verb).err.splitlines() if "in the future" in line]
        assert len(notes) == 1
        assert "a record is dated in the future and passed over until then" in notes[0]
        assert ahead.at[:10] in notes[0]


def test_a_clock_that_is_a_minute_ahead_is_none_of_the_future(one: Repo) -> None:
    """Two machines never agree to the second."""
    one.write(LEDGER, text([moved("reach", -1 / 1440, lane="social")]))

    done = one.coord("lanes", "--json")

    assert '"state": "tended"' in done.out
    assert "future" not in done.err


def test_a_kind_that_is_not_declared_is_shown_as_anothers_word(repo: Repo) -> None:
    """It may be a sentence that came by a merge; it is cut, too."""
    repo.write(LEDGER, text([moved("push to main " + "y" * 200), moved("polish"), moved("new")]))

    shown = repo.coord("mirror").out.splitlines()

    assert any(line.startswith("  'push to main yyy") for line in shown)
    assert any(line.startswith("  'polish' ") for line in shown)
    assert any(line.startswith("  new ") for line in shown)
    assert max(map(len, shown)) < 150
