"""``claim`` and ``release``: one line a scope, owned by instance, never by a guess."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from harness.board import SESSION, answer, eventually, living, scope, worker

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def test_the_first_holds_and_the_second_waits(one: Repo, two: Repo) -> None:
    """Neither is a failure; the second's record says on whom."""
    first = answer(one, "claim", "x")["claims"][0]
    second = answer(two, "claim", "x")["claims"][0]

    assert first["scope"] == second["scope"] == "task:x"
    assert (first["state"], first["place"], first["waits_on"]) == ("held", 1, None)
    assert (second["state"], second["place"]) == ("waiting", 2)
    assert second["waits_on"]["actor"] == "one-0001"
    assert second["waits_on"]["branch"] == "feat-one"
    assert second["waits_on"]["instance"] == first["instance"]
    assert first["generation"] == second["generation"] == 1


def test_who_waits_for_an_artifact_is_told_to_go_on(one: Repo, two: Repo) -> None:
    """Only the branch is merged later: an agent that stops there stops for nothing."""
    answer(one, "claim", "artifact:schema.json")
    done = two.coord("claim", "artifact:schema.json")
    again = answer(two, "claim", "artifact:schema.json")["claims"][0]

    assert done.code == 0
    assert done.out == (
        "artifact:schema.json is held by one-0001 (feat-one); "
        "you are number 2 in the order of merging\n"
    )
    assert "go on, nobody has to wait for artifact:schema.json: " in done.err
    assert "your branch is merged after feat-one\n" in done.err
    assert "git coord wait" not in done.err
    assert (again["state"], again["merge_order_only"]) == ("waiting", True)
    assert answer(one, "claim", "artifact:schema.json")["claims"][0]["merge_order_only"] is False


def test_eight_who_claim_one_artifact_are_each_told_whom_they_are_merged_after(
    one: Repo, two: Repo, three: Repo
) -> None:
    """The branch right before, not the one that holds."""
    for worker_ in (one, two):
        answer(worker_, "claim", "artifact:schema.json")

    assert "is merged after feat-two\n" in three.coord("claim", "artifact:schema.json").err


def test_who_waits_for_a_task_or_for_a_run_is_not_told_to_go_on(one: Repo, two: Repo) -> None:
    """A task is one worker's; and what a command needs for itself alone it says by ``run``."""
    with living(one) as live:
        live.start("git coord run artifact:db -- sleep 30")
        assert eventually(lambda: answer(two, "board")["claims"])
        assert answer(two, "claim", "artifact:db")["claims"][0]["merge_order_only"] is False
    answer(one, "claim", "x")

    assert answer(two, "claim", "x")["claims"][0]["merge_order_only"] is False
    assert "go on" not in two.coord("claim", "x").err


def test_artifacts_claimed_crosswise_are_no_circle_of_waits(one: Repo, two: Repo) -> None:
    """Nobody waits for anything there; the merge order breaks such a circle."""
    for scopes_ in (("artifact:a", "artifact:b"), ("artifact:b", "artifact:a")):
        for worker_, name in zip((one, two), scopes_, strict=True):
            done = worker_.coord("claim", name)

            assert done.code == 0
            assert "circle" not in done.err


def test_the_same_claim_again_changes_nothing(one: Repo) -> None:
    """Idempotent: no event, no other answer."""
    before = answer(one, "claim", "x")
    after = answer(one, "claim", "x")

    assert before == after
    assert len(answer(one, "log", "x")["events"]) == 1


def test_a_claim_keeps_what_was_said_of_it(one: Repo) -> None:
    """Issue, intent, paths and session; branch, host, process and agent on its own."""
    claim = answer(
        one,
        *("claim", "artifact:./a//b.json", "--issue", "#12", "--intent", "do\nit"),
        *("--path", "src/*", "--path", "docs/*", "--session", "s-1"),
    )["claims"][0]

    assert claim["scope"] == "artifact:a/b.json"
    assert (claim["issue"], claim["session"], claim["intent"]) == (12, "s-1", "do\nit")
    assert claim["paths"] == ["src/*", "docs/*"]
    assert claim["branch"] == "feat-one"
    holder = scope(one, "artifact:a/b.json")["holder"]
    assert (holder["issue"], holder["intent"]) == (12, "do\nit")
    assert holder["host"] == os.uname().nodename
    assert holder["pid"] > 0


