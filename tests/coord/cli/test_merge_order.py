"""``finish`` and ``merge-order``: what is done, and in which order it goes in."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from harness.board import SESSION, answer, living, scope, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


@pytest.fixture
def shared(installed: Repo) -> Repo:
    """An installed repository with derived files, whose main worktree is pinned."""
    installed.commit(
        "derived",
        {".gitattributes": "[attr]coord-derived -merge\n*.json coord-derived\n", "s.json": "0\n"},
    )
    installed.install()
    assert installed.coord("pin", "--self").code == 0
    return installed


@pytest.fixture
def one(tmp_path: Path, shared: Repo) -> Repo:
    """A pinned worker in a linked worktree."""
    return worker(shared, tmp_path / "one", "feat-one", "one-0001")


@pytest.fixture
def two(tmp_path: Path, shared: Repo) -> Repo:
    """Another one."""
    return worker(shared, tmp_path / "two", "feat-two", "two-0002")


def order(repo: Repo, *options: str) -> list[dict[str, Any]]:
    """Return the merge order."""
    found: list[dict[str, Any]] = answer(repo, "merge-order", *options)["order"]
    assert [entry["position"] for entry in found] == list(range(1, len(found) + 1))
    return found


def entry(repo: Repo, branch: str, *options: str) -> dict[str, Any]:
    """Return one branch of the merge order."""
    return next(one for one in order(repo, *options) if one["branch"] == branch)


def names(repo: Repo) -> list[str]:
    """Return the merge order by name."""
    return [one["branch"] for one in order(repo)]


def finished(repo: Repo, *artifacts: str) -> None:
    """Let a worker claim and change artifacts, and say that it is done."""
    for name in artifacts:
        answer(repo, "claim", f"artifact:{name}")
    repo.commit("work", dict.fromkeys(artifacts or ("note",), f"{repo.path.name}\n"))
    answer(repo, "finish")


def test_finish_claims_the_branch_and_says_where_it_stands(one: Repo) -> None:
    """Its other claims stay, and are named."""
    answer(one, "claim", "artifact:s.json", "x")
    tip = one.commit("work")

    found = answer(one, "finish")

    assert (found["branch"], found["scope"]) == ("feat-one", "branch:feat-one")
    assert (found["state"], found["tip"]) == ("finished", tip)
    assert found["claims"] == ["artifact:s.json", "branch:feat-one", "task:x"]
    assert "; 2 claims and the branch's own stay until it lands" in one.coord("finish").out
    row = scope(one, "branch:feat-one")
    assert (row["state"], row["holder"]["actor"]) == ("held", "one-0001")
    assert row["finished_at"] == found["finished_at"]
    assert scope(one, "artifact:s.json")["state"] == "held"
    board = one.coord("board").out
    assert "branch:feat-one" in board
    assert "(finished)" in board


def test_finish_again_changes_nothing(one: Repo) -> None:
    """No event, the same answer; the log shows who finished at which commit."""
    tip = one.commit("work")
    before = answer(one, "finish")

    assert answer(one, "finish") == before
    (event,) = answer(one, "log", "branch:feat-one")["events"]
    assert (event["kind"], event["actor"], event["tip"]) == ("finish", "one-0001", tip)


def test_names_that_a_line_has_no_room_for_are_to_be_had(
    shared: Repo, tmp_path: Path, one: Repo, two: Repo
) -> None:
    """Of five in a line the last names three, and it is said what names all."""
    others = [worker(shared, tmp_path / f"w{at}", f"feat-{at}", f"w-000{at}") for at in (3, 4, 5)]
    for repo in (one, two, *others[:2]):
        answer(repo, "claim", "artifact:a")
    assert "--json" not in shared.coord("merge-order").err
    answer(others[2], "claim", "artifact:a")
    done = shared.coord("merge-order")

    assert "after feat-4, feat-3, feat-two and 1 more" in done.out
    assert "git coord merge-order --json names every branch that each waits on\n" in done.err


def test_what_is_not_committed_is_not_part_of_it(one: Repo) -> None:
    """Said, not refused."""
    one.write("README", "more\n")

    done = one.coord("finish")

    assert done.code == 0
    assert "1 path is not committed, and not part of it: README\n" in done.err
    for name in "abc":
        one.write(f"{name}\x1b", "")
    said = one.coord("finish").err
    assert (
        "4 paths are not committed, and not part of it: README, a\\x1b, b\\x1b and 1 more\n" in said
    )
    assert "not committed: 4 paths: README, a\\x1b" in one.coord("sign-off").out


def test_somebody_elses_branch_is_not_ones_own_to_finish(one: Repo, two: Repo) -> None:
    """The printed command shows who holds it."""
    answer(two, "claim", "branch:feat-one")

    done = one.coord("finish")

    assert (done.code, done.refusal.rule) == (1, "not-holder")
    assert "two-0002" in done.refusal.why
    assert "two-0002" in one.paste(done.refusal.run).out
    assert len(answer(one, "log", "branch:feat-one")["events"]) == 1


def test_the_branch_of_a_removed_worktree_is_taken_over_first(
    shared: Repo, one: Repo, tmp_path: Path
) -> None:
    """The printed command does it, and then finish works."""
    answer(one, "claim", "branch:feat-one")
    shutil.rmtree(one.path)
    shared.git("worktree", "prune")
    done = shared.coord("worktree", "add", str(tmp_path / "new"), "feat-one", "--actor", "new-0003")
    new = shared.at(tmp_path / "new")
    assert done.code == 0, done.err

    refused = new.coord("finish")

    assert refused.refusal.rule == "not-holder"
    assert new.paste(refused.refusal.run).code == 0
    assert new.coord("finish").code == 0


def test_a_claim_made_by_a_coordinator_is_taken_up(shared: Repo, one: Repo) -> None:
    """For this branch, until its worker does."""
    answer(shared, "claim", "branch:feat-one", "--branch", "feat-one")

    assert one.coord("finish").code == 0
    assert scope(one, "branch:feat-one")["holder"]["actor"] == "one-0001"


def test_a_detached_head_is_no_branch_to_finish(one: Repo) -> None:
    """The printed command makes one."""
    one.git("switch", "-q", "--detach")

    done = one.coord("finish")

    assert (done.code, done.refusal.rule) == (1, "head-detached")
    assert one.paste(done.refusal.run).code == 0
    assert answer(one, "finish")["branch"] == "one-0001"


def test_a_rebase_under_way_is_ended_first(one: Repo) -> None:
    """Its branch comes back with the printed command."""
    one.commit("work")
    one.tried("rebase", "-q", "--exec", "false", "HEAD~1")

    done = one.coord("finish")

    assert done.refusal.rule == "head-detached"
    assert one.paste(done.refusal.run).code == 0
    assert one.coord("finish").code == 0


def test_a_branch_without_a_commit_is_nothing_to_finish(shared: Repo, tmp_path: Path) -> None:
    """Unborn; the merge order has nothing to say yet either."""
    unborn = type(shared).init(tmp_path / "unborn", shared.env)
    assert order(unborn) == []
    answer(unborn, "claim", "artifact:x", "--branch", "next")
    assert [one["state"] for one in order(unborn)] == ["running"]

    done = unborn.coord("finish")

    assert (done.code, done.refusal.rule) == (1, "branch-unborn")
    assert unborn.paste(done.refusal.run).code == 0
    assert unborn.coord("finish").code == 0


def test_a_bare_repository_has_no_branch_to_finish_but_an_order(
    shared: Repo, one: Repo, tmp_path: Path
) -> None:
    """A coordinator may sit in it."""
    finished(one, "s.json")
    shared.git("clone", "-q", "--bare", str(shared.path), str(tmp_path / "b.git"))
    shutil.copytree(shared.common("coord"), tmp_path / "b.git" / "coord")
    bare = shared.bare(tmp_path / "b.git")

    done = bare.coord("finish")

    assert (done.code, done.refusal.rule) == (3, "no-worktree")
    assert bare.paste(done.refusal.run).code == 0
    assert entry(bare, "feat-one")["state"] == "finished"
    assert entry(bare, "feat-one", "--onto", "feat-one~1")["state"] == "finished"


@pytest.mark.parametrize("verb", [["finish"], ["release", "--landed"]])
def test_an_inferred_identity_among_several_worktrees_is_refused(
    repo: Repo, tmp_path: Path, verb: list[str]
) -> None:
    """The shared checkout may sit on a peer's branch."""
    worker(repo, tmp_path / "side", "side", "side-0001")

    done = repo.coord(*verb)

    assert (done.code, done.refusal.rule) == (1, "identity-inferred")
    assert repo.paste(done.refusal.run).code == 0
    assert repo.coord(*verb).code == 0


