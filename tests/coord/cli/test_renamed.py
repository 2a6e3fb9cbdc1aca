"""A branch under another name than the one it was claimed by: its work is known again."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import pytest

from coord.board.renamed import Names
from coord.repo import worktree
from coord.repo.worktree import Worktree
from harness.board import answer, scope, worker
from harness.grounds import git_version

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness import Repo


@pytest.fixture
def one(tmp_path: Path, hub: Repo) -> Repo:
    """A worker that has finished `b`, with an artifact and a task."""
    made = worker(hub, tmp_path / "one", "b", "one-0001")
    answer(made, "claim", "artifact:x", "y")
    made.commit("work", {"x": "1\n"})
    answer(made, "finish")
    return made


def order(repo: Repo) -> list[dict[str, Any]]:
    """Return the merge order."""
    found: list[dict[str, Any]] = answer(repo, "merge-order")["order"]
    return found


def _anew(one: Repo) -> None:
    one.git("switch", "-q", "-c", "new")
    one.git("branch", "-q", "-D", "b")


def _without_a_word(one: Repo) -> None:
    """Rename as ``git refs rename`` of git 2.55 does: the log goes along, HEAD stays."""
    if one.common("reftable").exists():
        _by_git(one)
    else:
        _by_hand(one)
    one.git("symbolic-ref", "HEAD", "refs/heads/new")


def _by_git(one: Repo) -> None:
    if git_version(one) < (2, 55):
        pytest.skip("git has history and refs rename since 2.55")
    one.git("refs", "rename", "refs/heads/b", "refs/heads/new")


def _by_hand(one: Repo) -> None:
    common, tip = one.common(), one.git("rev-parse", "HEAD")
    line = f"{tip} {tip} {one.git('var', 'GIT_COMMITTER_IDENT')}\n"
    log = (common / "logs/refs/heads/b").read_text()
    one.git("update-ref", "refs/heads/new", tip)
    (common / "logs/refs/heads/new").write_text(log + line)
    one.git("update-ref", "-d", "refs/heads/b")


def _amended(one: Repo) -> None:
    _anew(one)
    one.write("more", "2\n")
    one.git("add", "more")
    one.git("commit", "-q", "--amend", "-m", "better")


def _twice(one: Repo) -> None:
    one.git("branch", "-m", "between")
    one.git("branch", "-m", "new")
    time.sleep(1.1)  # reflogs count seconds: within one, nobody can tell which was first
    one.git("branch", "-q", "b", "main")  # the name is another's by now


def _elsewhere(one: Repo) -> None:
    one.at(one.common().parent).git("branch", "-m", "b", "new")


def _over(one: Repo) -> None:
    one.git("branch", "-q", "new", "main")
    one.git("branch", "-M", "b", "new")


@pytest.mark.parametrize("rename", [_twice, _elsewhere, _over, _without_a_word, _anew, _amended])
def test_a_finished_branch_is_its_commits(
    hub: Repo, one: Repo, rename: Callable[[Repo], None]
) -> None:
    """It keeps its mark, claims, footprint and turn, under the name that it has now.

    git-flow-next#231: it was "deleted" once it was renamed.
    """
    rename(one)

    (found,) = order(hub)
    assert (found["branch"], found["was"], found["state"]) == ("new", ["b"], "finished")
    assert (found["exists"], found["footprint"], found["actor"]) == (True, ["x"], "one-0001")
    assert found["changed_since_finish"] is (rename is _amended)
    shown = hub.coord("merge-order", "--rehearse").out
    assert "was b" in shown
    assert "git merge --no-edit new" in shown
    # Signing off keeps what waits for the landing; landing settles all of it.
    assert answer(one, "sign-off")["kept"] == ["artifact:x", "branch:b", "task:y"]
    hub.git("merge", "-q", "new")
    released = [each["scope"] for each in answer(hub, "release", "--landed")["released"]]
    assert released == ["artifact:x", "branch:b", "task:y"]


def test_a_running_branch_is_known_by_its_new_name(hub: Repo, tmp_path: Path) -> None:
    """On the board, in the merge order, by show; and finishing it takes its claims along."""
    one = worker(hub, tmp_path / "one", "b", "one-0001")
    answer(one, "claim", "artifact:x", "branch:b")
    one.git("branch", "-m", "new")

    (found,) = order(hub)
    assert (found["branch"], found["was"], found["state"]) == ("new", ["b"], "running")
    row = scope(hub, "branch:b")
    assert (row["renamed"], row["holder"]["branch"], row["claimants"][0]["was"]) == (
        "new",
        "new",
        "b",
    )
    board = hub.coord("board").out
    assert "one-0001 on new, was b, for" in board
    assert "(now new)" in board
    assert len(answer(hub, "show", "new")["claims"]) == 2

    one.commit("work", {"x": "1\n"})
    assert answer(one, "finish")["claims"] == ["artifact:x", "branch:b", "branch:new"]
    assert [each["state"] for each in order(hub)] == ["finished"]
    assert answer(one, "sign-off")["kept"] == ["artifact:x", "branch:b", "branch:new"]


def test_what_was_claimed_for_a_branch_that_is_no_more_is_finished_with_the_next(
    hub: Repo, tmp_path: Path
) -> None:
    """The worker has switched to another branch, and deleted the one it claimed for."""
    one = worker(hub, tmp_path / "one", "b", "one-0001")
    answer(one, "claim", "artifact:x", "y")
    _anew(one)
    one.commit("work", {"x": "1\n"})

    assert answer(one, "finish")["claims"] == ["artifact:x", "branch:new", "task:y"]

    (found,) = order(hub)
    assert (found["branch"], found["state"], found["footprint"]) == ("new", "finished", ["x"])
    assert answer(one, "sign-off")["released"] == []


def test_what_is_claimed_again_under_the_new_name_is_one_claim(hub: Repo, one: Repo) -> None:
    """It is at work on it again, and waits for nothing of its own."""
    one.git("branch", "-m", "new")

    (claim,) = answer(one, "claim", "y")["claims"]

    assert (claim["state"], claim["branch"]) == ("held", "new")
    assert len(scope(hub, "task:y")["claimants"]) == 1


def test_a_name_that_is_used_again_is_another_branch(hub: Repo, one: Repo, tmp_path: Path) -> None:
    """What was claimed before is of the renamed one, what is claimed since of the new one."""
    one.git("branch", "-m", "new")
    past = int(one.git("log", "-1", "--format=%ct")) + 2
    later = hub.with_env(GIT_COMMITTER_DATE=f"{past} +0000")
    two = hub.at(worker(later, tmp_path / "two", "b", "two-0002").path)
    while int(hub.run("date", "+%s").out) < past:
        pass
    answer(two, "claim", "artifact:z")

    found = {each["branch"]: each for each in order(hub)}

    assert set(found) == {"new", "b"}
    assert (found["new"]["state"], found["new"]["footprint"]) == ("finished", ["x"])
    assert (found["b"]["state"], found["b"]["actor"]) == ("running", "two-0002")


def test_a_branch_that_was_overwritten_is_not_the_one_that_has_its_name(
    hub: Repo, one: Repo, tmp_path: Path
) -> None:
    """Its finished mark is not the other's, whose commits nobody has called done."""
    two = worker(hub, tmp_path / "two", "c", "two-0002")
    answer(two, "claim", "artifact:z")
    one.git("switch", "-q", "--detach")
    past = int(hub.run("date", "+%s").out) + 1
    while int(hub.run("date", "+%s").out) <= past:
        pass
    two.git("branch", "-M", "c", "b")

    found = {each["actor"]: each for each in order(hub)}

    assert (found["two-0002"]["branch"], found["two-0002"]["state"]) == ("b", "running")
    assert (found["one-0001"]["state"], found["one-0001"]["exists"]) == ("finished", False)


