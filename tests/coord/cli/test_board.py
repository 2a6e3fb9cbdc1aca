"""``board`` and ``log``: what a person and a script see."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from harness.board import actor, answer, scope, silence, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def test_the_board_of_a_new_repository_is_empty(repo: Repo) -> None:
    """No folder is needed to read it."""
    found = answer(repo, "board")

    assert found["claims"] == []
    assert repo.coord("board").out.startswith("0 present, 0 claims")


def test_only_who_has_not_been_here_yet_is_away(
    installed: Repo, one: Repo, two: Repo, tmp_path: Path
) -> None:
    """Not whoever was, of whom a clock that was set back believes no sign, of commands or hooks."""
    for each in (one, two):
        answer(each, "claim", "x")
        for path in each.private("coord-seen").parent.rglob("coord-se*/**/*"):
            os.utime(path, (4e9, 4e9))
        os.utime(each.private("coord-seen"), (4e9, 4e9))
    shutil.rmtree(two.private("coord-sessions"))
    new = installed.worktree(tmp_path / "new", "new")
    for path in new.private("coord-seen").parent.glob("coord-se*"):
        path.unlink()

    words = dict(line.split()[:2] for line in installed.coord("board").out.splitlines()[2:5])

    assert words.pop("one-0001") == "silent"
    assert words.pop("two-0002") == "silent"
    assert list(words.values()) == ["away"]
    assert "(away" not in installed.coord("board").out


def test_a_claim_has_the_keys_that_scripts_read(one: Repo, two: Repo) -> None:
    """As the reference gives them."""
    answer(one, "claim", "x")
    answer(two, "claim", "x")

    found = answer(two, "board")

    assert {"actor", "instance", "last_seen", "present", "gone", "branch", "worktree"} <= set(
        found["actors"][0]
    )
    row = found["claims"][0]
    assert row["scope"] == "task:x"
    assert row["state"] == "contested"
    assert (row["stale"], row["paused"], row["paused_at"], row["gone"]) == (
        False,
        False,
        None,
        False,
    )
    assert row["generation"] == 1
    assert row["holder"]["actor"] == "one-0001"
    assert [(c["actor"], c["place"], c["state"], c["branch"]) for c in row["claimants"]] == [
        ("one-0001", 1, "held", "feat-one"),
        ("two-0002", 2, "waiting", "feat-two"),
    ]
    assert all(c["since"].endswith("Z") and len(c["since"]) == 27 for c in row["claimants"])


def test_a_released_scope_is_free(one: Repo) -> None:
    """Its history stays."""
    answer(one, "claim", "x")
    answer(one, "release", "x")

    row = scope(one, "task:x")

    assert (row["state"], row["holder"], row["claimants"]) == ("free", None, [])
    assert [e["kind"] for e in answer(one, "log", "x")["events"]] == ["claim", "release"]


def test_workers_that_hooks_or_commands_pinned_are_on_the_roll(
    repo: Repo, one: Repo, two: Repo
) -> None:
    """With branch and folder; a record of each is kept, so that removed ones can be told."""
    entry = actor(repo, "two-0002")

    assert entry["present"]
    assert (entry["branch"], entry["worktree"]) == ("feat-two", str(two.path))
    records = one.common("coord/board/actors")
    assert len(list(records.iterdir())) == 2


def test_the_first_look_at_a_board_knows_what_each_worker_has_checked_out(
    repo: Repo, tmp_path: Path
) -> None:
    """It gives the clone its id, and took those that it then enrolled for another one's."""
    assert repo.install().code == 0
    repo.worktree(tmp_path / "new", "feat-new")

    (found,) = answer(repo, "board")["actors"]

    assert (found["branch"], found["liveness"]) == ("feat-new", "present")


def test_half_an_hour_of_silence_drops_a_worker_from_the_present(one: Repo, two: Repo) -> None:
    """By the age of its sign; it comes back with its next command or hook."""
    answer(one, "claim", "x")
    silence(one, 31 * 60)
    assert not actor(two, "one-0001")["present"]
    one.run("sh", "-c", ': >"$(git rev-parse --git-dir)/coord-seen"')

    assert actor(two, "one-0001")["present"]


def test_a_removed_worktree_is_gone_from_the_roll(repo: Repo, one: Repo, two: Repo) -> None:
    """Shown so at once, with its claims."""
    answer(one, "claim", "x")
    repo.git("worktree", "remove", "--force", str(one.path))

    entry = actor(two, "one-0001")

    assert entry["gone"]
    assert not entry["present"]
    assert "(gone)" in two.coord("board").out


def test_a_person_whose_worktree_is_pinned_later_stands_there_once(
    repo: Repo, tmp_path: Path
) -> None:
    """What was only inferred before is listed for as long as it holds something."""
    answer(repo, "claim", "x")
    other = worker(repo, tmp_path / "other", "feat-other", "other-0001")
    assert repo.coord("pin", "--self").code == 0
    pinned = answer(repo, "whoami")["actor"]
    assert {one["actor"] for one in answer(other, "board")["actors"]} == {
        "main", "other-0001", pinned,
    }  # fmt: skip
    answer(repo, "take-over", "x", "--from-present", "--reason", "mine")

    assert {one["actor"] for one in answer(other, "board")["actors"]} == {"other-0001", pinned}