def test_the_contract(shared: Repo, one: Repo, two: Repo) -> None:
    """What others build on: the keys of one branch and of the answer."""
    finished(one, "s.json")
    answer(two, "claim", "artifact:s.json", "artifact:b/../a.json")

    found = answer(shared, "merge-order")

    assert (found["onto"], found["cycles"]) == ("main", [])
    assert found["onto_commit"] == shared.git("rev-parse", "main")
    first, second = found["order"]
    assert first == {
        "position": 1,
        "branch": "feat-one",
        "actor": "one-0001",
        "instance": answer(one, "whoami")["instance"],
        "state": "finished",
        "footprint": ["s.json"],
        "waits_on": [],
        "undeclared": [],
        "unchanged": [],
        "absent": False,
        "since": first["since"],
        "tip": one.git("rev-parse", "HEAD"),
        "exists": True,
        "ref": "feat-one",
        "elsewhere": None,
        "finished_at": first["finished_at"],
        "finished_tip": one.git("rev-parse", "HEAD"),
        "changed_since_finish": False,
        "was": [],
        "under": [],
    }
    assert (second["branch"], second["state"]) == ("feat-two", "running")
    assert second["footprint"] == ["a.json", "s.json"]
    assert second["waits_on"] == ["feat-one"]


def test_finished_branches_come_first_the_widest_first(shared: Repo, one: Repo, two: Repo) -> None:
    """Running ones take their place behind, marked."""
    three = worker(shared, one.path.parent / "three", "feat-three", "three-0003")
    answer(three, "claim", "artifact:a", "artifact:b", "artifact:c")
    finished(one)
    finished(two, "s.json")

    assert names(shared) == ["feat-two", "feat-one", "feat-three"]
    shown = shared.coord("merge-order")
    assert shown.out.startswith("3 branches onto main: 2 finished, 1 running\n")
    assert "feat-three  three-0003  running   3 artifacts   not to be disturbed" in shown.out
    assert shown.err == ""


