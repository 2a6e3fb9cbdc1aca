"""``take-over``: explicit and recorded; from somebody at work only by saying so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.base.errors import Refused
from coord.board import claims
from coord.cli import edge
from coord.identity import whoami
from coord.repo import worktree
from coord.stores import chosen
from coord.work import arrive, takeover
from harness.board import SESSION, actor, answer, living, scope, silence, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


@pytest.fixture
def one(tmp_path: Path, repo: Repo) -> Repo:
    """A worker who holds task:x."""
    made = worker(repo, tmp_path / "one", "feat-one", "one-0001")
    answer(made, "claim", "x")
    return made


def _silence(repo: Repo, minutes: float) -> None:
    """Set a worker's sign of life back, as if it had been silent."""
    silence(repo, minutes * 60)


def test_take_over_from_a_present_holder_is_refused(one: Repo, two: Repo) -> None:
    """Exit 1: wait, or say --from-present; the claim stands."""
    done = two.coord("take-over", "x", "--reason", "I want it")

    assert done.code == 1
    assert done.refusal.rule == "holder-present"
    assert "--from-present" in done.refusal.why
    assert done.refusal.run == "git coord wait task:x"
    assert scope(one, "task:x")["holder"]["actor"] == "one-0001"


def test_from_a_present_holder_it_is_said_recorded_and_told(one: Repo, two: Repo) -> None:
    """A generation higher; the reason, as another's words, reaches the former holder once."""
    claim = answer(two, "take-over", "x", "--reason", "urgent\x1b[31m\nfix", "--from-present")

    assert claim["claims"][0]["state"] == "held"
    assert claim["claims"][0]["generation"] == 2
    event = answer(two, "log", "x")["events"][-1]
    assert (event["kind"], event["actor"]) == ("take-over", "two-0002")
    assert event["from"]["actor"] == "one-0001"
    assert event["reason"] == "urgent\x1b[31m\nfix"
    told = one.coord("whoami")
    assert told.code == 0
    assert "coord: task:x is no longer yours: two-0002 took it over" in told.err
    assert "| urgent\\x1b[31m\n| fix\n" in told.err
    assert "no longer" not in one.coord("whoami").err


def test_a_silent_holder_can_be_taken_from(one: Repo, two: Repo) -> None:
    """31 minutes: stale, still the holder, and open to a recorded take-over."""
    _silence(one, 31)
    row = scope(two, "task:x")
    assert (row["stale"], row["gone"], row["holder"]["actor"]) == (True, False, "one-0001")
    assert not actor(two, "one-0001")["present"]
    assert answer(two, "claim", "x")["claims"][0]["state"] == "waiting"

    claim = answer(two, "take-over", "x", "--reason", "silent")["claims"][0]

    assert claim["state"] == "held"


def test_at_29_minutes_a_holder_is_present(one: Repo, two: Repo) -> None:
    """The limit is 30, or what is declared."""
    _silence(one, 29)
    assert two.coord("take-over", "x", "--reason", "r").code == 1

    two.write(".coord.toml", '[presence]\nexpires = "28m"\n')

    assert two.coord("take-over", "x", "--reason", "r").code == 0


def test_a_dead_holder_can_be_taken_from_at_once(repo: Repo, one: Repo, two: Repo) -> None:
    """Its declared session is over: whatever it has started has ended with it."""
    three = worker(repo, one.path.parent / "three", "feat-three", "three-0003")
    with living(three, before=SESSION) as live:
        live.run("git coord claim y")
        assert scope(two, "task:y")["stale"] is False
        live.end()

        row = scope(two, "task:y")
        assert (row["stale"], row["dead"], row["state"]) == (True, True, "held")
        assert actor(two, "three-0003")["dead"]
        assert answer(two, "claim", "y")["claims"][0]["state"] == "waiting"
        assert two.coord("take-over", "y", "--reason", "dead").code == 0


def test_a_removed_worktrees_claim_is_shown_gone_and_taken(
    repo: Repo, one: Repo, two: Repo
) -> None:
    """At once; --gone needs no reason, and stands for nothing else."""
    assert two.coord("take-over", "x", "--gone").refusal.rule == "holder-not-gone"
    repo.git("worktree", "remove", "--force", str(one.path))

    row = scope(two, "task:x")
    assert (row["state"], row["stale"], row["gone"]) == ("held", True, True)
    assert actor(two, "one-0001")["gone"]
    assert answer(two, "take-over", "x", "--gone")["claims"][0]["state"] == "held"
    assert "forgotten" in answer(two, "log", "x")["events"][-1]["reason"]