def test_an_issue_of_another_tracker_keeps_its_key(one: Repo) -> None:
    """Not all issues are numbers."""
    assert answer(one, "claim", "x", "--issue", "HW-12")["claims"][0]["issue"] == "HW-12"


@pytest.mark.parametrize(
    "text", ["", "#", "0", "-5", "1.5", " 12", "a b", "12\n", "HW\n1", "--json", "x\u202e1", "٣"]
)
def test_what_is_no_issue_is_wrong_usage(one: Repo, text: str) -> None:
    """As the next option that was taken for it; nothing is claimed."""
    done = one.coord("claim", "x", "--issue", text)

    assert (done.code, done.refusal.rule) == (2, "issue-invalid")
    assert answer(one, "board")["claims"] == []


@pytest.mark.parametrize("text", ["HW-12", "owner/repo#5", "https://example.com/i/5", "bd-a1b2"])
def test_keys_of_trackers_are_kept(one: Repo, text: str) -> None:
    """One word, whatever the tracker."""
    assert answer(one, "claim", "x", "--issue", text)["claims"][0]["issue"] == text


def test_several_scopes_are_claimed_once_each(one: Repo, two: Repo) -> None:
    """In one order everywhere, whatever was typed."""
    answer(two, "claim", "b")
    found = answer(one, "claim", "c", "b", "task:c", "a")["claims"]

    assert [(c["scope"], c["state"]) for c in found] == [
        ("task:a", "held"),
        ("task:b", "waiting"),
        ("task:c", "held"),
    ]


def test_a_coordinators_claim_is_its_workers_to_take_up(one: Repo, two: Repo) -> None:
    """Read in a report: claimed for feat-two, owned by who claimed until feat-two's worker does."""
    kept = answer(one, "claim", "x", "--branch", "feat-two", "--issue", "7")["claims"][0]
    assert (kept["actor"], kept["branch"], kept["state"]) == ("one-0001", "feat-two", "held")

    taken = answer(two, "claim", "x")["claims"][0]

    assert (taken["actor"], taken["state"], taken["issue"]) == ("two-0002", "held", 7)
    assert taken["generation"] == 2
    assert "two-0002's own now" in one.coord("whoami").err
    assert one.coord("release", "x").refusal.rule == "not-holder"


def test_a_branch_git_would_refuse_is_wrong_usage(one: Repo) -> None:
    """Exit 2, nothing claimed."""
    done = one.coord("claim", "x", "--branch", "a..b")

    assert done.code == 2
    assert one.paste(done.refusal.run).code == 0
    assert answer(one, "board")["claims"] == []


@pytest.mark.parametrize("name", ["a:b", "", "artifact:../x"])
def test_what_is_no_scope_is_wrong_usage_also_for_the_unpinned(repo: Repo, name: str) -> None:
    """Exit 2 before anything is pinned, minted or claimed."""
    done = repo.coord("claim", "good", name)

    assert done.code == 2
    assert done.refusal.rule == "scope-invalid"
    assert answer(repo, "board")["claims"] == []


def test_the_way_out_of_an_unknown_kind_works(one: Repo) -> None:
    """The printed command claims the name as a task."""
    done = one.coord("claim", "a:b")

    assert one.paste(done.refusal.run).code == 0
    assert scope(one, "task:a:b")["state"] == "held"


@pytest.mark.parametrize(
    "words",
    [
        ["release", "bogus:q"],
        ["release", "it's bogus:q"],
        ["wait", "bogus:q", "--timeout", "1s"],
        ["run", "bogus:q", "--", "true"],
        ["log", "bogus:q", "--json"],
        ["put-down", "bogus:q", "--reason", "weak"],
        ["ship", "new", "it's done", "--scope=bogus:q"],
        ["send", "help", "two-0002", "look", "--scope", "bogus:q"],
    ],
)
@pytest.mark.usefixtures("two")
def test_the_way_out_of_an_unknown_kind_is_the_very_verb(one: Repo, words: list[str]) -> None:
    """Pasted after a release, a claim would hold what nobody meant to."""
    done = one.coord(*words)

    assert done.refusal.run.startswith(f"git coord {words[0]} ")
    assert one.paste(done.refusal.run).code == 0
    assert not [row for row in answer(one, "board")["claims"] if row["holder"]]


