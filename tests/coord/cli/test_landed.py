"""``release --landed``: what is merged is settled by whoever sees it; what is not, never."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from harness import QUIET
from harness.board import answer, living, scope, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


@pytest.fixture
def one(tmp_path: Path, hub: Repo) -> Repo:
    """A pinned worker in a linked worktree."""
    return worker(hub, tmp_path / "one", "feat-one", "one-0001")


@pytest.fixture
def two(tmp_path: Path, hub: Repo) -> Repo:
    """Another one."""
    return worker(hub, tmp_path / "two", "feat-two", "two-0002")


def done(repo: Repo, *scopes: str) -> str:
    """Let a worker claim, commit and finish; return its commit."""
    if scopes:
        answer(repo, "claim", *scopes)
    tip = repo.commit("work", {f"{repo.path.name}.txt": "done\n"})
    answer(repo, "finish")
    return tip


def settled(repo: Repo, *options: str) -> dict[str, dict[str, Any]]:
    """Run ``release --landed`` and return what it settled, by scope."""
    found = answer(repo, "release", "--landed", *options)["released"]
    return {entry["scope"]: entry for entry in found}


def state(repo: Repo, branch: str, *options: str) -> str:
    """Return how a branch stands in the merge order."""
    listed = answer(repo, "merge-order", *options)["order"]
    return next(str(entry["state"]) for entry in listed if entry["branch"] == branch)


def test_what_landed_is_settled_by_anybody_and_the_next_holds(
    hub: Repo, one: Repo, two: Repo
) -> None:
    """On the record, with who did it; both workers are told at their next command."""
    done(one, "artifact:s.json", "x")
    answer(two, "claim", "artifact:s.json")
    hub.git("merge", "-q", "feat-one")

    found = settled(hub)

    assert list(found) == ["artifact:s.json", "branch:feat-one", "task:x"]
    assert found["artifact:s.json"]["next"]["actor"] == "two-0002"
    assert found["artifact:s.json"]["landed"] == ["feat-one"]
    assert found["task:x"]["next"] is None
    assert (scope(hub, "artifact:s.json")["generation"], scope(hub, "task:x")["state"]) == (
        2,
        "free",
    )
    event = answer(hub, "log", "task:x")["events"][-1]
    assert (event["kind"], event["actor"]) == ("land", answer(hub, "whoami")["actor"])
    assert event["reason"] == "feat-one landed on main"
    news = one.coord("whoami").err
    assert "task:x is no longer yours: its branch has landed" in news
    assert "| feat-one landed on main" in news
    assert "artifact:s.json is yours now, generation 2" in two.coord("whoami").err


def test_what_it_says(hub: Repo, one: Repo) -> None:
    """A line a scope; and again, which is no fault."""
    done(one, "x")
    hub.git("merge", "-q", "feat-one")
    assert "git coord release --landed" in hub.coord("merge-order").err

    assert hub.coord("release", "--landed").out == (
        "branch:feat-one is free: feat-one landed on main\n"
        "task:x is free: feat-one landed on main\n"
    )
    assert hub.coord("release", "--landed").out == (
        "no claim is left of a branch that landed on main\n"
    )
    assert hub.coord("merge-order").err == ""


def test_of_a_place_in_line_that_landed_the_holder_is_no_new_one(
    hub: Repo, one: Repo, two: Repo
) -> None:
    """It is said who holds it still."""
    answer(two, "claim", "x")
    answer(one, "claim", "x")
    one.commit("work")
    hub.git("merge", "-q", "feat-one")

    told = hub.coord("release", "--landed").out

    assert told == "task:x is still held by two-0002: feat-one landed on main\n"


def test_a_branch_just_created_has_not_landed(hub: Repo, one: Repo) -> None:
    """Its commit is main's, and the work has only begun."""
    answer(one, "claim", "artifact:s.json")

    assert state(hub, "feat-one") == "running"
    assert settled(hub) == {}
    assert scope(hub, "artifact:s.json")["holder"]["actor"] == "one-0001"


