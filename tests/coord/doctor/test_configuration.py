"""Config that breaks worktrees, or takes what is ours out of force, in every file git reads."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from harness.clinic import diagnosis, findings, healthy, mended, notes, rules

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def test_a_repository_with_files_that_calls_itself_bare(installed: Repo, side: Repo) -> None:
    """A hook's ``git init`` under GIT_DIR wrote it: the main worktree is dead, and hidden."""
    installed.git("config", "core.bare", "true")

    found = mended(side, "core-bare")

    assert found.worktree == str(installed.path)
    assert healthy(installed)


def test_a_repository_with_files_that_calls_itself_bare_in_its_own_config(
    installed: Repo, side: Repo
) -> None:
    """The main ``config.worktree`` says it, and linked worktrees do not read that."""
    installed.git("config", "extensions.worktreeConfig", "true")
    installed.git("config", "--worktree", "core.bare", "true")

    found = mended(side, "core-bare")

    assert str(installed.common("config.worktree")) in found.message
    assert healthy(installed)


def test_the_doctor_answers_from_the_dead_main_worktree_too(installed: Repo, side: Repo) -> None:
    """That is where somebody will ask."""
    side.git("config", "core.bare", "true")

    assert "core-bare" in rules(installed)


def test_a_real_bare_repository_with_worktrees_is_no_fault(bare_with_worktree: Repo) -> None:
    """``core.bare`` holds for the repository itself only, as long as the extension is off."""
    bare_with_worktree.install("--pin-existing")

    assert healthy(bare_with_worktree)
    assert diagnosis(bare_with_worktree).views[0].bare


def test_worktree_config_with_core_bare_is_moved_to_the_main_worktree(
    bare_with_worktree: Repo,
) -> None:
    """Then linked worktrees read ``core.bare`` too; it moves to where they do not."""
    tree = bare_with_worktree
    tree.install("--pin-existing")
    tree.git("config", "extensions.worktreeConfig", "true")
    assert tree.tried("status").code != 0
    assert rules(tree) == {"core-bare"}  # the cause, and not each worktree that it kills

    found = mended(tree, "core-bare")

    assert "extensions.worktreeConfig" in found.message
    assert tree.tried("status").code == 0
    assert healthy(tree)


def test_a_core_worktree_that_leads_nowhere_is_named(installed: Repo, side: Repo) -> None:
    """Git works nowhere then, and from a linked worktree it cannot list them."""
    installed.git("config", "core.worktree", "../../nowhere")

    for here in (installed, side):
        done = here.coord("doctor")
        assert (done.code, done.refusal.rule) == (3, "repository-unreadable")
    assert installed.paste(done.refusal.run).code == 0
    assert healthy(installed)


def test_a_worktree_that_was_moved_by_hand_is_examined_where_it_is(
    installed: Repo, side: Repo, tmp_path: Path
) -> None:
    """It works; but others look for it in vain, and a prune would forget it, pin and all."""
    moved = side.at(tmp_path / "moved")
    side.path.rename(moved.path)

    found = mended(moved, "worktree-broken")

    assert found.message == f"git lists it at {side.path}, where nothing is: it was moved by hand"
    assert str(moved.path) in installed.git("worktree", "list")
    assert healthy(moved)


def test_a_core_worktree_that_leads_into_another_repository(
    installed: Repo, side: Repo, tmp_path: Path
) -> None:
    """``git init`` under GIT_WORK_TREE leaves it: every command in main would work over there."""
    (tmp_path / "away").mkdir()
    installed.git("config", "core.worktree", str(tmp_path / "away"))

    assert rules(side) == {"core-worktree"}

    found = mended(side, "core-worktree")

    assert str(tmp_path / "away") in found.message
    assert healthy(installed)


@pytest.fixture
def submodule(installed: Repo, repo_beside: Repo) -> Repo:
    """A submodule of the installed, installed on its own."""
    installed.git("submodule", "--quiet", "add", str(repo_beside.path), "module")
    made = installed.at(installed.path / "module")
    made.install()
    return made


@pytest.fixture
def repo_beside(tmp_path: Path, env: dict[str, str]) -> Repo:
    """Another repository, to be a submodule."""
    from harness import Repo  # noqa: PLC0415  # a type elsewhere

    made = Repo.init(tmp_path / "beside", env)
    made.commit("start", {"README": "start\n"})
    return made


def test_a_submodule_and_its_worktrees_are_healthy(submodule: Repo, tmp_path: Path) -> None:
    """Its ``core.worktree`` is git's own; its main worktree is listed by its git dir."""
    submodule.worktree(tmp_path / "of-module", "side")

    assert healthy(submodule)
    assert diagnosis(submodule).views[0].folder == str(submodule.path)


def test_worktree_config_with_core_worktree_is_moved_to_the_submodule(
    submodule: Repo, tmp_path: Path
) -> None:
    """They read ``core.worktree`` too; it moves to where they do not."""
    tree = submodule.worktree(tmp_path / "of-module", "side")
    submodule.git("config", "extensions.worktreeConfig", "true")
    assert rules(submodule) == {"core-worktree"}

    found = mended(submodule, "core-worktree")

    assert "extensions.worktreeConfig" in found.message
    assert tree.git("rev-parse", "--show-toplevel") == str(tree.path)
    assert healthy(submodule)