def test_two_instances_of_one_name_and_branch_are_two_owners(repo: Repo, tmp_path: Path) -> None:
    """The same explicit actor in two worktrees: the second waits, and may not release."""
    side = repo.worktree(tmp_path / "side", "side")
    first, second = (place.with_env(COORD_ACTOR="claude") for place in (repo, side))
    answer(first, "claim", "x", "--branch", "same")

    claim = answer(second, "claim", "x", "--branch", "same")["claims"][0]

    assert claim["state"] == "waiting"
    assert claim["waits_on"]["actor"] == "claude"
    assert claim["waits_on"]["instance"] != claim["instance"]
    assert len(scope(repo, "task:x")["claimants"]) == 2


@pytest.mark.parametrize(
    "moves", [["switch", "-qc", "next"], ["branch", "-m", "next"], ["checkout", "-q", "--detach"]]
)
def test_a_claim_is_the_workers_whatever_branch_is_checked_out(one: Repo, moves: list[str]) -> None:
    """No waiting behind oneself; the place follows, and ``run`` and ``wait`` find it held."""
    answer(one, "claim", "x", "--intent", "do it")
    one.git(*moves)

    claim = answer(one, "claim", "x")["claims"][0]

    assert (claim["state"], claim["place"], claim["generation"]) == ("held", 1, 1)
    assert claim["branch"] == (None if "--detach" in moves else "next")
    assert claim["intent"] == "do it"
    assert one.coord("run", "x", "--no-wait", "--", "true").code == 0
    assert one.coord("wait", "x", "--timeout", "1s").code == 0
    kinds = [e["kind"] for e in answer(one, "log", "x")["events"]]
    assert [kind for kind in kinds if kind not in {"run", "release"}][:2] == ["claim", "update"]


def test_run_needs_no_second_claim_on_a_new_branch(one: Repo) -> None:
    """The place that the worker has serves, and is left as it is."""
    answer(one, "claim", "x")
    one.git("switch", "-qc", "next")

    assert one.coord("run", "x", "--no-wait", "--", "true").code == 0
    assert [c["branch"] for c in scope(one, "task:x")["claimants"]] == ["feat-one"]


def test_claims_on_behalf_of_two_branches_are_kept_apart(one: Repo) -> None:
    """The one waits for the other; and each is its own worker's to take up."""
    answer(one, "claim", "x", "--branch", "A")
    second = answer(one, "claim", "x", "--branch", "B")["claims"][0]

    assert (second["state"], second["waits_on"]["branch"]) == ("waiting", "A")
    assert [c["branch"] for c in scope(one, "task:x")["claimants"]] == ["A", "B"]


def test_a_new_branch_waits_for_the_finished_one_of_the_same_worktree(one: Repo) -> None:
    """Two branches that regenerate one artifact merge one after the other."""
    answer(one, "claim", "artifact:s.json")
    answer(one, "finish")
    one.git("switch", "-q", "-c", "next")

    claim = answer(one, "claim", "artifact:s.json")["claims"][0]
    again = one.coord("claim", "artifact:s.json")

    assert (claim["state"], claim["waits_on"]["branch"]) == ("waiting", "feat-one")
    assert "your claim for feat-one, until the branch has landed" in again.err
    assert answer(one, "sign-off")["kept"] == ["artifact:s.json", "branch:feat-one"]


@pytest.mark.parametrize("verb", [["claim", "x"], ["release", "x"], ["release"]])
def test_an_inferred_identity_among_several_worktrees_is_refused(
    repo: Repo, one: Repo, verb: list[str]
) -> None:
    """The shared checkout may sit on a peer's branch; the message says what to run."""
    done = repo.coord(*verb)

    assert done.code == 1
    assert done.refusal.rule == "identity-inferred"
    assert repo.paste(done.refusal.run).code == 0
    assert repo.coord(*verb).code == 0
    del one


def test_release_in_a_shared_checkout_keeps_the_peers_claim(repo: Repo, one: Repo) -> None:
    """A worker releases from the shared checkout while that sits on the peer's branch."""
    answer(one, "claim", "x")
    one.git("switch", "-q", "--detach")
    repo.git("switch", "-q", "feat-one")

    done = repo.coord("release", "x")

    assert done.code == 1
    assert "feat-one" in done.refusal.headline
    assert scope(one, "task:x")["holder"]["actor"] == "one-0001"


def test_another_explicit_actor_than_the_pinned_is_refused(one: Repo) -> None:
    """Naming both; the printed command acts as the pinned one."""
    odd = one.with_env(COORD_ACTOR="somebody")
    done = odd.coord("claim", "x y", "--intent", "it's")

    assert done.code == 1
    assert done.refusal.rule == "identity-conflict"
    assert odd.paste(done.refusal.run).code == 0
    assert scope(one, "task:x y")["holder"]["intent"] == "it's"