# No action of git's own that a reflog is known to name.
FORCED = "git fetch -q . +main:feat-one && git switch -q feat-one"


@pytest.mark.parametrize(
    "moved",
    [
        "git merge -q main",
        "git reset -q --hard main",
        "git rebase -q main",
        "git pull -q . main",
        "git fetch -q . main:other && git reset -q --hard other",
        "git switch -q -C feat-one main",
        "git commit -q --allow-empty -m work && git reset -q --hard main",
        "git commit -q --allow-empty -m work && git switch -q -C feat-one main",
        "git commit -q --allow-empty -m x && git switch -q --detach && " + FORCED,
    ],
)
def test_a_branch_that_only_followed_the_target_has_not_landed(
    hub: Repo, one: Repo, moved: str
) -> None:
    """It has nothing of its own, however it came to stand there."""
    answer(one, "claim", "x")
    hub.commit("on main")
    assert one.run("sh", "-c", moved).code == 0
    hub.commit("on")

    assert state(hub, "feat-one") == "running"
    assert settled(hub) == {}


def test_a_branch_without_finish_lands_by_commits_of_its_own(hub: Repo, one: Repo) -> None:
    """Its own reflog says that they were made there."""
    answer(one, "claim", "x")
    one.commit("work")
    hub.git("merge", "-q", "--no-ff", "-m", "take it", "feat-one")

    assert state(hub, "feat-one") == "landed"
    assert list(settled(hub)) == ["task:x"]


def test_without_a_reflog_only_finish_says_so(hub: Repo, one: Repo) -> None:
    """No proof, no settlement."""
    answer(one, "claim", "x")
    one.commit("work")
    by_file = 'rm "$(git rev-parse --git-path logs/refs/heads/feat-one)"'
    assert one.paste(f"git reflog drop feat-one 2>/dev/null || {by_file}").code == 0
    hub.git("merge", "-q", "feat-one")
    assert settled(hub) == {}

    answer(one, "finish")

    assert list(settled(hub)) == ["branch:feat-one", "task:x"]


def test_a_worker_does_not_settle_what_its_own_branch_began_at(
    hub: Repo, one: Repo, two: Repo
) -> None:
    """The commits of main are in feat-two, and its coordinator has finished nothing."""
    answer(hub, "claim", "coordinate")
    hub.commit("on main")
    answer(one, "claim", "x")
    one.commit("unfinished")
    two.git("merge", "-q", "-m", "up to date", "main", "feat-one")
    answer(two, "claim", "y")

    told = two.coord("release", "--landed")

    assert told.code == 0
    assert "feat-one is in feat-two, but was not finished" in told.err
    assert scope(hub, "task:coordinate")["holder"] is not None
    assert scope(hub, "task:x")["holder"] is not None
    assert list(settled(two, "--onto", "feat-two")) == ["task:coordinate", "task:x"]


def test_what_is_not_in_the_target_has_not_landed(hub: Repo, one: Repo) -> None:
    """Finished is not landed; a merge of an earlier commit is not either."""
    done(one, "x")
    assert settled(hub) == {}

    hub.git("merge", "-q", "feat-one")
    one.commit("one more")

    assert state(hub, "feat-one") == "finished"
    assert settled(hub) == {}
    assert list(settled(hub, "--onto", "feat-one")) == []


def test_onto_says_what_it_landed_on(hub: Repo, one: Repo) -> None:
    """From any worktree; and an unknown target is wrong usage."""
    done(one, "x")
    hub.git("branch", "release", "feat-one")

    assert settled(hub) == {}
    assert list(settled(hub, "--onto", "release")) == ["branch:feat-one", "task:x"]
    refused = hub.coord("release", "--landed", "--onto", "nix")
    assert (refused.code, refused.refusal.rule) == (2, "revision-unknown")
    assert hub.paste(refused.refusal.run).code == 0
    alone = hub.coord("release", "--onto", "main")
    assert (alone.code, alone.refusal.rule) == (2, "usage")
    assert hub.paste(alone.refusal.run).code == 0


