"""Which hooks git runs: proved by probes that git fires, whatever config and files pretend."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from coord.doctor import hooks, probes
from coord.doctor.configured import Entry, Listing
from coord.doctor.facts import View
from coord.installer.hookfile import EVENTS
from coord.repo.worktree import Worktree
from harness.clinic import diagnosis, findings, healthy, mended, notes
from harness.grounds import git_version

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

AS_EVENT = "git dies of a hook of its config that is called like an event since 2.55"
FOREIGN = "#!/bin/sh\ntouch fired\n"


def foreign(path: Path, text: str = FOREIGN) -> Path:
    """Write a hook of somebody else's, which leaves a trace when it runs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_every_hook_answers_from_every_worktree(installed: Repo, side: Repo) -> None:
    """Seven events in the main and in a linked worktree: fourteen probes, all proved."""
    views = diagnosis(side).views

    assert [view.hooks.fired for view in views if view.hooks] == [7, 7]
    assert all(view.hooks is not None and view.hooks.proved for view in views)
    assert healthy(installed)


def test_a_probe_runs_neither_kept_hooks_nor_ours(installed: Repo, side: Repo) -> None:
    """What a foreign hook would do is not done, and no worktree is pinned or seen by a probe."""
    foreign(installed.common("hooks/post-checkout.coord-prior"))
    side.private("coord-seen").unlink()

    assert healthy(installed)
    assert not (installed.path / "fired").exists()
    assert not (side.path / "fired").exists()
    assert not side.private("coord-seen").exists()


def test_a_probe_that_leaked_into_the_environment_switches_no_hook_off(
    installed: Repo, tmp_path: Path
) -> None:
    """Its file of answers is gone, and then the hook does its work."""
    leaked = installed.with_env(COORD_PROBE=str(tmp_path / "gone"))

    tree = leaked.worktree(tmp_path / "tree", "tree")

    assert tree.private("coord-identity.toml").exists()


@pytest.mark.parametrize("value", [".git/hooks", "./.git/hooks"])
def test_a_relative_path_into_the_git_dir_is_dead_in_linked_worktrees_only(
    installed: Repo, side: Repo, value: str
) -> None:
    """There `.git` is a file. Without the setting all find the folder."""
    installed.git("config", "core.hooksPath", value)

    found = mended(installed, "hooks-path")

    assert found.worktree == str(side.path)
    assert "no hook of ours" in found.message
    assert f"{value} in {installed.common('config')}" in found.message


def test_an_untracked_hooks_folder_is_created_in_linked_worktrees(
    installed: Repo, side: Repo
) -> None:
    """``core.hooksPath=.myhooks``, untracked: it runs in main and nowhere else, without a word."""
    (installed.path / ".myhooks").mkdir()
    installed.git("config", "core.hooksPath", ".myhooks")
    installed.install()

    found = mended(installed, "hooks-path")

    assert found.worktree == str(side.path)


def test_a_committed_folder_without_ours_is_filled_in_each_worktree(
    installed: Repo, tmp_path: Path
) -> None:
    """Each worktree runs the hooks of its own checkout."""
    installed.commit("hooks", {".githooks/pre-commit": "#!/bin/sh\n"})
    installed.git("config", "core.hooksPath", ".githooks")
    installed.install()
    tree = installed.worktree(tmp_path / "tree", "tree")

    found = mended(installed, "hooks-path")

    assert found.worktree == str(tree.path)
    assert found.message.startswith("git runs no hook of ours here: local core.hooksPath")


@pytest.mark.parametrize("value", ["/nope/hooks", ""])
def test_a_setting_that_silences_all_worktrees_ends_in_one_command(
    installed: Repo, side: Repo, value: str
) -> None:
    """A moved repository, or an empty value: git runs nothing and says nothing."""
    installed.git("config", "core.hooksPath", value)

    found = findings(installed, "hooks-path")

    assert [one.worktree for one in found] == [str(installed.path), str(side.path)]
    assert len({one.run for one in found}) == 1
    assert installed.paste(found[0].run).code == 0
    assert healthy(installed)


def test_a_worktree_of_its_own_setting_is_the_one_that_is_named(
    installed: Repo, side: Repo, tmp_path: Path
) -> None:
    """``config.worktree`` with a folder that is not there: 22 of 45 worktrees ran nothing."""
    installed.git("config", "extensions.worktreeConfig", "true")
    other = installed.worktree(tmp_path / "other", "other")
    for tree in (side, other):
        tree.git("config", "--worktree", "core.hooksPath", "/nope")

    found = findings(installed, "hooks-path")

    assert {one.worktree for one in found} == {str(side.path), str(other.path)}
    for one in found:
        assert "worktree core.hooksPath = /nope" in one.message
        assert installed.paste(one.run).code == 0
    assert healthy(installed)


