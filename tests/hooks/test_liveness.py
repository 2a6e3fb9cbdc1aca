"""When a refusal binds: every operation, by every way out of it, on real git.

A record outlives its merge, because no hook runs on an abort. Each row does something after a real
refusal and then commits something else; the commit is stopped if, and only if, it would swallow a
side that was refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.guard import refusal
from harness.begun import begun_by

if TYPE_CHECKING:
    from harness import Repo

# Shell lines that end in a refusal of s.json, HEAD on main or, in a rebase, on top of it.
MERGE = "git merge side"
SQUASH = "git merge --squash side"
NO_COMMIT = "git merge --no-commit --no-ff side"
PICK = "git cherry-pick side~1"
PICKS = "git cherry-pick side~1 side"
PICK_N = "git cherry-pick -n side~1"
REVERT = "git revert --no-edit main~1"
REVERTS = "git revert --no-edit main~1 main~2"
REBASE = "git checkout -q side && git rebase main"
REBASE_APPLY = "git checkout -q side && git rebase --apply main"
AM = "git format-patch -q -o ../mail main..side && git am -3 ../mail/*"
EDIT = "git checkout -q base && echo mine >s.json"
STASH = f"{EDIT} && git stash -q && git checkout -q main && git stash pop"
APPLY = "git diff base side -- s.json >../p && git apply -3 ../p"
CHECKOUT_M = f"{EDIT} && git checkout -m main"

ADD = "git add -A"
THEIRS = "git checkout --theirs s.json && git add s.json"
OURS = "git checkout --ours s.json && git add s.json"
ALL = "echo 2 >other && git commit -qam probe"
COMMIT = "echo 1 >innocent && git add innocent && git commit -qm probe"

SWALLOWED = [
    (MERGE, ADD, COMMIT),
    (MERGE, "git commit -qam x"),
    (MERGE, ADD, "git merge --continue"),
    (MERGE, ADD, "git commit --no-verify -qm x"),
    (MERGE, ADD, "git commit -q --no-edit"),
    (MERGE, OURS, COMMIT),
    (MERGE, THEIRS, COMMIT),
    (MERGE, "git checkout HEAD -- s.json", COMMIT),
    (MERGE, "git reset -q -- s.json", COMMIT),
    (MERGE, "git restore --source=HEAD --staged --worktree s.json", COMMIT),
    (MERGE, "git rm -q --cached s.json && git add s.json", COMMIT),
    (MERGE, ADD, "git commit -qm x -- s.json", COMMIT),
    (MERGE, ADD, "git reset -q --keep HEAD", COMMIT),
    (MERGE, ADD, "git merge --abort", MERGE, ADD, COMMIT),
    (MERGE, "git reset -q --hard", MERGE, THEIRS, COMMIT),
    (MERGE, "git merge --abort", "git merge -q -s ours side"),  # a reason is asked for all the same
    (NO_COMMIT, ADD, COMMIT),
    ("git merge -X theirs side", ADD, COMMIT),
    (SQUASH, ADD, COMMIT),
    (SQUASH, THEIRS, "git commit -q --no-edit"),
    (PICK, ADD, COMMIT),
    (PICK, ADD, "git cherry-pick --continue"),
    (PICK, THEIRS, "git cherry-pick --continue"),
    (PICK, ADD, "git commit -q --allow-empty --no-edit"),
    (PICKS, ADD, "git cherry-pick --continue"),
    (PICK_N, ADD, COMMIT),
    (REVERT, ADD, "git commit -q --allow-empty --no-edit"),
    (REVERT, THEIRS, "git revert --continue"),
    (REVERTS, THEIRS, "git revert --continue"),
    (REBASE, ADD, "git rebase --continue"),
    (REBASE, THEIRS, "git rebase --continue"),
    (REBASE, "git reset -q", ADD, "git rebase --continue"),
    (REBASE, ADD, COMMIT),
    (REBASE_APPLY, ADD, "git rebase --continue"),
    (AM, ADD, "git am --continue"),
    (AM, THEIRS, "git am --continue"),
    (STASH, THEIRS, COMMIT),
    (STASH, ALL),
    (STASH, "git reset -q --hard", "git stash apply", ALL),
    (STASH, "echo 2 >other && git commit -qa --no-verify -m probe"),
    (STASH, ADD, "git checkout -m s.json", ALL),
    (APPLY, ALL),
    (CHECKOUT_M, ALL),
]

FREE = [
    (MERGE, "git merge --abort", COMMIT),
    (MERGE, ADD, "git merge --abort", COMMIT),
    (MERGE, "git reset -q --hard", COMMIT),
    (MERGE, ADD, "git reset -q --hard", COMMIT),
    (MERGE, ADD, "git reset -q --merge", COMMIT),
    (MERGE, "git reset -q", COMMIT),
    (MERGE, ADD, "git reset -q", COMMIT),
    (MERGE, ADD, "git merge --quit", COMMIT),
    (MERGE, ADD, "git checkout -q -f side && git checkout -q main", COMMIT),
    (MERGE, ADD, "git checkout -q -f side", COMMIT),
    (MERGE, ADD, "git stash -q", COMMIT),
    (MERGE, "echo both >s.json", ADD, COMMIT),
    (MERGE, "git merge --abort && git reset -q --hard base", "git merge -q --no-ff -m x side"),
    (SQUASH, ADD, "git reset -q --hard", COMMIT),
    (SQUASH, ADD, "git reset -q", COMMIT),
    (PICK, "git cherry-pick --abort", COMMIT),
    (PICK, ADD, "git cherry-pick --quit", COMMIT),
    (PICK, "git cherry-pick --skip", COMMIT),
    (PICKS, "git cherry-pick --skip", COMMIT),
    (PICKS, "git cherry-pick --abort", COMMIT),
    (PICK_N, ADD, "git reset -q --hard", COMMIT),
    (REVERT, "git revert --abort", COMMIT),
    (REVERT, "git revert --skip", COMMIT),
    (REVERT, ADD, "git revert --quit", COMMIT),
    (REBASE, "git rebase --abort", COMMIT),
    (REBASE, ADD, "git rebase --abort", COMMIT),
    (REBASE, "git rebase --skip", COMMIT),
    (REBASE, ADD, "git rebase --quit && git reset -q --hard", COMMIT),
    (REBASE_APPLY, "git rebase --skip", COMMIT),
    (REBASE_APPLY, ADD, "git rebase --abort", COMMIT),
    (AM, "git am --skip", COMMIT),
    (AM, ADD, "git am --abort", COMMIT),
    (AM, ADD, "git am --quit", COMMIT),
    (STASH, "git reset -q --hard", COMMIT),
    (STASH, "git reset -q", COMMIT),
    (STASH, ADD, COMMIT),
    (STASH, ADD, ALL),
    (STASH, OURS, ALL),
    (STASH, "git reset -q", ALL),
    (STASH, "git reset -q --hard", ALL),
    (STASH, "git checkout HEAD -- s.json", ALL),
    (STASH, "git restore --staged s.json", ALL),
    (STASH, "echo both >s.json", ALL),
    (STASH, "git rm -q --cached s.json && git add s.json", ALL),
    (APPLY, ADD, ALL),
    (APPLY, "git reset -q --hard", ALL),
    (MERGE, "git reset -q", ALL),
    (MERGE, "git merge --abort", ALL),
    (MERGE, ADD, "git merge --quit", ALL),
    (STASH, "echo 2 >other && git commit -qm partial -- other"),
    (STASH, "git checkout HEAD -- s.json", COMMIT),
    (CHECKOUT_M, ADD, COMMIT),
    ("git merge-tree --write-tree main side", COMMIT),
]


@pytest.fixture
def forked(hooked: Repo) -> Repo:
    """Branches main and side that both regenerated s.json; ``base`` is where they parted."""
    return begun_by(hooked, _forked)


def _forked(hooked: Repo) -> None:
    hooked.commit("older", {"s.json": "older\n", "other": "0\n"})
    hooked.commit("base", {"s.json": "base\n"})
    hooked.git("tag", "base")
    hooked.git("checkout", "-q", "-b", "side")
    hooked.commit("side regenerates", {"s.json": "side\n", "code": "side\n"})
    hooked.commit("side goes on", {"more": "side\n"})
    hooked.git("checkout", "-q", "main")
    hooked.commit("main regenerates", {"s.json": "main\n"})


def lived(repo: Repo, steps: tuple[str, ...]) -> bool:
    """Run shell lines and tell whether the last was stopped by the gate."""
    repo.paste(steps[0])
    assert refusal.read_all(str(repo.private())) or "merge-tree" in steps[0]
    done = [repo.paste(step) for step in steps[1:]]
    stopped = "refusal-pending" in done[-1].err
    assert stopped == (done[-1].code != 0), done
    if stopped:
        assert done[-1].refusal.headline.endswith(": s.json")
        assert done[-1].refusal.run == "git coord regenerate s.json"
    return stopped


def named(rows: list[tuple[str, ...]]) -> list[str]:
    """Return an id for each row."""
    return [" ; ".join(row).replace(COMMIT, "…").replace("git ", "") for row in rows]


@pytest.mark.parametrize("steps", SWALLOWED, ids=named(SWALLOWED))
def test_what_would_swallow_a_side_is_stopped(forked: Repo, steps: tuple[str, ...]) -> None:
    """The staged blob is one of the two, and the operation that brought the other is not over."""
    assert lived(forked, steps)


@pytest.mark.parametrize("steps", FREE, ids=named(FREE))
def test_what_swallows_nothing_is_free(forked: Repo, steps: tuple[str, ...]) -> None:
    """After an abort, a reset, a quit, a switch, a skip, nothing is left behind that stops work."""
    assert not lived(forked, steps)
    forked.git("reset", "-q", "--hard")
    forked.commit("later")
    assert not list(forked.private("coord-refused").glob("*"))