def test_named_scopes_alone_are_settled(hub: Repo, one: Repo) -> None:
    """The rest stays."""
    done(one, "x", "y")
    hub.git("merge", "-q", "feat-one")

    assert list(settled(hub, "y")) == ["task:y"]
    assert scope(hub, "task:x")["holder"] is not None


def test_a_deleted_branch_landed_where_it_was_finished(hub: Repo, one: Repo) -> None:
    """Merged and deleted, as integrators do; its worktree gone as well."""
    done(one, "x")
    hub.git("merge", "-q", "feat-one")
    hub.git("worktree", "remove", "--force", str(one.path))
    hub.git("branch", "-q", "-d", "feat-one")

    assert state(hub, "feat-one") == "landed"
    assert list(settled(hub)) == ["branch:feat-one", "task:x"]


def test_a_squash_lands_while_the_target_has_what_the_branch_changed(
    hub: Repo, one: Repo, two: Repo
) -> None:
    """No commit of it is in main, but to merge it would change nothing."""
    done(one, "x")
    answer(two, "claim", "y")
    two.commit("unfinished", {"two.txt": "2\n"})
    hub.commit("elsewhere", {"other": "1\n"})
    for branch in ("feat-one", "feat-two"):
        hub.git("merge", "-q", "--squash", branch)
        hub.commit(f"{branch}, squashed")
    hub.commit("on", {"other": "2\n"})

    assert (state(hub, "feat-one"), state(hub, "feat-two")) == ("landed", "running")
    assert list(settled(hub)) == ["branch:feat-one", "task:x"]


def test_a_squash_that_was_changed_since_is_not_known_again(hub: Repo, one: Repo) -> None:
    """Its worker, or a take-over, says so; nothing is guessed."""
    done(one, "x")
    hub.git("merge", "-q", "--squash", "feat-one")
    hub.commit("squashed", {"one.txt": "and mended\n"})

    assert settled(hub) == {}


def test_commits_that_change_nothing_land_as_commits(hub: Repo, one: Repo) -> None:
    """There is no content to find again, so the commit itself has to be there."""
    one.commit("nothing")
    answer(one, "finish")
    hub.commit("on", {"README": "on\n"})
    assert settled(hub) == {}

    hub.git("merge", "-q", "-m", "take it", "feat-one")

    assert list(settled(hub)) == ["branch:feat-one"]


def test_what_was_finished_and_then_given_up_has_not_landed(hub: Repo, one: Repo) -> None:
    """Reset to main, the finished commits are nowhere; finishing again would mean it."""
    done(one, "x")
    one.git("reset", "-q", "--hard", "main")

    assert state(hub, "feat-one") == "finished"
    assert settled(hub) == {}

    answer(one, "finish")
    assert list(settled(hub)) == ["branch:feat-one", "task:x"]


def test_what_was_rebased_after_finish_and_merged_has_landed(hub: Repo, one: Repo) -> None:
    """The finished commit is nowhere, but the branch is."""
    done(one, "x")
    hub.commit("on main", {"README": "on\n"})
    one.git("rebase", "-q", "main")
    hub.git("merge", "-q", "feat-one")

    assert state(hub, "feat-one") == "landed"


def test_a_living_run_is_never_settled(hub: Repo, one: Repo) -> None:
    """It guards a process, whatever became of the branch."""
    done(one, "x")
    hub.git("merge", "-q", "feat-one")
    with living(one) as live:
        live.start("git coord run long -- sh -c 'touch started; exec sleep 30'")
        while not (one.path / "started").exists():
            assert live.process.poll() is None

        assert list(settled(hub)) == ["branch:feat-one", "task:x"]
        assert scope(hub, "task:long")["holder"]["actor"] == "one-0001"


def test_a_claim_made_anew_after_the_look_stays(hub: Repo, one: Repo) -> None:
    """Given up is what was seen, not what the worker claims in the same moment."""
    done(one, "x")
    hub.git("merge", "-q", "feat-one")
    settled(hub)

    claim = answer(one, "claim", "x")["claims"][0]

    assert (claim["state"], claim["generation"]) == ("held", 2)
    assert state(hub, "feat-one") == "running"
    assert settled(hub) == {}
    one.commit("more")
    assert state(hub, "feat-one") == "running"