def test_a_global_folder_is_named_and_our_lines_in_it_end_the_finding(
    installed: Repo, home: Path
) -> None:
    """It serves other repositories too: the printed lines make both run."""
    installed.git("config", "--global", "core.hooksPath", str(home / "hooks"))
    (home / "hooks").mkdir()

    found = findings(installed, "hooks-path")
    printed = installed.paste(found[0].run)

    assert "global core.hooksPath" in found[0].message
    assert printed.code == 0
    for event in EVENTS:
        foreign(home / "hooks" / event, f"#!/bin/sh\n{printed.out.partition('# Our hooks')[2]}")
    assert findings(installed, "hooks-path") == []
    assert "another tool's hook runs ours" in notes(installed)


def test_a_setting_of_the_environment_is_dropped_by_its_command(installed: Repo) -> None:
    """``GIT_CONFIG_COUNT`` reaches every git command of this shell, and no other."""
    poisoned = installed.with_env(
        GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="core.hooksPath", GIT_CONFIG_VALUE_0="/nope"
    )

    found = findings(poisoned, "hooks-path")

    assert [one.worktree for one in found] == [str(installed.path)]
    mended_shell = poisoned.paste(f"{found[0].run}; git coord doctor")
    assert "hooks-path" not in mended_shell.out


@pytest.mark.parametrize(
    ("harm", "state"),
    [
        (lambda hook: hook.chmod(0o644), "is not executable"),
        (lambda hook: hook.unlink(), "is not there"),
        (foreign, "is not ours"),
        (lambda hook: hook.write_text("#!/bin/sh\n# git-coord hook, version 1\n"), "older version"),
        (
            lambda hook: hook.write_text(hook.read_text().replace("\n", "\r\n", 1)),
            "did not answer",
        ),
    ],
    ids=["x bit", "deleted", "overwritten", "old", "CRLF"],
)
def test_one_hook_that_git_does_not_run_is_named_and_mended(
    installed: Repo, harm: object, state: str
) -> None:
    """The other six still answer; an install brings it back and keeps a foreign one beside it."""
    assert callable(harm)
    harm(installed.common("hooks/commit-msg"))

    found = mended(installed, "hooks-path")

    assert found.message.startswith("git runs not commit-msg here")
    assert state in found.message
    assert not (installed.path / "fired").exists()


def test_hooks_without_their_common_part_are_silent(installed: Repo) -> None:
    """Files that look right and judge nothing: only a probe tells."""
    installed.common("hooks/coord/hook").unlink()

    found = mended(installed, "hooks-path")

    assert "did not answer" in found.message


def test_pre_commit_above_ours_is_read_and_not_fired(installed: Repo) -> None:
    """It would run its own hooks, with stashing and all; it runs ours from NAME.legacy."""
    hook = installed.common("hooks/commit-msg")
    shutil.move(hook, f"{hook}.legacy")
    foreign(hook, f"#!/usr/bin/env bash\n# File generated by pre-commit: x\n{FOREIGN}")

    assert findings(installed, "hooks-path") == []
    assert "commit-msg in" in notes(installed)
    assert not (installed.path / "fired").exists()


def test_past_eight_worktrees_one_probe_each_unless_dead(installed: Repo, tmp_path: Path) -> None:
    """Their hooks are the same files: what can differ is whether git and they find each other."""
    trees = [installed.worktree(tmp_path / f"w{n}", f"w{n}") for n in range(9)]
    installed.git("config", "extensions.worktreeConfig", "true")
    trees[8].git("config", "--worktree", "core.hooksPath", str(tmp_path / "own"))
    shutil.copytree(installed.common("hooks"), tmp_path / "own")
    (tmp_path / "own" / "pre-push").chmod(0o644)

    views = {view.folder: view.hooks for view in diagnosis(installed).views}

    fired = [found.fired for found in views.values() if found]
    assert fired == [7, 7, 7, 7, 7, 7, 7, 7, 1, 6]
    assert [one.worktree for one in findings(installed, "hooks-path")] == [str(trees[8].path)]


