"""Where we are, whatever the environment says."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from coord.base.errors import Environment, Refused
from coord.repo import worktree
from harness import Repo
from harness.grounds import git_version

if TYPE_CHECKING:
    from pathlib import Path


def test_a_linked_worktree_has_a_private_and_a_common_dir(repo: Repo, tmp_path: Path) -> None:
    """The main worktree has one git dir, a linked one has two."""
    linked = repo.worktree(tmp_path / "w", "side")

    main, side = worktree.discover(str(repo.path)), worktree.discover(str(linked.path))

    assert not main.linked
    assert side.linked
    assert side.common_dir == main.git_dir
    assert side.top == str(linked.path)


def test_discovery_answers_from_the_folder_not_from_git_dir(repo: Repo, tmp_path: Path) -> None:
    """Inside ``rebase --exec 'cd ../b && …'`` GIT_DIR still names the other worktree."""
    linked = repo.worktree(tmp_path / "w", "side")

    place = worktree.discover(str(linked.path), {**repo.env, "GIT_DIR": str(repo.private())})

    assert place.git_dir == str(linked.private())


def test_outside_any_repository_git_dir_is_honoured(repo: Repo, tmp_path: Path) -> None:
    """``GIT_DIR=… git coord`` from elsewhere is how bare dotfile repositories are used."""
    place = worktree.discover(str(tmp_path), {**repo.env, "GIT_DIR": str(repo.private())})

    assert place.git_dir == str(repo.private())
    assert repo.at(tmp_path).git("-C", place.cwd, "rev-parse", "--absolute-git-dir") == (
        place.git_dir
    )


def test_a_symlinked_path_is_the_same_place(repo: Repo, tmp_path: Path) -> None:
    """Places are compared by real git dirs: /tmp and its real path are one."""
    (tmp_path / "link").symlink_to(repo.path)

    assert worktree.discover(str(tmp_path / "link")).git_dir == str(repo.private())


def test_files_alone_name_the_dirs_that_git_names(
    repo: Repo, bare_with_worktree: Repo, tmp_path: Path
) -> None:
    """Also in a bare repository, and inside of a git dir: each is found without asking git."""
    linked = repo.worktree(tmp_path / "w", "other")
    bare = repo.bare(tmp_path / "bare.git")
    within = linked.bare(linked.private())
    for one in (repo, linked, within, bare_with_worktree, bare):
        found, asked = worktree.of_files(str(one.path)), worktree.discover(str(one.path), one.env)

        assert found is not None
        assert (found.git_dir, found.common_dir) == (asked.git_dir, asked.common_dir)


def test_a_bare_repository_has_no_top(bare_with_worktree: Repo, tmp_path: Path) -> None:
    """A bare repository is a place without files; its worktrees have them."""
    bare = bare_with_worktree.bare(tmp_path / "bare.git")

    assert worktree.discover(str(bare.path), bare.env).top is None
    assert worktree.discover(str(bare_with_worktree.path)).linked


def test_subfolders_submodules_and_odd_paths_are_found(odd_path: Repo, repo: Repo) -> None:
    """Spaces, quotes and letters outside ASCII; a submodule's own git dir."""
    odd_path.git("submodule", "--quiet", "add", str(repo.path), "sub dir")

    top = worktree.discover(str(odd_path.path))
    sub = worktree.discover(str(odd_path.path / "sub dir"))

    assert top.top == str(odd_path.path)
    assert sub.common_dir == str(odd_path.path / ".git" / "modules" / "sub dir")
    assert not sub.linked


def test_discovery_outside_a_repository_shows_gits_error(
    tmp_path: Path, env: dict[str, str]
) -> None:
    """Not a repository: exit 3 with git's words."""
    with pytest.raises(Environment) as caught:
        worktree.discover(str(tmp_path), env)

    assert caught.value.rule == "not-a-repository"
    assert "not a git repository" in caught.value.why


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to somebody else")
def test_a_foreign_owner_is_told_in_gits_words_with_gits_command(repo: Repo) -> None:
    """A "dubious ownership" must not read as "not a git repository" (camel-ai#4144)."""
    os.chown(repo.path, 12345, 12345)
    os.chown(repo.path / ".git", 12345, 12345)
    env = {key: text for key, text in repo.env.items() if key != "SUDO_UID"}

    with pytest.raises(Environment) as caught:
        worktree.discover(str(repo.path), env)

    assert caught.value.rule == "repository-unreadable"
    assert "dubious ownership" in caught.value.why
    assert repo.paste(caught.value.run).code == 0
    assert worktree.discover(str(repo.path), env).top == str(repo.path)


def test_only_worktrees_that_can_hold_a_worker_count(repo: Repo, tmp_path: Path) -> None:
    """Bare and prunable entries are no worktrees; a locked one without its folder is one."""
    place = worktree.discover(str(repo.path))
    assert worktree.count(place) == 1
    repo.worktree(tmp_path / "a", "a")
    gone = repo.worktree(tmp_path / "b", "b")
    assert worktree.count(place) == 3

    gone.run("rm", "-rf", str(gone.path))

    assert worktree.count(place) == 2