def test_two_at_once_settle_everything_once(
    hub: Repo, one: Repo, two: Repo, tmp_path: Path
) -> None:
    """Each scope by one of them, with one event and one notice."""
    three = worker(hub, tmp_path / "three", "feat-three", "three-0003")
    names = [f"s{number}" for number in range(12)]
    done(one, *names)
    for name in names[:3]:
        answer(two, "claim", name)
    hub.git("merge", "-q", "feat-one")
    racers = [
        side.begun("git-coord", "release", "--landed", "--onto", "main") for side in (hub, three)
    ]
    said = [os.fsdecode(racer.communicate(timeout=60)[0]) for racer in racers]

    assert [racer.returncode for racer in racers] == [0, 0]
    told = sorted(line.partition(" is ")[0] for line in "".join(said).splitlines() if ": " in line)
    assert told == sorted(["branch:feat-one", *(f"task:{name}" for name in names)])
    for name in names:
        kinds = [event["kind"] for event in answer(hub, "log", name)["events"]]
        assert kinds.count("land") == 1
    assert two.coord("whoami").err.count("is yours now") == 3


def test_unborn_detached_and_bare(hub: Repo, one: Repo, tmp_path: Path) -> None:
    """Nothing has landed where there is no commit; a detached HEAD is a target as any."""
    unborn = type(hub).init(tmp_path / "unborn", hub.env)
    answer(unborn, "claim", "x", "--branch", "next")
    assert settled(unborn) == {}

    done(one, "x")
    hub.git("switch", "-q", "--detach", "feat-one")
    assert "on " + hub.git("rev-parse", "HEAD")[:12] in hub.coord("release", "--landed").out

    hub.git("clone", "-q", "--bare", str(hub.path), str(tmp_path / "b.git"))
    assert settled(hub.bare(tmp_path / "b.git")) == {}


def test_under_a_leaked_git_dir_it_is_refused(hub: Repo, one: Repo) -> None:
    """Inside ``git rebase --exec 'cd ../b && …'``; the printed command does it."""
    done(one, "x")
    hub.git("merge", "-q", "feat-one")
    leaked = hub.with_env(GIT_DIR=str(one.private()).rstrip("/"))

    refused = leaked.run("git-coord", "release", "--landed", "--onto", "main")

    assert (refused.code, refused.refusal.rule) == (1, "identity-conflict")
    assert leaked.paste(refused.refusal.run).code == 0
    assert scope(hub, "task:x")["state"] == "free"


@pytest.mark.parametrize("finishes", [True, False])
def test_a_worker_who_stays_on_a_landed_branch_keeps_what_it_claims_there(
    hub: Repo, one: Repo, two: Repo, *, finishes: bool
) -> None:
    """What was claimed later than the landing belongs to new work, until that has landed too."""
    answer(one, "claim", "x")
    one.commit("work", {"one.txt": "done\n"})
    if finishes:
        answer(one, "finish")
    hub.git("merge", "-q", "feat-one")
    answer(one, "claim", "y")
    answer(two, "claim", "y")

    assert "task:x" in settled(hub)
    assert scope(hub, "task:y")["holder"]["actor"] == "one-0001"
    assert state(hub, "feat-one") == "running"
    assert settled(hub) == {}

    one.commit("more", {"more.txt": "done\n"})
    assert settled(hub) == {}
    hub.git("merge", "-q", "feat-one")
    assert settled(hub)["task:y"]["next"]["actor"] == "two-0002"


@pytest.mark.parametrize("squashed", [False, True])
def test_a_landed_branch_claimed_again_is_running_until_finished_again(
    hub: Repo, one: Repo, *, squashed: bool
) -> None:
    """Nothing of it is settled meanwhile; with or without a commit more."""
    done(one, "x")
    hub.git(*("merge", "-q", *(["--squash"] if squashed else []), "feat-one"))
    if squashed:
        hub.git("commit", "-qm", "squashed")
    answer(one, "claim", "branch:feat-one", "--intent", "more work")

    assert state(hub, "feat-one") == "running"
    assert settled(hub) == {}
    answer(one, "finish")
    assert state(hub, "feat-one") == "landed"
    assert list(settled(hub)) == ["branch:feat-one", "task:x"]