def test_a_person_reads_who_holds_who_waits_and_why(one: Repo, two: Repo) -> None:
    """Others' words on lines of their own, marked and harmless."""
    answer(one, "claim", "x", "--issue", "12", "--intent", "split\x1b[2J\nthe parser")
    answer(two, "claim", "x")

    text = two.coord("board").out

    lines = [line.strip() for line in text.splitlines()]
    assert lines[0] == "2 present, 1 claim, 1 contested"
    assert any(line.startswith("two-0002 (you)  present  feat-two") for line in lines)
    assert "task:x  one-0001 on feat-one for less than a minute (#12)" in lines
    assert "| split\\x1b[2J" in lines
    assert "| the parser" in lines
    assert "2. two-0002 (you) on feat-two, waiting for less than a minute" in lines


def test_who_is_next_for_an_artifact_is_not_said_to_wait(one: Repo, two: Repo) -> None:
    """The claim has told them to go on: nobody waits for a file that is made anew after a merge."""
    answer(one, "claim", "artifact:schema.json")
    answer(two, "claim", "artifact:schema.json")

    text = two.coord("board").out

    assert "2. two-0002 (you) on feat-two for less than a minute, merged later\n" in text


def test_the_log_tells_what_happened(one: Repo, two: Repo) -> None:
    """Numbered, with who, when and how it left the scope."""
    answer(one, "claim", "x")
    answer(two, "take-over", "x", "--reason", "a\nb", "--from-present")

    found = answer(one, "log", "x")
    text = one.coord("log", "x").out

    assert found["scope"] == "task:x"
    assert [(e["seq"], e["kind"], e["actor"]) for e in found["events"]] == [
        (1, "claim", "one-0001"),
        (2, "take-over", "two-0002"),
    ]
    assert all(e["instance"] and e["at"].endswith("Z") for e in found["events"])
    assert "held by two-0002, generation 2" in text
    assert "| a\n" in text


def test_the_log_of_what_was_never_claimed_is_empty(repo: Repo) -> None:
    """No error: there is nothing to tell."""
    assert answer(repo, "log", "x")["events"] == []
    assert "never claimed" in repo.coord("log", "x").err


def test_reading_under_another_name_is_warned_of(one: Repo) -> None:
    """Readers are warned, not refused."""
    done = one.with_env(COORD_ACTOR="somebody").coord("board")

    assert done.code == 0
    assert "one-0001 is pinned here" in done.err


def test_a_declared_expiry_must_be_a_duration(repo: Repo) -> None:
    """A typo must not switch presence off in silence."""
    repo.write(".coord.toml", '[presence]\nexpires = "soon"\n')
    done = repo.coord("board")

    assert done.code == 3
    assert done.refusal.rule == "config-invalid"
    repo.write(".coord.toml", "[board]\nstore = 3\n")
    assert "string" in repo.coord("board").refusal.why


def test_litter_on_the_board_is_no_fault(one: Repo) -> None:
    """Folders without records, files between them, records of actors that are none."""
    answer(one, "claim", "x")
    board = one.common("coord/board")
    (board / "claims" / "s-empty").mkdir()
    (board / "claims" / "s-=zz").mkdir()
    (board / "claims" / "s-=zz" / "00000001").write_text("?")
    (board / "claims" / "s-task=3ax" / "zzz").write_text("?")
    (board / "claims" / "file").write_text("?")
    (board / "claims" / ".DS_Store").write_text("?")
    (board / "actors" / "a-torn").write_text("{")
    (board / "actors" / "a-list").write_text("[1]")
    (board / "actors" / "a-other").write_text('{"schema":1,"actor":1}')

    rows = answer(one, "board")["claims"]

    assert [(row["scope"], row["state"]) for row in rows] == [
        ("s-=zz", "held"),
        ("task:x", "held"),
    ]
    assert rows[0]["holder"]["actor"] == "unknown"


def test_finished_work_is_not_called_stale(repo: Repo, one: Repo) -> None:
    """Nobody has to come back to it; `stale` for scripts stays what it was."""
    answer(one, "claim", "x")
    one.commit("work", {"one.txt": "done\n"})
    answer(one, "finish")
    answer(one, "sign-off")

    shown = repo.coord("board").out
    assert shown.splitlines()[0] == "0 present, 2 claims"
    assert "  one-0001  ended  " in shown
    assert shown.count("(finished)") == 2
    assert scope(repo, "task:x")["stale"]


def test_scopes_that_differ_in_case_are_warned_of_while_both_are_claimed(one: Repo) -> None:
    """What is free again confuses nobody."""
    answer(one, "claim", "task:a")
    one.coord("claim", "task:A")
    assert "differ in case only" in one.coord("board").err
    answer(one, "release", "task:A")
    assert one.coord("board").err == ""


def test_a_place_whose_worktree_was_removed_is_said_to_be_so(
    repo: Repo, one: Repo, two: Repo
) -> None:
    """Also in the line."""
    answer(one, "claim", "x")
    answer(two, "claim", "x")
    repo.git("worktree", "remove", "--force", str(two.path))

    assert "-  two-0002 on feat-two waited, but its worktree is gone" in one.coord("board").out


def test_a_claim_for_another_branch_is_held_for_it(one: Repo) -> None:
    """One that is not there yet is remarked on."""
    assert "no branch feat/w9999" in one.coord("claim", "x", "--branch", "feat/w9999").err
    assert "one-0001 (you) for feat/w9999" in one.coord("board").out


def test_a_claimants_clock_makes_no_claim_older_than_its_record(one: Repo) -> None:
    """It stood in 1990, or will stand in 2090."""
    for name, years in (("x", -30), ("y", 60)):
        code = (
            "import time; real = time.time\n"
            f"time.time = lambda: real() + {years * 365 * 86400}\n"
            "from coord.cli.main import run; run()"
        )
        assert one.run(sys.executable, "-c", code, "claim", name).code == 0

    assert one.coord("board").out.count("for less than a minute") == 2
