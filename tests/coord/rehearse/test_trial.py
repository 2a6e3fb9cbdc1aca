"""``--exec``: each step tried in a checkout of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.rehearse.run import rehearse
from coord.repo import worktree

if TYPE_CHECKING:
    from pathlib import Path

    from coord.rehearse.report import Rehearsal
    from harness import Repo


@pytest.fixture
def queue(repo: Repo) -> Repo:
    """Three branches, each with a file of its name, from main."""
    repo.commit("more")
    repo.commit("ignore", {".gitignore": "built\n"})
    for name in ("one", "two", "three"):
        repo.git("switch", "-q", "-c", name, "main")
        repo.commit(name, {name: f"{name}\n"})
    repo.git("switch", "-q", "main")
    return repo


def tried(repo: Repo, command: str, *branches: str) -> Rehearsal:
    """Rehearse the three branches with a test."""
    place = worktree.discover(str(repo.path))
    return rehearse(place, "main", branches or ("one", "two", "three"), command)


def test_each_step_is_tried_on_top_of_those_before_it(queue: Repo, tmp_path: Path) -> None:
    """The command's folder is the top of a checkout of the merged tree, and nothing else."""
    told = tmp_path / "told"

    found = tried(queue, f"ls | tr '\\n' ' ' >>'{told}'; echo >>'{told}'")

    assert found.ok
    assert [step.status for step in found.steps] == [0, 0, 0]
    assert told.read_text() == "README one \nREADME one two \nREADME one three two \n"


def test_a_step_that_fails_is_left_out_and_the_next_one_goes_on_without_it(queue: Repo) -> None:
    """As a merge queue does: one bad branch must not fail those behind it."""
    found = tried(queue, "test ! -e two")

    assert [step.outcome for step in found.steps] == ["clean", "left-out", "clean"]
    assert [step.status for step in found.steps] == [0, 1, 0]
    assert found.steps[1].why == "its test ended with 1"
    assert found.steps[1].commands == ()
    assert not found.ok
    queue.git("merge", "-q", "--no-edit", "one")
    queue.git("merge", "-q", "--no-edit", "three")
    assert found.tree == queue.git("rev-parse", "HEAD^{tree}")


def test_a_branch_in_conflict_is_not_tried(queue: Repo) -> None:
    """There is nothing to check out."""
    queue.git("switch", "-q", "-c", "other", "main")
    queue.commit("other", {"one": "other\n"})
    queue.git("switch", "-q", "main")

    found = tried(queue, "true", "one", "other")

    assert [step.status for step in found.steps] == [0, None]


def test_what_a_test_leaves_is_gone_but_for_what_is_ignored(queue: Repo, tmp_path: Path) -> None:
    """Edits, untracked files and commits of its own are; a build folder makes the next one fast."""
    told = tmp_path / "told"
    look = f"cat README >>'{told}'; ls -A | grep -v '^[.]git' | tr '\\n' ' ' >>'{told}'"
    mess = "touch built stray; echo edited >README; git add -A; git -c user.name=x "
    mess += "-c user.email=x commit -q -m mess; mkdir -p nest; git init -q nest"

    found = tried(queue, f"{look}; {mess}", "one", "two")

    assert found.ok
    assert told.read_text() == "start\nREADME one start\nREADME built one two "


def test_the_command_sees_the_step_as_its_head_and_no_variable_of_ours(
    queue: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So ``git describe``, ``git ls-files`` and the like tell of the step, even with history."""
    monkeypatch.setenv("COORD_CWD", "/elsewhere")
    told = tmp_path / "told"
    told.touch()

    found = tried(
        queue, f"{{ git log --format=%s -1 HEAD^2; env | grep -c COORD_; }} >'{told}'", "one"
    )

    assert told.read_text() == "one\n0\n"
    assert found.steps[0].status == 1  # of grep, which found none


def test_its_words_go_to_stderr_and_a_signal_counts(
    queue: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    """Stdout is the answer's."""
    found = tried(queue, "echo said; kill -TERM $$", "one")

    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "said\n")
    assert found.steps[0].status == 128 + 15


def test_no_hook_runs_in_the_checkout(queue: Repo, tmp_path: Path, home: Path) -> None:
    """Not even one of the user's own hooks folder, for the checkout or the command's commits."""
    hooks = home / "hooks"
    hooks.mkdir()
    for event in ("post-checkout", "pre-commit"):
        (hooks / event).write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
        (hooks / event).chmod(0o755)
    with (home / ".gitconfig").open("a") as config:
        config.write(f"[core]\n\thooksPath = {hooks}\n")

    found = tried(queue, "git commit -q --allow-empty -m x", "one")

    assert found.ok
    assert not (tmp_path / "ran").exists()


def test_files_are_checked_out_as_the_repository_says(queue: Repo, tmp_path: Path) -> None:
    """With its line ends and its filters, which its own config defines."""
    queue.git("config", "core.autocrlf", "true")
    queue.git("config", "filter.loud.smudge", "tr a-z A-Z")
    queue.git("switch", "-q", "one")
    queue.commit("loud", {".gitattributes": "loud filter=loud -text\n", "loud": "loud\n"})
    queue.git("switch", "-q", "main")

    tried(queue, f"cat loud one >'{tmp_path}/told'", "one")

    assert (tmp_path / "told").read_bytes() == b"LOUD\none\r\n"


def test_it_works_in_a_shallow_clone(queue: Repo, tmp_path: Path) -> None:
    """Whose history ends where no object is."""
    queue.git(
        "clone",
        "-q",
        "--depth=2",
        "--no-single-branch",
        f"file://{queue.path}",
        str(tmp_path / "shallow"),
    )
    shallow = queue.at(tmp_path / "shallow")

    assert tried(shallow, "git log --oneline", "origin/one", "origin/two").ok