def test_none_comes_before_a_branch_it_waits_on(shared: Repo, one: Repo, two: Repo) -> None:
    """However wide; said on the screen."""
    answer(one, "claim", "artifact:s.json")
    answer(two, "claim", "artifact:s.json", "artifact:t.json")
    one.commit("one")
    answer(one, "finish")
    two.commit("two")
    answer(two, "finish")

    assert names(shared) == ["feat-one", "feat-two"]
    assert "2 artifacts  after feat-one" in shared.coord("merge-order").out


def test_a_circle_of_waits_is_reported_and_broken(shared: Repo, one: Repo, two: Repo) -> None:
    """At the widest."""
    answer(one, "claim", "artifact:a")
    answer(two, "claim", "artifact:b", "artifact:c")
    answer(one, "claim", "artifact:b")
    answer(two, "claim", "artifact:a")

    found = answer(shared, "merge-order")

    assert [one["branch"] for one in found["order"]] == ["feat-two", "feat-one"]
    assert found["cycles"] == [["feat-two", "feat-one"]]
    shown = shared.coord("merge-order").out
    assert "a circle of waits, broken at feat-two: feat-two, feat-one" in shown
    assert "though it waits on feat-one" in shown


def test_a_wait_of_the_dead_holds_nobody_up(shared: Repo, one: Repo, two: Repo) -> None:
    """It is passed over in the line, and here; a finished branch's worker may be gone."""
    three = worker(shared, one.path.parent / "three", "feat-three", "three-0003")
    answer(one, "claim", "artifact:s.json")
    with living(two, before=SESSION) as live:
        assert live.run("git coord claim artifact:s.json")[0] == 0
        live.end()
    answer(three, "claim", "artifact:s.json")
    assert entry(shared, "feat-three")["waits_on"] == ["feat-one"]

    two.commit("work")
    with living(two, before=SESSION) as live:
        assert live.run("git coord finish")[0] == 0
        live.end()

    assert entry(shared, "feat-three")["waits_on"] == ["feat-one", "feat-two"]
    assert one.coord("release", "artifact:s.json").code == 0
    assert scope(one, "artifact:s.json")["holder"]["actor"] == "two-0002"


