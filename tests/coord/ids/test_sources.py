"""What every branch and worktree has in one folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.ids.sources import HERE, Source, Survey, staged, survey
from coord.repo import worktree

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from harness import Repo


def seen(repo: Repo, folder: str = "ids", *, deep: bool = True) -> dict[str, set[bytes]]:
    """Return source → paths, and those that are in none under the name ``loose``."""
    found = survey(worktree.discover(str(repo.path)), folder, deep=deep)
    return {source.name: set(source.files) for source in found.sources} | {"loose": {*found.loose}}


def test_the_branch_that_is_out_counts_as_it_is_staged(repo: Repo) -> None:
    """Others as they were committed; an alias of a remote's branch is none more."""
    repo.commit("one", {"ids/1": "1"})
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    repo.git("branch", "side")
    repo.write("ids/deep/2", "2")
    repo.git("add", "-A")
    repo.git("rm", "-q", "ids/1")
    repo.write("ids/3", "3")

    assert seen(repo) == {
        HERE: {b"ids/deep/2"},
        "side": {b"ids/1"},
        "origin/main": {b"ids/1"},
        "loose": {b"ids/3"},
    }
    assert seen(repo, deep=False)[HERE] == set()


def test_other_worktrees_count_with_what_nobody_committed(repo: Repo, tmp_path: Path) -> None:
    """On a branch, detached, or gone."""
    side = repo.worktree(tmp_path / "side", "side")
    side.write("ids/1", "1")
    away = repo.worktree(tmp_path / "away", "away")
    away.git("checkout", "-q", "--detach")
    away.commit("two", {"ids/2": "2"})
    gone = repo.worktree(tmp_path / "gone", "gone")
    gone.path.rename(tmp_path / "moved away")

    assert seen(repo) == {HERE: set(), str(away.path): {b"ids/2"}, "loose": {b"ids/1"}}


def test_both_sides_of_a_conflict_are_told_apart(repo: Repo) -> None:
    """Ours is what is here."""
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", {"ids/1": "side\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("main", {"ids/1": "main\n"})
    repo.tried("merge", "side")
    found = staged(worktree.discover(str(repo.path)), "ids")

    assert found.files == {b"ids/1": repo.git("rev-parse", ":2:ids/1")}
    assert found.theirs == {b"ids/1": repo.git("rev-parse", ":3:ids/1")}


def test_a_bare_repository_has_branches_only(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HEAD's among them."""
    repo.commit("one", {"ids/1": "1"})
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))

    bare = repo.bare(tmp_path / "bare.git")
    for key, text in bare.env.items():
        monkeypatch.setenv(key, text)

    assert seen(bare) == {"main": {b"ids/1"}, "loose": set()}


def test_an_unborn_branch_has_nothing(repo: Repo) -> None:
    """And stops nobody."""
    repo.git("checkout", "-q", "--orphan", "fresh")
    repo.git("rm", "-q", "-r", "--cached", ".")

    assert seen(repo) == {HERE: set(), "loose": set()}
    assert seen(repo, "", deep=False)["loose"] == set()


def test_each_version_of_a_file_says_which_sources_have_it() -> None:
    """In their order, whether they share a tree, have the same, or another."""
    shared = {b"1": "a", b"2": "b"}
    others = [{b"2": "x", b"1": "a"}, shared, {}, {b"3": "c", b"2": "b"}, shared]
    sources = [Source(str(place), "", files) for place, files in enumerate([{}, *others])]

    assert Survey(sources, {}).held() == {
        (b"1", "a"): (1, 2, 5),
        (b"2", "b"): (2, 4, 5),
        (b"2", "x"): (1,),
        (b"3", "c"): (4,),
    }
    assert Survey([], {}).held() == {}