def test_what_has_landed_is_never_called_deleted(hub: Repo, one: Repo) -> None:
    """Merged, or squashed and its name used for new work."""
    hub.git("merge", "-q", "--squash", "b")
    hub.commit("b, squashed")
    one.git("switch", "-q", "--detach", "main")
    one.git("branch", "-q", "-D", "b")

    (found,) = order(hub)
    assert (found["state"], found["exists"]) == ("landed", False)
    assert "deleted" not in hub.coord("merge-order").out


def test_commits_in_several_branches_are_said_to_be_there(hub: Repo, one: Repo) -> None:
    """Which of them is the finished one cannot be told; but they are not deleted."""
    one.git("switch", "-q", "-c", "p")
    one.git("branch", "-q", "q")
    one.git("branch", "-q", "-D", "b")

    (found,) = order(hub)

    assert (found["exists"], found["under"]) == (False, ["p", "q"])
    assert "which is in q, p" in hub.coord("merge-order").out
    (step,) = answer(hub, "merge-order", "--rehearse")["rehearsal"]["steps"]
    assert (step["outcome"], step["branch"]) == ("clean", "b")
    assert hub.paste(step["commands"][0]).code == 0
    assert order(hub)[0]["state"] == "landed"


def test_a_copy_of_a_renamed_branch_is_none_of_its_names(hub: Repo, one: Repo) -> None:
    """``git branch -c`` copies the log that tells of the renaming."""
    one.git("branch", "-m", "new")
    one.git("branch", "-c", "copy")

    assert [each["branch"] for each in order(hub)] == ["new"]