def test_a_running_branch_without_a_worker_is_shown_so(shared: Repo, one: Repo) -> None:
    """Nobody is disturbed by taking it over, and nobody will finish it."""
    answer(one, "claim", "artifact:s.json")
    shutil.rmtree(one.path)
    assert not entry(shared, "feat-one")["absent"]  # it may only not be mounted here
    shared.git("worktree", "prune")

    assert entry(shared, "feat-one")["absent"]
    assert "its worker is gone" in shared.coord("merge-order").out


def test_new_commits_after_finish_are_shown(shared: Repo, one: Repo) -> None:
    """The branch stays finished; saying so again records where it stands now."""
    finished(one)
    one.commit("one more thing")

    found = entry(shared, "feat-one")
    assert (found["state"], found["changed_since_finish"]) == ("finished", True)
    assert "changed since it was finished" in shared.coord("merge-order").out

    answer(one, "finish")
    assert not entry(shared, "feat-one")["changed_since_finish"]


def test_saying_something_new_of_the_branch_is_being_at_work_on_it(shared: Repo, one: Repo) -> None:
    """A claim that says nothing new is not."""
    finished(one)
    answer(one, "claim", "branch:feat-one")
    assert entry(shared, "feat-one")["state"] == "finished"

    answer(one, "claim", "branch:feat-one", "--intent", "one more thing")

    assert entry(shared, "feat-one")["state"] == "running"
    answer(one, "finish")
    assert entry(shared, "feat-one")["state"] == "finished"


def test_a_sign_off_keeps_what_is_claimed_for_a_finished_branch(
    shared: Repo, one: Repo, two: Repo
) -> None:
    """Its worker is done; the integrator is not. All else is released."""
    finished(one, "s.json")
    one.git("switch", "-q", "-c", "other")
    answer(one, "claim", "elsewhere", "artifact:s.json")

    found = answer(one, "sign-off")

    assert [released["scope"] for released in found["released"]] == [
        "artifact:s.json",
        "task:elsewhere",
    ]
    assert found["kept"] == ["artifact:s.json", "branch:feat-one"]
    assert scope(two, "artifact:s.json")["holder"]["branch"] == "feat-one"
    assert names(shared) == ["feat-one"]


def test_declared_is_compared_with_actual(shared: Repo, one: Repo, two: Repo) -> None:
    """Derived files only; a claimed folder stands for what is in it."""
    answer(one, "claim", "artifact:gen", "artifact:never.json", "artifact:plain")
    one.commit("work", {"gen/a.json": "1\n", "s.json": "1\n", "other": "1\n", "plain": "1\n"})
    answer(one, "finish")
    answer(two, "claim", "artifact:later.json")

    found = entry(shared, "feat-one")

    assert found["undeclared"] == ["s.json"]
    assert found["unchanged"] == ["never.json"]
    shown = shared.coord("merge-order").out
    assert "      changed but not claimed: s.json\n" in shown
    assert "      claimed but not changed: never.json\n" in shown
    assert entry(shared, "feat-two")["unchanged"] == ["later.json"]
    assert "later.json" not in shown


def test_what_came_from_the_target_is_no_change_of_the_branch(shared: Repo, one: Repo) -> None:
    """A branch that merged main is compared with the main it merged, even crosswise."""
    one.commit("mine", {"mine.json": "1\n"})
    for number in range(3):
        shared.commit(f"theirs {number}", {f"theirs-{number}.json": "1\n", "s.json": f"{number}\n"})
        one.git("merge", "-q", "-m", f"take {number}", "main")
    answer(one, "finish")

    assert entry(shared, "feat-one")["undeclared"] == ["mine.json"]


def test_a_deleted_artifact_is_a_change(shared: Repo, one: Repo) -> None:
    """Claimed and gone is not claimed and unchanged."""
    answer(one, "claim", "artifact:s.json")
    one.git("rm", "-q", "s.json")
    one.commit("drop")
    answer(one, "finish")

    found = entry(shared, "feat-one")
    assert (found["undeclared"], found["unchanged"]) == ([], [])


def test_an_unrelated_history_is_no_crash(shared: Repo, one: Repo) -> None:
    """Nothing can be said of its changes."""
    one.git("switch", "-q", "--orphan", "fresh")
    one.commit("another world", {"new.json": "1\n"})
    answer(one, "claim", "artifact:other.json")
    answer(one, "finish")

    found = entry(shared, "fresh")
    assert (found["state"], found["undeclared"], found["unchanged"]) == ("finished", [], [])


