"""``wake``: one screen, one suggestion, whatever is missing."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from coord.fleet.ledger import PutDown, header
from harness.board import actor, answer, silence, worker
from harness.moves import LEDGER, moved, text

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

LANES = "".join(f'[lane.{name}]\nevery = "1d"\n' for name in ("social", "docs", "care"))
PUT_DOWN = "coordination/put-down.tsv"


def test_one_document_for_a_harness(one: Repo, two: Repo) -> None:
    """With the keys of the reference, each as the verb of its own gives it."""
    answer(one, "claim", "parser", "docs")
    answer(two, "claim", "parser")
    answer(one, "ship", "new", "x")
    for number in range(8):
        answer(one, "put-down", f"t{number}", "--reason", "weak")

    found = answer(one, "wake", "--no-stagger")

    assert found["actor"] == "one-0001"
    assert {entry["actor"] for entry in found["actors"]} == {"one-0001", "two-0002"}
    assert found["claims"] == answer(one, "board")["claims"]
    assert found["contested"] == ["task:parser"]
    assert found["messages"] == []
    assert found["mirror"]["kinds"] == {"new": 1}
    assert [entry["scope"] for entry in found["put_downs"]] == [f"task:t{n}" for n in range(2, 8)]
    assert {"kind": "move", "name": "improve"}.items() <= found["suggestion"].items()
    assert set(found["suggestion"]) >= {"kind", "name", "reason"}


def test_one_screen_for_a_person(one: Repo, two: Repo) -> None:
    """Present, board, contests, mirror, put-downs and the suggestion, with its command."""
    one.write(".coord.toml", '[lane.social]\nevery = "1d"\n')
    answer(one, "claim", "parser")
    answer(two, "claim", "parser", "--intent", "mine\x1b[2J")
    answer(one, "ship", "new", "x")
    answer(one, "put-down", "old", "--reason", "stale", "--note", "beaten by\nsqlite")

    done = one.coord("wake", "--no-stagger")

    assert done.code == 0
    shown = done.out.splitlines()
    assert shown[0] == "2 present, 1 claim, 1 contested"
    assert any(line.startswith("  one-0001 (you)  present") for line in shown)
    assert "contested: task:parser" in shown
    assert "the only move so far" in shown
    assert "  task:old  stale, less than a minute ago by one-0001" in shown
    assert "    | sqlite" in shown
    assert shown[-2] == "suggestion: the lane social (not tended yet, due every 1d)"
    assert shown[-1] == "  run: git coord claim lane:social"
    assert "\x1b" not in done.out
    assert one.paste(shown[-1].removeprefix("  run: ")).code == 0
    offered = answer(two, "wake", "--no-stagger")["suggestion"]
    assert offered["kind"] == "move"  # the lane is taken, and what one has shipped counts there


def test_a_claim_is_as_old_as_the_board_says(one: Repo) -> None:
    """Made by a clock that stood in 1990: the screen bounds its age by the record's, too."""
    code = (
        f"import time; real = time.time\ntime.time = lambda: real() - {30 * 365 * 86400}\n"
        "from coord.cli.main import run; run()"
    )
    assert one.run(sys.executable, "-c", code, "claim", "x").code == 0

    shown = one.coord("wake", "--no-stagger").out

    (row,) = (line for line in one.coord("board").out.splitlines() if "task:x" in line)
    assert "for less than a minute" in row
    assert row in shown.splitlines()


def test_a_new_repository_wakes_too(repo: Repo) -> None:
    """Nothing is claimed, shipped or declared, and nothing is made."""
    found = answer(repo, "wake", "--no-stagger")

    assert (found["claims"], found["contested"], found["put_downs"]) == ([], [], [])
    assert found["mirror"]["cold"] is None
    assert found["suggestion"] is None
    assert repo.coord("wake", "--no-stagger").out.endswith(
        "suggestion: none; nothing is overdue, and no kind of move is going cold\n"
    )
    assert repo.git("status", "--porcelain") == ""


def test_the_wait_is_random_bounded_and_said(repo: Repo) -> None:
    """One line on stderr; the answer alone is on stdout."""
    waits = []
    for _ in range(3):
        start = time.monotonic()
        done = repo.coord("wake", "--stagger", "1s", "--json")
        took = time.monotonic() - start
        json.loads(done.out)
        assert done.err.startswith("coord: waiting ")
        assert "at random up to 1 s (--no-stagger: not at all)" in done.err
        said = float(done.err.split()[2])
        assert said - 0.05 <= took
        assert 0 <= said <= 1
        waits.append(done.err)

    assert len(set(waits)) > 1


@pytest.mark.parametrize("options", [("--no-stagger",), ("--stagger", "0"), ("--stagger", "0s")])
def test_no_wait_is_not_said(repo: Repo, options: tuple[str, ...]) -> None:
    """Nothing on stderr."""
    assert "waiting" not in repo.coord("wake", *options).err


def test_the_wait_is_declared(repo: Repo) -> None:
    """`[wake] stagger`; a plain number on the command line is seconds."""
    repo.write(".coord.toml", '[wake]\nstagger = "0.01s"\n')

    assert "up to 0.01 s" in repo.coord("wake").err
    assert "up to 0.02 s" in repo.coord("wake", "--stagger", "0.02").err


