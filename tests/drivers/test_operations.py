"""Every operation of git that merges: the log is joined, the derived file refused and recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness import operations, refusals
from harness.drivers import records
from harness.scenes import diverged

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness import Done, Repo

FILES = {
    "a.log": (b"base\n", b"base\nmain\n", b"base\nside\n"),
    "d.lock": (b"0\n", b"1\n", b"2\n"),
}


def applied_patch(repo: Repo) -> Done:
    """Side's change as a patch."""
    patch = repo.git("diff", "side~1", "side") + "\n"
    return repo.tried("apply", "-3", "--index", stdin=patch)


OPERATIONS = [*operations.ALL, applied_patch]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("linked", [False, True], ids=["main worktree", "linked worktree"])
def test_an_operation_joins_the_log_and_refuses_the_derived_file(
    guarded: Repo, operation: Callable[[Repo], Done], linked: bool
) -> None:
    """Whoever is "ours" in it; nothing but what git and the refusal say."""
    diverged(guarded, FILES)
    if linked:
        guarded.git("switch", "-q", "--detach")
        guarded.git("worktree", "add", "-q", str(guarded.path.parent / "linked"), "main")
        guarded = guarded.at(guarded.path.parent / "linked")
    done = operation(guarded)
    ours, theirs = (guarded.git("rev-parse", f":{stage}:d.lock") for stage in (2, 3))

    assert guarded.read("a.log") == "base\nmain\nside\n"
    assert [refused.run for refused in refusals(done.err)] == ["git coord regenerate d.lock"]
    assert guarded.git("show", ":2:d.lock") + "\n" == guarded.read("d.lock")
    head = guarded.git("rev-parse", "HEAD")
    assert records(guarded) == [
        f"coord-refused 1\nkind derived\nhead {head}\nours {ours}\ntheirs {theirs}\npath d.lock\n"
    ]
    assert "coord:" not in done.out
    assert sorted(path.name for path in guarded.path.glob(".merge_file_*")) == []


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_on_logs_alone_is_clean(
    guarded: Repo, operation: Callable[[Repo], Done]
) -> None:
    """It goes on by itself, and leaves nothing to commit but what it was to leave."""
    diverged(guarded, {"a.log": FILES["a.log"], "d.lock": (b"0\n", b"0\n", b"0\n")})
    done = operation(guarded)

    assert done.code == 0, done.err
    assert refusals(done.err) == []
    assert guarded.read("a.log") == "base\nmain\nside\n"
    assert guarded.git("ls-files", "-u") == ""


def test_local_edits_carried_along_are_joined_or_kept_as_a_conflict(guarded: Repo) -> None:
    """`checkout -m`: the target is ours. Newer gits run it as a stash, and swallow what we say."""
    diverged(guarded, FILES)
    guarded.git("switch", "-q", "--detach", "main~1")
    for name, (_, _, theirs) in FILES.items():
        assert theirs is not None
        guarded.write(name, theirs)
    guarded.tried("checkout", "-m", "main")

    assert guarded.read("a.log") == "base\nmain\nside\n"
    assert [guarded.git("show", f":{stage}:d.lock") for stage in (1, 2, 3)] == ["0", "1", "2"]
    assert len(list(guarded.private("coord-refused").iterdir())) == 1


def test_a_revert_of_what_others_built_on_is_refused(guarded: Repo) -> None:
    """It takes a record out of a log that only grows, and one side's artifact back."""
    diverged(guarded, FILES)
    guarded.commit("more", {"a.log": b"base\nmain\nmore\n", "d.lock": b"3\n"})
    done = guarded.tried("revert", "--no-edit", "HEAD~1")

    assert [refused.rule for refused in refusals(done.err)] == [
        "derived-two-sided",
        "log-rewritten",
    ]
    assert len(list(guarded.private("coord-refused").iterdir())) == 2


def test_a_rebase_of_many_commits_joins_at_each_step(guarded: Repo) -> None:
    """Ours holds foreign records between those of the base from the second step on."""
    guarded.commit("base", {"a.log": b"base\n"})
    guarded.git("switch", "-q", "-c", "side")
    for number in range(4):
        guarded.commit(f"side {number}", {"a.log": guarded.read("a.log") + f"side {number}\n"})
    guarded.git("switch", "-q", "main")
    guarded.commit("main", {"a.log": guarded.read("a.log") + "main\n"})
    guarded.git("switch", "-q", "side")
    guarded.git("rebase", "-q", "main")

    assert guarded.read("a.log").splitlines() == ["base", "main", *(f"side {n}" for n in range(4))]


def test_a_commit_that_adds_nothing_is_dropped_by_a_rebase(guarded: Repo) -> None:
    """Its records are upstream already; git says so itself."""
    guarded.commit("base", {"a.log": b"base\n"})
    guarded.git("switch", "-q", "-c", "side")
    guarded.commit("side", {"a.log": b"base\nx\n"})
    guarded.git("switch", "-q", "main")
    guarded.commit("main", {"a.log": b"base\nx\nm\n"})
    guarded.git("switch", "-q", "side")
    guarded.git("rebase", "-q", "main")

    assert guarded.git("rev-parse", "side") == guarded.git("rev-parse", "main")


def test_a_picked_or_squashed_record_is_kept_once_by_the_later_merge(guarded: Repo) -> None:
    """Where a sum, or union, has it twice."""
    guarded.commit("base", {"a.log": b"base\n"})
    guarded.git("switch", "-q", "-c", "side")
    guarded.commit("x", {"a.log": b"base\nx\n"})
    guarded.commit("s2", {"a.log": b"base\nx\ns2\n"})
    guarded.git("switch", "-q", "main")
    guarded.commit("m1", {"a.log": b"base\nm1\n"})
    guarded.git("cherry-pick", "side~1")
    guarded.commit("m2", {"a.log": guarded.read("a.log") + "m2\n"})
    guarded.git("merge", "-q", "--squash", "side")
    guarded.commit("squashed")
    guarded.git("merge", "-q", "--no-edit", "side")

    assert sorted(guarded.read("a.log").split()) == ["base", "m1", "m2", "s2", "x"]


def test_a_dirty_worktree_is_left_alone(guarded: Repo) -> None:
    """Only %A is written: a rebase would stop over anything else."""
    diverged(guarded, {**FILES, "other": (b"0\n", b"0\n", b"0\n")})
    guarded.write("untracked", "mine\n")
    guarded.write("other", "edited\n")
    operations.merge(guarded)

    assert guarded.read("untracked") == "mine\n"
    assert guarded.read("other") == "edited\n"


def test_a_path_outside_a_sparse_checkout_is_judged_too(guarded: Repo) -> None:
    """Joined it stays out of the worktree; refused it is put there by git."""
    files = {f"far/{name}": sides for name, sides in FILES.items()}
    diverged(guarded, {**files, "near/x": (b"x\n", b"x\n", b"x\n")})
    guarded.git("sparse-checkout", "set", "near")
    done = guarded.tried("merge", "side")

    assert done.refusal.headline == "both sides regenerated: far/d.lock"
    assert guarded.git("show", ":far/a.log") == "base\nmain\nside"