@pytest.mark.parametrize("apart", [0, 2])
def test_a_name_that_was_given_away_is_not_merged_for_the_one_that_had_it(
    hub: Repo, tmp_path: Path, apart: int
) -> None:
    """Renamed twice, and between finished under a name that another unfinished branch has now."""
    one = worker(hub, tmp_path / "one", "a", "one-0001")
    two = worker(hub, tmp_path / "two", "b", "two-0002")
    answer(one, "announce", "--intent", "A")
    answer(two, "announce", "--intent", "B")
    two.commit("not done")
    one.git("branch", "-m", "r")
    tip = one.commit("done")
    answer(one, "finish")
    now = int(hub.run("date", "+%s").out)
    one.with_env(GIT_COMMITTER_DATE=f"{now + 2} +0000").git("branch", "-m", "r", "again")
    two.with_env(GIT_COMMITTER_DATE=f"{now + 2 + apart} +0000").git("branch", "-m", "b", "r")

    found = {each["branch"]: each["state"] for each in order(hub)}
    shown = hub.coord("merge-order", "--rehearse").out

    assert found == {"again": "finished", "r": "running"}
    assert "git merge --no-edit again" in shown
    assert "git merge --no-edit r" not in shown
    assert hub.git("rev-parse", "again") == tip


def test_a_name_that_is_anothers_within_the_second_is_told_by_the_commit(repo: Repo) -> None:
    """What was said of the first one meant the one that has its commits."""
    stamped = repo.with_env(GIT_COMMITTER_DATE="1700000000 +0000")
    base = repo.git("rev-parse", "HEAD").strip()
    stamped.git("switch", "-q", "-c", "x")
    first = stamped.commit("first")
    stamped.git("branch", "-m", "y")
    stamped.git("branch", "x", base)
    here, said = worktree.discover(str(repo.path)), "2023-11-14T22:13:20.100000Z"

    assert Names(here).now("x", said, first) == "y"
    assert Names(here).now("x", said, base) == "x"


@pytest.mark.parametrize("kept", [False, True])
def test_a_branch_that_was_overwritten_is_never_merged_by_its_name(
    hub: Repo, one: Repo, tmp_path: Path, *, kept: bool
) -> None:
    """Whoever has its commits is it; where nobody has them, nothing is merged."""
    two = worker(hub, tmp_path / "two", "c", "two-0002")
    answer(two, "claim", "artifact:z")
    if kept:
        one.git("branch", "-q", "kept")
    one.git("switch", "-q", "--detach")
    later = int(hub.run("date", "+%s").out) + 2
    two.with_env(GIT_COMMITTER_DATE=f"{later} +0000").git("branch", "-M", "c", "b")

    found = answer(hub, "merge-order", "--rehearse", code=0 if kept else 1)

    (step,) = found["rehearsal"]["steps"]
    assert step["outcome"] == ("clean" if kept else "left-out")
    assert step["commands"] == (["git merge --no-edit kept"] if kept else [])


def test_a_branch_that_was_made_anew_without_its_commits_is_not_merged(
    hub: Repo, one: Repo
) -> None:
    """Deleted, and its name given to other commits: nobody has called these done."""
    one.git("switch", "-q", "--detach")
    one.git("branch", "-q", "-D", "b")
    hub.git("switch", "-q", "-c", "other")
    hub.commit("other", {"other": "1\n"})
    hub.git("switch", "-q", "main")
    later = int(hub.run("date", "+%s").out) + 2
    hub.with_env(GIT_COMMITTER_DATE=f"{later} +0000").git("branch", "-q", "b", "other")
    hub.git("branch", "-q", "-D", "other")

    found = answer(hub, "merge-order", "--rehearse", code=1)

    assert [(each["branch"], each["exists"]) for each in found["order"]] == [("b", False)]
    assert [step["commands"] for step in found["rehearsal"]["steps"]] == [[]]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("other", ["refs/tags/b", "refs/remotes/b"])
def test_a_branch_is_finished_under_its_own_name(
    hub: Repo, tmp_path: Path, other: str, when: str
) -> None:
    """A tag or a remote of that name, made at any time, makes neither another branch nor a merge.

    It was ``heads/b``, which had no commit to finish, on the board beside ``b``.
    """
    one = worker(hub, tmp_path / "one", "b", "one-0001")
    answer(one, "claim", "artifact:x")
    one.commit("work", {"x": "1\n"})
    if when == "before":
        one.git("update-ref", other, "main")
    assert answer(one, "finish")["branch"] == "b"
    one.git("update-ref", other, "main")

    assert [(each["branch"], each["state"]) for each in order(hub)] == [("b", "finished")]
    assert answer(one, "whoami")["branch"] == "b"
    hub.git("merge", "-q", "b" if other.startswith("refs/remotes") else "refs/heads/b")
    assert [each["state"] for each in order(hub)] == ["landed"]


def test_a_name_of_a_peers_record_is_no_path(hub: Repo, one: Repo) -> None:
    """A record may say anything; nothing outside of the logs is opened for it."""
    fifo = one.path / "fifo"
    os.mkfifo(fifo)
    names = Names(Worktree(str(hub.common()), str(hub.common()), str(hub.path)))

    for name in (f"../../../../{one.path.name}/fifo", str(fifo), "a\nb", "nul\0"):
        assert names.now(name, "2026-01-01T00:00:00Z", "f" * 40) == name
