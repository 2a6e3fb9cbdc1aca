"""What git knows of many branches at once: the same as it says of each alone."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from coord.order import branches
from coord.repo import worktree
from harness import Repo
from harness.grounds import git_version

if TYPE_CHECKING:
    from pathlib import Path

    from coord.repo.worktree import Worktree


def here(repo: Repo) -> Worktree:
    """Return the place of a repository."""
    return worktree.discover(str(repo.path))


def tangled(repo: Repo, seed: int) -> None:
    """Make six branches that commit, merge each other and merge main, at random."""
    chance = random.Random(seed)  # noqa: S311  # reproducible, not secret
    names = ["main", *(f"b{number}" for number in range(5))]
    for name in names[1:]:
        repo.git("branch", name)
    for step in range(24):
        name, other = chance.sample(names, 2)
        repo.git("switch", "-q", name)
        if chance.random() < 0.6:
            repo.commit(f"{step}", {f"{name}/{step}": f"{step}\n"})
        else:
            repo.git("merge", "-q", "-m", f"{step}", other)
    repo.git("switch", "-q", "main")


@pytest.mark.parametrize("seed", range(4))
def test_it_is_what_git_says_of_each_branch_alone(repo: Repo, seed: int) -> None:
    """Landed, merge base and changed paths, in any history."""
    tangled(repo, seed)
    place, main = here(repo), repo.git("rev-parse", "main")
    tips = {name: ref.commit for name, ref in branches.branches(place).items()}

    new = branches.unmerged(place, main, tips.values())
    bases = branches.bases(place, new, tips.values())
    changed = branches.changed(place, bases)

    for tip in tips.values():
        assert (tip not in new) == (repo.tried("merge-base", "--is-ancestor", tip, main).code == 0)
        if tip in new:
            assert bases[tip] in repo.git("merge-base", "--all", main, tip).split()
            names = repo.git("diff", "--name-only", bases[tip], tip).split()
            assert sorted(changed[tip]) == names
            there = branches.contents(place, tip)
            assert all(there.get(path, "") == blob for path, blob in changed[tip].items())


def test_the_target_is_head_a_branch_a_remote_one_or_any_commit(repo: Repo) -> None:
    """And nothing else; the local branch of a remote one is its copy."""
    place, commit = here(repo), repo.commit("on")
    repo.git("update-ref", "refs/remotes/origin/feat/x", commit)

    head = branches.target(place, None)
    remote = branches.target(place, "origin/feat/x")
    bare = branches.target(place, commit)

    assert head == branches.Onto("main", "refs/heads/main", commit)
    assert head.is_copy("main")
    assert remote is not None
    assert (remote.name, remote.commit) == ("origin/feat/x", commit)
    assert remote.is_copy("feat/x")
    assert not remote.is_copy("x")
    assert bare == branches.Onto(commit, "", commit)
    for word in ("nix", "HEAD:README", "--all", "", "HEAD~99"):
        assert branches.target(place, word) is None
    repo.git("switch", "-q", "--detach")
    assert branches.target(place, None) == branches.Onto(commit[:12], "", commit)


def test_of_commits_those_that_are_there_are_found(repo: Repo) -> None:
    """Not those that are not, nor words that are no commit."""
    commit, tree = repo.git("rev-parse", "HEAD", "HEAD^{tree}").split()

    assert branches.existing(here(repo), {commit, tree, "0" * 40, "HEAD", "a b"}) == {commit}
    assert branches.existing(here(repo), set()) == set()


def test_a_deleted_file_and_a_changed_mode_are_changes(repo: Repo) -> None:
    """A file that is gone has no blob; odd names come as they are."""
    base = repo.commit("base", {"gone": "1\n", "run": "1\n"})
    repo.git("rm", "-q", "gone")
    (repo.path / "run").chmod(0o755)
    repo.git("add", "run")
    tip = repo.commit("tip", {'a "b"\n\udcff': "2\n"})

    found = branches.changed(here(repo), {tip: base})[tip]

    assert found["gone"] == ""
    assert found["run"].startswith("100755 ")
    assert set(found) == {"gone", "run", 'a "b"\n\udcff'}
    assert branches.changed(here(repo), {tip: tip}) == {tip: {}}


@pytest.mark.parametrize("kept", ["files", "reftable"])
def test_what_became_of_a_branch_is_told_by_its_log(
    tmp_path: Path, env: dict[str, str], kept: str
) -> None:
    """Landed, given up by a reset, or never with anything of its own; wherever the log is kept."""
    if kept == "reftable" and git_version(Repo(tmp_path, env)) < (2, 45):
        pytest.skip("git has reftable since 2.45")
    options = [] if kept == "files" else ["--ref-format=reftable"]
    repo = Repo.init(tmp_path / "repo", env, *options)
    repo.commit("base")
    for name in ("landed", "given-up", "empty"):
        repo.git("branch", name)
    for name in ("landed", "given-up"):
        repo.git("switch", "-q", name)
        repo.commit(name, {name: "1\n"})
    repo.git("reset", "-q", "--hard", "main")
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "landed")
    place, found = here(repo), branches.branches(here(repo))
    onto = branches.target(place, "main")

    assert branches.is_own(place, found["landed"])
    assert not branches.is_own(place, found["empty"])
    assert branches.was_reset(place, found["given-up"])
    assert not branches.was_reset(place, found["landed"])
    assert onto is not None
    assert branches.entered(place, onto, found["landed"].commit) is not None