def test_a_bare_repository_with_one_worktree_counts_one(bare_with_worktree: Repo) -> None:
    """The bare entry is not a place to work in."""
    assert worktree.count(worktree.discover(str(bare_with_worktree.path))) == 1


def test_core_bare_is_seen_from_linked_worktrees_too(
    bare_with_worktree: Repo,
) -> None:
    """A linked worktree reads another ``config.worktree`` than the one that says ``core.bare``."""
    bare = bare_with_worktree.common()
    bare_with_worktree.git("config", "extensions.worktreeConfig", "true")
    bare_with_worktree.git("config", "--file", str(bare / "config.worktree"), "core.bare", "true")
    bare_with_worktree.git("config", "--file", str(bare / "config"), "--unset", "core.bare")

    for one in (bare_with_worktree, bare_with_worktree.bare(bare)):
        place = worktree.discover(str(one.path), one.env)
        assert [sibling.bare for sibling in worktree.siblings(place)] == [True, False]
        assert worktree.count(place) == 1


def test_siblings_know_their_private_dirs_after_a_move(repo: Repo, tmp_path: Path) -> None:
    """A worktree is known by its private git dir, which survives ``worktree move``."""
    linked = repo.worktree(tmp_path / "a", "side")
    private = linked.private()
    repo.git("worktree", "move", str(tmp_path / "a"), str(tmp_path / "moved"))

    main, side = worktree.siblings(worktree.discover(str(repo.path)))

    assert (main.branch, side.branch) == ("main", "side")
    assert side.git_dir == str(private)
    assert main.git_dir == str(repo.private())


def test_a_copied_repository_has_none_of_its_originals_worktrees(
    repo: Repo, tmp_path: Path
) -> None:
    """Git lists them there too; each and its original's private git dir name each other."""
    side = repo.worktree(tmp_path / "side", "side")
    shutil.copytree(repo.path, tmp_path / "copy", symlinks=True)
    copy = worktree.discover(str(tmp_path / "copy"))
    there = os.path.join(copy.common_dir, "worktrees", "side")
    here = worktree.discover(str(repo.path))

    assert [one.path for one in worktree.siblings(copy)] == [str(tmp_path / "copy")]
    assert worktree.count(copy) == 1
    assert worktree.owner(there, copy.common_dir) == here.common_dir
    assert worktree.count(here) == 2
    assert worktree.owner(str(side.private()), here.common_dir) is None
    shutil.rmtree(repo.path)  # the copy is all that is left of it
    assert worktree.owner(there, copy.common_dir) is None
    assert worktree.count(copy) == 2


def test_a_leaked_git_dir_is_refused_naming_both(repo: Repo, tmp_path: Path) -> None:
    """A verb that would act on one of two worktrees acts on none."""
    linked = repo.worktree(tmp_path / "w", "side")
    place = worktree.discover(str(linked.path))

    with pytest.raises(Refused) as caught:
        worktree.require_own(place, str(linked.path), "sign-off", {"GIT_DIR": str(repo.private())})

    assert str(repo.private()) in caught.value.where
    assert str(linked.private()) in caught.value.where


def test_git_dir_of_the_same_worktree_is_no_leak(repo: Repo) -> None:
    """Hooks and aliases export the right GIT_DIR; relative ones too."""
    worktree.require_own(
        worktree.discover(str(repo.path)), str(repo.path), "sign-off", {"GIT_DIR": ".git"}
    )


def test_a_folder_with_a_newline_in_its_name_is_a_place(
    tmp_path: Path, env: dict[str, str]
) -> None:
    """Git prints paths a line each; such a one is asked for alone."""
    folder = tmp_path / "a\nb"
    Repo.init(folder, env)

    place = worktree.discover(str(folder))

    assert (place.top, place.git_dir) == (str(folder), str(folder / ".git"))


@pytest.mark.parametrize("leak", ["main", "nothing"])
def test_the_heads_of_a_reftable_are_those_of_the_worktree(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, leak: str
) -> None:
    """Wherever GIT_DIR leads: who looks after all worktrees asks for each of them."""
    if git_version(repo) < (2, 45):
        pytest.skip("git has reftable since 2.45")
    made = Repo.init(tmp_path / "made", repo.env, "--ref-format=reftable")
    made.commit("start")
    linked = made.worktree(tmp_path / "linked", "side")
    linked.git("update-ref", "CHERRY_PICK_HEAD", "HEAD")
    places = [worktree.discover(str(one.path)) for one in (made, linked)]
    if leak == "main":
        monkeypatch.setenv("GIT_DIR", str(made.private()))

    assert [place.has("CHERRY_PICK_HEAD") for place in places] == [False, True]