def test_a_release_under_a_leaked_git_dir_is_refused(repo: Repo, one: Repo) -> None:
    """Inside ``git rebase --exec 'cd ../b && …'`` of another worktree."""
    answer(one, "claim", "x")
    leaked = one.with_env(GIT_DIR=str(repo.path / ".git"))

    done = leaked.run("git-coord", "release", "x")

    assert done.code == 1
    assert done.refusal.rule == "identity-conflict"
    assert leaked.paste(done.refusal.run).code == 0
    assert scope(one, "task:x")["state"] == "free"


@pytest.mark.parametrize(
    "verb",
    [
        "claim x --intent it",
        "run x -- true",
        "finish",
        "id next ADR",
        "ship new things",
        "put-down task:x --reason weak",
        "track log moves.tsv",
        "worktree add -b more -- ../more",
    ],
)
def test_what_owns_something_is_refused_under_a_leaked_git_dir(
    repo: Repo, one: Repo, verb: str
) -> None:
    """As what gives it up is: a claim that its own shell cannot release is a trap."""
    leaked = one.with_env(GIT_DIR=str(repo.path / ".git"))

    done = leaked.run("git-coord", *verb.split())

    assert (done.code, done.refusal.rule) == (1, "identity-conflict")
    assert verb in done.refusal.run
    assert leaked.paste(done.refusal.run).code == 0


def test_a_release_makes_the_next_in_line_holder_and_tells_it(one: Repo, two: Repo) -> None:
    """At its next command, whichever that is, and once."""
    answer(one, "claim", "x")
    answer(two, "claim", "x")

    released = answer(one, "release", "x")["released"][0]

    assert released["next"]["actor"] == "two-0002"
    assert scope(one, "task:x")["generation"] == 2
    assert "task:x is yours now, generation 2; one-0001 left it to you" in two.coord("whoami").err
    assert "yours now" not in two.coord("whoami").err


def test_who_waits_can_leave_the_line(one: Repo, two: Repo) -> None:
    """Without a change of holder."""
    answer(one, "claim", "x")
    answer(two, "claim", "x")

    assert two.coord("release", "x").code == 0
    assert [c["actor"] for c in scope(one, "task:x")["claimants"]] == ["one-0001"]
    assert scope(one, "task:x")["generation"] == 1


def test_only_ones_own_claims_are_released(one: Repo, two: Repo) -> None:
    """Exit 1, and nothing of the rest happens either."""
    answer(one, "claim", "x")
    answer(two, "claim", "y")

    done = two.coord("release", "x", "y")

    assert done.code == 1
    assert done.refusal.rule == "not-holder"
    assert "one-0001" in done.refusal.why
    assert two.paste(done.refusal.run).code == 0
    assert scope(two, "task:y")["holder"]["actor"] == "two-0002"


def test_release_alone_gives_up_everything(one: Repo, two: Repo) -> None:
    """Held and waited for, and nothing of a peer's; and again, which is no fault."""
    answer(one, "claim", "a", "b")
    answer(two, "claim", "b", "c")

    assert [c["scope"] for c in answer(two, "release")["released"]] == ["task:b", "task:c"]
    assert answer(two, "release")["released"] == []
    assert scope(one, "task:b")["holder"]["actor"] == "one-0001"


def test_release_of_a_free_scope_succeeds(one: Repo) -> None:
    """A retry after a lost answer is no failure."""
    answer(one, "claim", "x")
    answer(one, "release", "x")

    done = one.coord("release", "x")

    assert done.code == 0
    assert "held by nobody" in done.err


def test_a_free_scope_is_claimed_anew_with_the_next_generation(one: Repo, two: Repo) -> None:
    """The fencing token of a scope never goes back."""
    answer(one, "claim", "x")
    answer(one, "release", "x")

    assert answer(two, "claim", "x")["claims"][0]["generation"] == 2