def test_who_goes_on_with_a_finished_branch_of_a_gone_worker_is_offered_it(
    repo: Repo, one: Repo, two: Repo
) -> None:
    """Its claims wait to land, so only who has the branch checked out is told to take them."""
    answer(one, "finish")
    repo.git("worktree", "remove", "--force", str(one.path))
    repo.git("worktree", "add", "-q", str(one.path), "feat-one")
    again = repo.at(one.path)
    assert again.coord("pin").code == 0
    take = "git coord take-over branch:feat-one --generation 1 --gone"

    for words in (("claim", "branch:feat-one"), ("wait", "branch:feat-one", "--timeout", "1s")):
        assert take in again.coord(*words).err, words
    assert "take-over" not in two.coord("claim", "branch:feat-one").err
    assert "task:x --generation 1 --gone" in again.coord("release", "x").refusal.run
    refused = again.coord("finish").refusal

    assert (refused.rule, refused.run) == ("not-holder", take)
    assert again.paste(take).code == 0
    assert again.coord("finish").code == 0


def test_another_worktree_of_the_same_name_is_not_the_owner(
    repo: Repo, one: Repo, two: Repo
) -> None:
    """The folder is made anew, with the same branch and actor's name: another instance."""
    repo.git("worktree", "remove", "--force", str(one.path))
    repo.git("branch", "-D", "feat-one")
    again = worker(repo, one.path, "feat-one", "one-0001")

    assert scope(two, "task:x")["gone"]
    assert again.coord("release", "x").refusal.rule == "not-holder"
    assert answer(again, "claim", "x")["claims"][0]["state"] == "waiting"


def test_a_take_over_is_meant_for_the_holder_that_was_seen(one: Repo, two: Repo) -> None:
    """Between look and create it went to a third: --from-present takes nothing from that one."""
    place = worktree.discover(str(two.path))
    call, board = edge.call(None, "take-over"), chosen.board_of(place.common_dir)
    seat = arrive.Worker(place, whoami.resolve(place, None), board, call.watch, ["task:x"])
    seen = [claims.state(seat.store, "task:x")]
    answer(one, "release", "x")
    answer(worker(one, one.path.parent / "three", "feat-three", "three-0003"), "claim", "x")
    seen.append(claims.state(seat.store, "task:x"))

    with pytest.raises(Refused, match="went to three-0003"):
        takeover._may_take(
            call, "task:x", seen, seat, seat.roll(), from_present=True, gone=False, reason="due"
        )


def test_without_a_reason_it_is_wrong_usage(one: Repo, two: Repo) -> None:
    """The former holder is told why."""
    _silence(one, 31)
    for reason in ([], ["--reason", ""], ["--reason", " "]):
        assert two.coord("take-over", "x", *reason).code == 2


def test_take_over_of_a_free_scope_is_refused_of_ones_own_a_no_op(one: Repo, two: Repo) -> None:
    """Free: claim it, as printed. One's own: nothing happens."""
    free = two.coord("take-over", "y", "--reason", "r")
    own = one.coord("take-over", "x", "--reason", "r")

    assert free.code == 1
    assert free.refusal.rule == "not-held"
    assert two.paste(free.refusal.run).code == 0
    assert own.code == 0
    assert "yours already" in own.err
    assert scope(one, "task:x")["generation"] == 1


def test_the_taker_leaves_the_line_for_its_head(repo: Repo, one: Repo, two: Repo) -> None:
    """Others keep their order; the former holder is out."""
    three = worker(repo, one.path.parent / "three", "feat-three", "three-0003")
    answer(two, "claim", "x")
    answer(three, "claim", "x")

    answer(three, "take-over", "x", "--reason", "r", "--from-present")

    line = [c["actor"] for c in scope(one, "task:x")["claimants"]]
    assert line == ["three-0003", "two-0002"]


def test_an_inferred_identity_takes_nothing(repo: Repo, one: Repo) -> None:
    """The shared checkout, unpinned."""
    _silence(one, 31)
    done = repo.coord("take-over", "x", "--reason", "it's mine")

    assert done.code == 1
    assert done.refusal.rule == "identity-inferred"
    assert scope(one, "task:x")["holder"]["actor"] == "one-0001"


def test_a_leaked_git_dir_takes_nothing_and_the_printed_command_does(
    repo: Repo, one: Repo, two: Repo
) -> None:
    """The command is printed whole: scope, reason and all."""
    _silence(one, 31)
    leaked = two.with_env(GIT_DIR=str(repo.path / ".git"))
    done = leaked.run("git-coord", "take-over", "x", "--reason", "it's silent")

    assert done.refusal.rule == "identity-conflict"
    assert leaked.paste(done.refusal.run).code == 0
    assert answer(two, "log", "x")["events"][-1]["reason"] == "it's silent"