@pytest.mark.parametrize("inside", [False, True], ids=["beside", "inside the main one"])
def test_a_worktree_without_its_gitfile_is_repaired(
    installed: Repo, tmp_path: Path, *, inside: bool
) -> None:
    """Inside of the main worktree git even takes it for a folder of that."""
    tree = installed.worktree((installed.path if inside else tmp_path) / "tree", "tree")
    if inside:
        installed.write(".gitignore", "tree\n")
    (tree.path / ".git").unlink()

    found = mended(installed, "worktree-broken")

    assert found.worktree == str(tree.path)
    assert tree.git("rev-parse", "--abbrev-ref", "HEAD") == "tree"
    assert healthy(installed)


def test_worktrees_of_a_repository_that_was_moved_are_repaired(
    installed: Repo, side: Repo, tmp_path: Path
) -> None:
    """Their gitfiles lead to where it was."""
    moved = installed.at(tmp_path / "moved")
    shutil.move(installed.path, moved.path)

    found = mended(moved, "worktree-broken")

    assert found.worktree == str(side.path)
    assert healthy(moved)


def test_in_a_copy_the_originals_worktrees_are_left_alone(
    installed: Repo, side: Repo, tmp_path: Path
) -> None:
    """``git worktree repair`` leads every worktree that is registered to where it is called."""
    copy = installed.at(tmp_path / "copy")
    shutil.copytree(installed.path, copy.path, symlinks=True)
    more = [copy.worktree(tmp_path / name, name) for name in ("one", "two")]
    for tree in more:
        (tree.path / ".git").unlink()
    before = (side.path / ".git").read_text()

    found = findings(copy, "worktree-broken")

    assert [one.worktree for one in found] == [str(tree.path) for tree in more]
    assert copy.paste(found[0].run).code == 0  # both, by one command
    assert healthy(copy)
    assert (side.path / ".git").read_text() == before


def silent(*trees: Repo) -> None:
    """Let the workers of worktrees have given no sign for long."""
    for tree in trees:
        for sign in (tree.private("coord-seen"), *tree.private("coord-sessions").glob("*/*")):
            os.utime(sign, (1e9, 1e9))


def test_a_worktree_that_is_gone_is_a_remark(installed: Repo, side: Repo) -> None:
    """Deleted or moved by hand, or on a disk that is away: nobody works in it."""
    installed.git("worktree", "lock", str(side.path))
    silent(side)
    shutil.rmtree(side.path)

    assert healthy(installed)
    assert f"{side.path} is not there" in notes(installed)


def test_a_worktree_whose_worker_is_present_is_no_remark(installed: Repo, side: Repo) -> None:
    """It was seen, so it is somewhere: forgetting it would take its index from under it."""
    shutil.rmtree(side.path)

    (found,) = findings(installed, "worktree-broken")

    assert found.run == "git worktree repair"
    assert found.message.endswith(f"only if it was deleted: git worktree remove {side.path}")


def test_the_commands_of_that_remark_name_one_worktree(
    installed: Repo, side: Repo, tmp_path: Path
) -> None:
    """``prune`` would forget every other that cannot be seen from here, too; moved comes first."""
    other = installed.worktree(tmp_path / "other", "other")
    (tmp_path / "deep").mkdir()
    silent(side, other)
    for tree in (side, other):
        shutil.move(tree.path, tmp_path / "deep" / tree.path.name)
    removal, by_hand = (
        next(part for part in notes(installed).split("\n") if str(tree.path) in part)
        for tree in (side, other)
    )

    command = by_hand.partition("by hand, ")[2].partition(" in its new folder")[0]
    assert other.at(tmp_path / "deep" / "other").paste(command).code == 0
    forget = removal.partition("deleted for good, ")[2].partition(" forgets it")[0]
    assert installed.paste(forget).code == 0

    listed = installed.git("worktree", "list")
    assert str(side.path) not in listed
    assert str(tmp_path / "deep" / "other") in listed
    assert healthy(installed)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_worktree_of_another_owner_is_shown_with_gits_own_command(
    installed: Repo, side: Repo
) -> None:
    """Dubious ownership is not "no repository"."""
    for path in (side.path, side.path / ".git"):
        os.chown(path, 65534, 65534)

    found = mended(installed, "worktree-broken")

    assert "dubious ownership" in found.message
    assert found.run.startswith("git config --global --add safe.directory")
    assert healthy(installed)


def test_an_unreadable_config_of_one_worktree_is_told_in_gits_words(
    installed: Repo, side: Repo
) -> None:
    """Every git command dies there, and nowhere else."""
    installed.git("config", "extensions.worktreeConfig", "true")
    side.private("config.worktree").write_text("[core\n")

    (found,) = findings(installed)

    assert (found.rule, found.worktree) == ("worktree-broken", str(side.path))
    assert "bad config line 1" in found.message


@pytest.mark.parametrize("key", ["alias.coord", "merge.coord-log.driver"])
def test_one_of_our_keys_set_by_somebody_else_is_unset_where_it_stands(
    installed: Repo, side: Repo, key: str
) -> None:
    """The same value wins in all worktrees, and one command ends it."""
    installed.git("config", key, "false")

    found = findings(side, "config-overridden")

    assert [one.worktree for one in found] == [str(installed.path), str(side.path)]
    assert f"another {key}, from {installed.common('config')}" in found[0].message
    assert side.paste(found[0].run).code == 0
    assert healthy(side)


def test_an_include_that_was_taken_out_is_put_back(installed: Repo, side: Repo) -> None:
    """No driver, no alias, no author: git reads none of ours."""
    installed.git("config", "--unset-all", "include.path")

    found = findings(side)

    assert {"config-missing", "author-mismatch"} <= {one.rule for one in found}
    assert side.paste(found[0].run).code == 0
    assert healthy(side)