def test_waits_of_the_dead_are_ignored_at_once(one: Repo, two: Repo, repo: Repo) -> None:
    """A worker killed while in line is neither counted nor promoted."""
    three = worker(repo, two.path.parent / "three", "feat-three", "three-0003")
    answer(one, "claim", "x")
    with living(two, before=SESSION) as live:
        assert live.run("git coord claim x")[0] == 0
        assert scope(one, "task:x")["state"] == "contested"
        live.end()
    row = scope(one, "task:x")
    assert row["state"] == "held"
    assert row["claimants"][1]["state"] == "dead"
    assert answer(three, "claim", "x")["claims"][0]["place"] == 2

    answer(one, "release", "x")

    assert scope(one, "task:x")["holder"]["actor"] == "three-0003"
    assert "passed over" in two.coord("whoami").err


def test_the_short_lived_shell_of_a_command_is_not_the_worker(one: Repo) -> None:
    """Each command has its own shell and session; the claim is the worker's above them."""
    with living(one) as live:
        live.run("setsid -w sh -c 'git coord claim x; true'; true")
        holder = scope(one, "task:x")["holder"]

        assert holder["pid"] == live.process.pid
        assert not scope(one, "task:x")["dead"]


NASTY = [
    "a/../b",
    "..",
    "CON",
    "x\ny",
    "\x1b[31m",
    "é" * 2000,
    "x" * 4000,
    "A",
    "a",
    "caf\u00e9",
]


def test_any_name_is_a_task_of_its_own(one: Repo) -> None:
    """Unicode, 4,000 characters, case pairs, dots, slashes, control characters."""
    found = answer(one, "claim", *(f"task:{name}" for name in NASTY))["claims"]

    assert sorted(c["scope"] for c in found) == sorted(f"task:{name}" for name in NASTY)
    assert all(c["state"] == "held" for c in found)
    assert answer(one, "claim", "cafe\u0301")["claims"][0]["scope"] == "task:caf\u00e9"
    shown = one.coord("board")
    assert "\x1b" not in shown.out
    assert "task:a and task:A differ in case only" in shown.err.replace(
        "task:A and task:a", "task:a and task:A"
    )


@pytest.mark.parametrize("hours", [24, -24])
def test_a_step_of_the_clock_changes_no_ownership(one: Repo, two: Repo, hours: int) -> None:
    """The second claimant's clock is a day off: it still waits, and releases only its own."""
    answer(one, "claim", "x")
    code = (
        "import time, sys; real = time.time\n"
        f"time.time = lambda: real() + {hours * 3600}\n"
        "from coord.cli.main import run; run()"
    )
    stepped = two.with_env(TZ="Pacific/Kiritimati")

    done = stepped.run(sys.executable, "-c", code, "claim", "x", "--json")

    assert json.loads(done.out)["claims"][0]["state"] == "waiting"
    assert scope(one, "task:x")["holder"]["actor"] == "one-0001"
    assert stepped.run(sys.executable, "-c", code, "release", "x").code == 0
    assert scope(one, "task:x")["holder"]["actor"] == "one-0001"


@pytest.mark.parametrize("content", [b"", b"{", b"\0\xff", b'{"schema":1}'])
def test_a_torn_record_is_held_by_unknown(one: Repo, two: Repo, content: bytes) -> None:
    """Never free, never a crash: shown, waited for, taken over on the record."""
    answer(one, "claim", "x")
    (record,) = one.common("coord/board/claims").rglob("0*1")
    record.chmod(0o644)
    record.write_bytes(content)

    row = scope(one, "task:x")
    assert (row["state"], row["holder"]["actor"], row["holder"]["instance"]) == (
        "held",
        "unknown",
        None,
    )
    claim = answer(two, "claim", "x")["claims"][0]
    assert (claim["state"], claim["waits_on"]["actor"]) == ("waiting", "unknown")
    assert "unknown" in two.coord("board").out
    assert two.coord("release", "x").code == 0
    taken = answer(two, "take-over", "x", "--reason", "torn")["claims"][0]
    assert taken["state"] == "held"


def test_a_common_dir_that_cannot_be_written_is_said(one: Repo) -> None:
    """Exit 3 naming the folder for the sandbox's list; nothing half-made, the board reads on."""
    answer(one, "claim", "x")
    common = one.common()
    if subprocess.run(["unshare", "-rm", "true"], check=False, capture_output=True).returncode:
        pytest.skip("no user namespaces here")
    script = (
        f"mount --bind '{common}' '{common}' && mount -o remount,bind,ro '{common}' && "
        "git coord board --json >board && exec git coord claim y"
    )

    done = one.run("unshare", "-rm", "sh", "-c", script)

    assert done.code == 3
    assert done.refusal.rule == "not-writable"
    assert f"add {common} to the sandbox's writable roots" in done.refusal.why
    assert one.paste(done.refusal.run).out.strip() == str(common)
    board = json.loads((one.path / "board").read_text())
    assert [row["scope"] for row in board["claims"]] == ["task:x"]
    assert [row["scope"] for row in answer(one, "board")["claims"]] == ["task:x"]