def test_a_hook_of_gits_config_without_a_command_is_fatal_since_git_2_54(installed: Repo) -> None:
    """Older ones ignore it; the command takes the event away."""
    config = installed.common("config")
    installed.git("config", "hook.mine.event", "commit-msg")
    entry = Entry("local", str(config), "hook.mine.event", "commit-msg")
    states = probes.Hooks(str(config.parent / "hooks"), dict.fromkeys(EVENTS, probes.RUNS), 7)
    view = View(
        Worktree(str(config.parent), str(config.parent), str(installed.path)),
        "main",
        config=Listing((entry,)),
        hooks=states,
    )

    (found,) = hooks.judge([view], (2, 54)).findings

    assert found.rule == "hook-without-command"
    assert hooks.judge([view], (2, 53)).findings == []
    assert installed.paste(found.run).code == 0
    assert installed.tried("config", "hook.mine.event").code == 1


def test_a_hook_of_gits_config_is_not_fired_by_a_probe(installed: Repo) -> None:
    """On git 2.54 and later it would run first."""
    installed.git("config", "hook.mine.event", "commit-msg")
    installed.git("config", "hook.mine.command", f"touch {installed.path}/fired")

    assert healthy(installed)
    assert not (installed.path / "fired").exists()


@pytest.fixture
def _config_hooks(repo: Repo) -> None:
    if git_version(repo) < (2, 55):
        pytest.skip(AS_EVENT)


@pytest.mark.usefixtures("_config_hooks")
@pytest.mark.parametrize("event", ["pre-commit", "post-checkout"])
def test_a_hook_of_gits_config_that_is_called_like_an_event_is_renamed(
    installed: Repo, event: str
) -> None:
    """Git dies at every hook, whichever it is; afterwards it runs what was meant."""
    ran = installed.path / "ran"
    installed.git("config", "--global", f"hook.{event}.command", f"touch {ran}")
    installed.git("config", f"hook.{event}.event", "pre-commit")
    assert installed.tried("commit", "--allow-empty", "-m", "x").code

    (found,) = findings(installed)
    assert found.rule == "hook-named-as-event"
    assert installed.paste(found.run).code == 0

    assert healthy(installed)
    installed.git("commit", "-q", "--allow-empty", "-m", "x")
    assert ran.exists()


CALL = '"$(git rev-parse --git-common-dir)/hooks/coord/{}"'


def _configure(repo: Repo, command: str) -> None:
    for event in EVENTS:
        repo.git("config", f"hook.ours-{event}.event", event)
        repo.git("config", f"hook.ours-{event}.command", command.format(event))


@pytest.mark.usefixtures("_config_hooks")
def test_hooks_of_gits_config_that_call_ours_guard(repo: Repo, tmp_path: Path) -> None:
    """Whatever core.hooksPath is; each is fired, and no file beside it."""
    repo.git("config", "core.hooksPath", str(tmp_path))
    foreign(tmp_path / "prepare-commit-msg", f"#!/bin/sh\ntouch {tmp_path}/fired\n")
    assert repo.install("--no-hooks").code == 0
    repo.worktree(tmp_path / "side", "side")
    (tmp_path / "fired").unlink(missing_ok=True)
    _configure(repo, CALL)

    assert findings(repo, "hooks-path") == []
    repo.git("config", "hook.ours-pre-push.enabled", "false")
    for found in findings(repo, "hooks-path"):
        assert "git runs not pre-push here" in found.message
    assert findings(repo, "hooks-path")
    assert not (tmp_path / "fired").exists()


@pytest.mark.usefixtures("_config_hooks")
def test_a_call_of_ours_that_leads_nowhere_in_a_linked_worktree_is_found(
    repo: Repo, tmp_path: Path
) -> None:
    """There `.git` is a file, and git itself dies of the command."""
    assert repo.install("--no-hooks").code == 0
    side = repo.worktree(tmp_path / "side", "side")
    _configure(repo, ".git/hooks/coord/{}")

    assert [one.worktree for one in findings(repo, "hooks-path")] == [str(side.path)]


@pytest.mark.usefixtures("_config_hooks")
def test_what_a_hook_of_gits_config_does_beside_calling_ours_is_not_done(
    repo: Repo, tmp_path: Path
) -> None:
    """It is read, and said to be."""
    assert repo.install("--no-hooks").code == 0
    _configure(repo, f"touch {tmp_path}/fired; {CALL}")

    assert findings(repo, "hooks-path") == []
    assert not (tmp_path / "fired").exists()


def test_the_installer_sees_the_dead_relative_path_too(installed: Repo, side: Repo) -> None:
    """Git itself dies of ``--git-path`` there; the hooks went into the current folder instead."""
    installed.git("config", "core.hooksPath", ".git/hooks")

    done = side.started("coord-install")

    assert done.code == 1
    assert done.refusal.rule == "hooks-path"
    assert not (side.path / "commit-msg").exists()