def test_finishing_again_without_commits_settles_later_claims(hub: Repo, one: Repo) -> None:
    """There was nothing to commit for it."""
    done(one, "x")
    hub.git("merge", "-q", "feat-one")
    answer(one, "claim", "y")
    answer(one, "finish")

    assert list(settled(hub)) == ["branch:feat-one", "task:x", "task:y"]


# A command whose clock is seven hours ahead.
AHEAD = (
    "import time; real = time.time\n"
    "time.time = lambda: real() + 7 * 3600\n"
    "from coord.cli.main import run; run()"
)


@pytest.mark.parametrize("first", ["claim", "merge"])
def test_a_claim_after_the_finish_stays_though_the_clock_went_back(
    hub: Repo, one: Repo, first: str
) -> None:
    """What the record says is later is what came later; it is settled once it is finished too."""
    answer(one, "claim", "x")
    one.commit("work", {"one.txt": "done\n"})
    assert one.run(sys.executable, "-c", AHEAD, "finish").code == 0
    for step in ("claim", "merge") if first == "claim" else ("merge", "claim"):
        if step == "claim":
            answer(one, "claim", "y")
        else:
            hub.git("merge", "-q", "feat-one")

    assert list(settled(hub)) == ["branch:feat-one", "task:x"]
    assert scope(hub, "task:y")["holder"]["actor"] == "one-0001"
    answer(one, "finish")
    assert list(settled(hub)) == ["branch:feat-one", "task:y"]


def test_a_claim_after_the_finish_stays_though_the_branch_is_merged_later(
    hub: Repo, one: Repo, two: Repo
) -> None:
    """Nothing came of it yet: what landed is what was finished before it was made."""
    done(one, "x")
    answer(one, "claim", "y")
    answer(two, "claim", "y")
    time.sleep(1.1)
    hub.git("merge", "-q", "feat-one")

    assert list(settled(hub)) == ["branch:feat-one", "task:x"]
    assert scope(hub, "task:y")["holder"]["actor"] == "one-0001"
    answer(one, "finish")
    assert settled(hub)["task:y"]["next"]["actor"] == "two-0002"


def test_what_was_claimed_before_the_clock_went_back_is_finished_all_the_same(
    hub: Repo, one: Repo
) -> None:
    """Nothing is finished earlier than it was claimed."""
    assert one.run(sys.executable, "-c", AHEAD, "claim", "x").code == 0
    done(one)
    hub.git("merge", "-q", "feat-one")

    assert list(settled(hub)) == ["branch:feat-one", "task:x"]


def test_an_unfinished_branch_merged_after_its_claim_has_landed(hub: Repo, one: Repo) -> None:
    """The commit was there when the claim was made, and came into the target a second later."""
    one.commit("work", {"one.txt": "done\n"})
    answer(one, "claim", "x")
    time.sleep(1.1)
    hub.git("merge", "-q", "feat-one")

    assert list(settled(hub)) == ["task:x"]


def test_a_claim_made_in_the_very_moment_of_a_settling_stays(
    hub: Repo, one: Repo, two: Repo
) -> None:
    """Whoever comes first: what is claimed after the landing is never settled."""
    done(one, "x")
    hub.git("merge", "-q", "feat-one")
    argv = ["git", "coord", "release", "--landed"]
    with hub.begun(*argv, **QUIET):
        for name in ("p", "q", "r", "s"):
            answer(one, "claim", name)
            answer(two, "claim", name)

    settled(hub)
    for name in ("p", "q", "r", "s"):
        assert scope(hub, f"task:{name}")["holder"]["actor"] == "one-0001"


def test_finish_on_the_target_branch_notes_that_it_lands_nowhere(hub: Repo) -> None:
    """It is what the others land on."""
    assert "lands nowhere" in hub.coord("finish").err