@pytest.mark.parametrize("stagger", ["soon", "-1", "", "99999d"])
def test_a_wait_is_a_duration(repo: Repo, stagger: str) -> None:
    """Exit 2."""
    done = repo.coord("wake", f"--stagger={stagger}")

    assert done.code == 2
    assert repo.paste(done.refusal.run).code == 0


def test_who_wakes_is_present(repo: Repo, one: Repo) -> None:
    """Though it has been silent for long, and though it has no pin."""
    silence(one, 3600)
    assert not actor(repo, "one-0001")["present"]
    repo.with_env(COORD_ACTOR="ada").coord("wake", "--no-stagger")

    answer(one, "wake", "--no-stagger")

    assert actor(repo, "one-0001")["present"]
    assert actor(repo, "ada")["present"]


def test_a_part_that_is_missing_says_so_and_the_others_stand(one: Repo) -> None:
    """Exit 0: a harness that wakes must not fail for a torn ledger."""
    answer(one, "claim", "parser")
    one.write(LEDGER, "no ledger\n")
    one.write(PUT_DOWN, header(PutDown) + b"\0")

    found = answer(one, "wake", "--no-stagger")
    shown = one.coord("wake", "--no-stagger")

    assert {"mirror", "put_downs"} <= set(found["unavailable"])
    assert "first line" in found["unavailable"]["mirror"]
    assert (found["mirror"], found["put_downs"]) == (None, [])
    assert found["claims"][0]["scope"] == "task:parser"
    assert shown.code == 0
    assert "mirror: unavailable: not a ledger" in shown.out
    assert "put_downs: unavailable: not a ledger" in shown.out


def test_a_broken_declaration_is_said_and_the_defaults_serve(one: Repo) -> None:
    """The board is shown; the place to mend is named."""
    one.write(".coord.toml", "[moves\n")

    found = answer(one, "wake", "--no-stagger")

    assert ".coord.toml:1" in found["unavailable"]["config"]
    assert found["mirror"]["window"] == 12


def test_wake_with_an_unreadable_board_suggests_no_lane(one: Repo) -> None:
    """Nobody knows who has claimed it: better no suggestion than a wrong one."""
    one.write(".coord.toml", LANES)
    claims = one.common("coord/board/claims")
    claims.mkdir(exist_ok=True)
    claims.rmdir()
    claims.symlink_to("claims")

    found = answer(one, "wake", "--no-stagger")

    assert {"claims", "lanes"} <= set(found["unavailable"])
    assert found["claims"] == []
    assert found["suggestion"] is None


def test_who_is_only_inferred_is_told_that_nothing_can_reach_it(repo: Repo, one: Repo) -> None:
    """An empty inbox would be a lie."""
    assert one.coord("whoami").code == 0

    found = answer(repo, "wake", "--no-stagger")

    assert (found["instance"], found["messages"]) == (None, [])
    assert "only inferred" in found["unavailable"]["messages"]
    assert found["unavailable"]["messages"].endswith("; run: git coord pin --self")
    assert repo.paste("git coord pin --self").code == 0
    assert answer(repo, "wake", "--no-stagger")["unavailable"] == {}


def test_what_waits_in_the_inbox_is_shown_and_stays_unread(one: Repo, two: Repo) -> None:
    """A wake is not a reading: a harness shows it to whoever may never look."""
    answer(one, "claim", "parser")
    answer(one, "send", "help", "two-0002", "look\nhere", "--scope", "parser")
    answer(one, "handoff", "two-0002", "--scope", "parser")

    for _ in range(2):
        found = answer(two, "wake", "--no-stagger")
        assert [message["kind"] for message in found["messages"]] == ["help", "handoff"]
    said = two.coord("wake", "--no-stagger").out
    assert "inbox: 1 message, 1 offer" in said
    assert "help from one-0001 on feat-one about task:parser" in said
    assert "| look\n    | here" in said
    assert f"git coord ack {found['messages'][1]['id']}" in said
    assert found["messages"] == answer(two, "inbox")["messages"]


def test_a_bare_repository_shows_its_board(bare_with_worktree: Repo) -> None:
    """It has no ledgers, and says so."""
    bare = bare_with_worktree.bare(bare_with_worktree.common())

    found = answer(bare, "wake", "--no-stagger")

    assert {"mirror", "put_downs"} <= set(found["unavailable"])
    assert found["claims"] == []


def test_outside_of_a_repository_it_is_exit_3(repo: Repo, tmp_path: Path) -> None:
    """There is nothing to show, and no wait before it is said."""
    (tmp_path / "empty").mkdir()

    done = repo.at(tmp_path / "empty").coord("wake", "--stagger", "1h")

    assert (done.code, done.refusal.rule) == (3, "not-a-repository")


def test_twenty_wakers_are_not_sent_to_one_lane(repo: Repo, tmp_path: Path) -> None:
    """Three overdue lanes, twenty instances at once: each lane gets some, none gets most."""
    repo.commit("declare", {".coord.toml": LANES, LEDGER: text([moved("new", 3, lane="docs")])})
    workers = [worker(repo, tmp_path / f"w{n}", f"feat-{n}", f"w-{n:04x}") for n in range(20)]

    wakes = [each.begun("git", "coord", "wake", "--no-stagger", "--json") for each in workers]
    found = [json.loads(wake.communicate()[0])["suggestion"] for wake in wakes]

    counts = Counter(each["name"] for each in found)
    assert {each["kind"] for each in found} == {"lane"}
    assert set(counts) == {"social", "docs", "care"}
    assert max(counts.values()) <= 15