def test_branches_that_are_no_more_are_shown_as_such(shared: Repo, one: Repo, two: Repo) -> None:
    """Claimed and never made; finished and deleted; deleted and collected."""
    answer(one, "claim", "artifact:x", "--branch", "planned")
    finished(two)
    two.git("switch", "-q", "--detach")
    two.git("branch", "-q", "-D", "feat-two")

    found = entry(shared, "feat-two")
    assert (found["state"], found["exists"]) == ("finished", False)
    assert found["tip"] == two.git("rev-parse", "HEAD")
    assert entry(shared, "planned")["tip"] is None
    shown = shared.coord("merge-order").out
    assert f"deleted, finished at {found['tip'][:12]}\n" in shown
    assert "not to be disturbed, no such branch" in shown
    command = f"git branch feat-two {found['tip'][:12]}"
    assert f"      to have it back: {command}\n" in shown
    rehearsed = shared.coord("merge-order", "--rehearse").out
    assert f"feat-two  left-out  deleted, finished at {found['tip'][:12]}\n" in rehearsed
    assert f"\n  {command}\n" in rehearsed
    (step,) = answer(shared, "merge-order", "--rehearse", code=1)["rehearsal"]["steps"]
    assert step["commands"] == [command]
    assert shared.paste(command).code == 0
    assert "feat-two  clean" in shared.coord("merge-order", "--rehearse").out
    shared.git("branch", "-q", "-D", "feat-two")

    two.git("checkout", "-q", "main~0")
    for name in ("HEAD", "ORIG_HEAD"):
        two.git("reflog", "expire", "--expire=now", "--all")
        (two.private(name) if name != "HEAD" else two.path / "none").unlink(missing_ok=True)
    shared.git("gc", "-q", "--prune=now")
    assert entry(shared, "feat-two")["tip"] is None
    assert "which is gone too" in shared.coord("merge-order").out


def test_the_target_itself_is_not_merged(shared: Repo, one: Repo) -> None:
    """Neither as HEAD, nor as the branch that a remote one mirrors."""
    answer(shared, "claim", "coordinate")
    finished(one)
    shared.git("update-ref", "refs/remotes/origin/main", "main~1")

    assert names(shared) == ["feat-one"]
    assert [one["branch"] for one in order(shared, "--onto", "origin/main")] == ["feat-one"]
    assert [one["branch"] for one in order(shared, "--onto", "feat-one")] == ["main"]


def test_an_unknown_target_is_wrong_usage(shared: Repo) -> None:
    """Exit 2; an option in disguise is no option."""
    for name in ("nix", "--all", ""):
        done = shared.coord("merge-order", f"--onto={name}")
        assert (done.code, done.refusal.rule) == (2, "revision-unknown")
        assert done.refusal.headline.endswith(f": {name or '--onto (empty)'}")
        assert shared.paste(done.refusal.run).code == 0


def test_names_of_others_are_shown_escaped(shared: Repo, one: Repo) -> None:
    """Branches with bidirectional marks and odd letters; artifacts with control characters."""
    one.git("switch", "-q", "-c", "feat/\u202egnp.é")
    answer(one, "claim", "artifact:a\x1b[31m.json", "artifact:e\u0301.json")
    one.commit("work", {"e\u0301.json": "1\n", "s\x07.json": "1\n"})
    answer(one, "finish")

    found = entry(shared, "feat/\u202egnp.é")
    shown = shared.coord("merge-order").out

    assert found["undeclared"] == ["s\x07.json"]
    assert found["unchanged"] == ["a\x1b[31m.json"]
    assert "feat/\\u202egnp.é" in shown
    assert "changed but not claimed: s\\x07.json" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


def test_an_empty_board_has_an_empty_order(shared: Repo) -> None:
    """In a sentence, and as a document."""
    assert answer(shared, "merge-order")["order"] == []
    assert "nothing to merge onto main" in shared.coord("merge-order").out


def test_an_unreadable_record_is_no_crash(shared: Repo, one: Repo) -> None:
    """Held by unknown: a branch of nobody that can be named."""
    finished(one, "s.json")
    for record in one.common("coord/board/claims").rglob("0*1"):
        record.chmod(0o644)
        record.write_bytes(b"{")

    found = answer(shared, "merge-order")["order"]
    assert [(one["branch"], one["actor"], one["state"]) for one in found] == [
        ("feat-one", "unknown", "running")
    ]