def test_it_works_from_anywhere_in_any_repository(odd_path: Repo, tmp_path: Path) -> None:
    """A subdirectory, a detached HEAD, an unborn branch, an odd path; artifacts from the top."""
    odd_path.write("sub/f", "x")
    sub = odd_path.at(odd_path.path / "sub")
    assert answer(sub, "claim", "artifact:a.json")["claims"][0]["scope"] == "artifact:a.json"
    odd_path.git("checkout", "-q", "--detach")
    assert answer(odd_path, "claim", "detached")["claims"][0]["branch"] is None
    unborn = type(odd_path).init(tmp_path / "unborn", odd_path.env)
    assert answer(unborn, "claim", "x")["claims"][0]["branch"] == "main"


def test_a_bare_repository_has_a_board_too(tmp_path: Path, env: dict[str, str], repo: Repo) -> None:
    """A coordinator may sit in it."""
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "b.git"))
    bare = repo.bare(tmp_path / "b.git")
    assert answer(bare, "claim", "x")["claims"][0]["state"] == "held"
    assert scope(bare, "task:x")["state"] == "held"
    del env


@pytest.mark.parametrize("end", [["release", "x"], ["release"], ["sign-off"]])
def test_the_next_in_line_is_told_what_was_shipped(one: Repo, two: Repo, end: list[str]) -> None:
    """In its peer's words, so that it does not do the same again; the log keeps them."""
    one.coord("ship", "improve", "before the claim", "--scope", "x")
    answer(one, "claim", "x")
    answer(two, "claim", "x")
    one.coord("ship", "new", "x is\ndone", "--scope", "x")
    one.coord("ship", "new", "something else", "--scope", "y")
    two.coord("ship", "new", "not the holder's", "--scope", "x")

    assert answer(one, *end)["released"][0]["shipped"] == "new: x is done"

    news = two.coord("whoami").err.splitlines()
    assert news[0].startswith("coord: task:x is yours now, generation 2")
    assert news[1:2] == ["| shipped new: x is done"]
    assert "before the claim" not in "".join(news)
    assert "      | shipped new: x is done" in two.coord("log", "x").out
    assert answer(two, "log", "x")["events"][-1]["shipped"] == "new: x is done"


def test_who_waits_is_told_what_was_shipped_as_the_wait_ends(one: Repo, two: Repo) -> None:
    """There may be no other command before the work begins."""
    answer(one, "claim", "lane:docs")
    answer(two, "claim", "lane:docs")
    one.coord("ship", "new", "a page", "--lane", "docs")
    with living(two) as live:
        live.start("git coord wait lane:docs --timeout 20s")
        assert eventually(lambda: len(live.children()) > 1)
        answer(one, "release")
        assert live.process.stdout is not None
        code, _, err = eval(live.process.stdout.readline())  # noqa: S307  # ours

    assert (code, "| shipped new: a page" in err) == (0, True)


@pytest.mark.parametrize("content", [b"no ledger\n", b"\0", None])
def test_a_ledger_that_cannot_be_read_keeps_no_claim(one: Repo, content: bytes | None) -> None:
    """A release goes on without it."""
    answer(one, "claim", "x")
    if content is None:
        (one.path / "coordination").symlink_to("/etc")
    else:
        one.write("coordination/moves.tsv", content)

    assert answer(one, "release", "x")["released"][0]["shipped"] is None


def test_leaving_a_line_reports_the_holder_unchanged(one: Repo, two: Repo) -> None:
    """It held all along."""
    answer(one, "claim", "x")
    answer(two, "claim", "x")

    assert two.coord("release", "x").out == "task:x is still held by one-0001\n"


def test_what_became_of_each_is_told_where_one_of_several_fails(installed: Repo) -> None:
    """What was claimed before stands, and what comes after was not tried."""
    folder = installed.common("coord/board/claims")
    assert installed.coord("claim", "a").code == 0
    (folder / "s-task=3ab").write_text("")

    failed = installed.coord("claim", "a", "b", "c")

    assert failed.code == 3
    assert "claim task:a stands on the board" in failed.err
    assert "claim task:c was not tried" in failed.err
    assert "store-unavailable" in failed.err
