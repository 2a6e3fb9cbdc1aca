"""Public reports about copied repositories, whose copies acted for the workers of the original.

pfBlockerNG#3089, forge#822, and whatever else brings a git dir to a place by copying it.
"""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from coord.liveness import clone
from harness.board import actor, answer, scope
from harness.clinic import findings, healthy, mended
from harness.snapshot import snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness.repo import Repo

CAME_ALONG = "this repository was copied, and its board came along: git coord clone-id"
OWNING = (
    ("claim", "x"), ("release", "db"), ("take-over", "db", "--gone"), ("sign-off",),
    ("pin", "--self", "--replace"), ("send", "help", "a", "there?"), ("id", "next", "adr"),
    ("worktree", "add", "../more"),
)  # fmt: skip


@pytest.fixture
def claimed(installed: Repo, tmp_path: Path) -> Repo:
    """A linked worktree that holds a scope, of a repository whose main worktree is pinned too."""
    a = installed.worktree(tmp_path / "a", "a")
    assert a.coord("claim", "db").code == 0
    assert installed.coord("pin", "--self").code == 0
    return a


def copy(repo: Repo, to: Path) -> Repo:
    """Copy a repository as ``cp -a`` does."""
    subprocess.run(["cp", "-a", repo.path, to], check=True)
    return repo.at(to)


@pytest.mark.usefixtures("claimed")
def test_a_copied_repository_acts_for_nobody(installed: Repo, tmp_path: Path) -> None:
    """It may look, and is told; the printed command makes it a clone of its own.

    Nothing of the original's changes, whatever is done in the copy.
    """
    holder = scope(installed, "task:db")["holder"]
    board, private = snapshot(installed.common("coord")), snapshot(installed.common("worktrees/a"))
    there = copy(installed, tmp_path / "copy")

    for verb in OWNING:
        done = there.coord(*verb)
        assert (done.code, done.refusal.rule) == (1, "clone-copied"), done.err
        assert f"is a copy of {installed.common()}" in done.err
    looked = there.coord("board")
    assert looked.code == 0
    assert looked.err.count(CAME_ALONG) == 1
    assert there.coord("clone-id", "keep").refusal.rule == "clone-copied"
    mended(there, "clone-copied")

    assert answer(there, "board")["claims"] == []
    assert [one["branch"] for one in answer(there, "board")["actors"]] == ["main"]
    assert there.coord("claim", "x").code == 0
    assert healthy(there)
    assert snapshot(installed.common("coord")) == board
    assert snapshot(installed.common("worktrees/a")) == private
    assert scope(installed, "task:db")["holder"] == holder
    mine, theirs = (answer(one, "whoami") for one in (there, installed))
    assert mine["actor"] == theirs["actor"]
    assert mine["instance"] != theirs["instance"]


def test_a_copy_calls_nobody_gone_before_it_is_settled(
    installed: Repo, claimed: Repo, tmp_path: Path
) -> None:
    """Even where the private git dir did not come along."""
    name = answer(claimed, "whoami")["actor"]
    there = copy(installed, tmp_path / "copy")
    shutil.rmtree(there.common("worktrees/a"))

    assert actor(there, name)["liveness"] in {"present", "unknown"}
    row = scope(there, "task:db")
    assert (row["dead"], row["gone"]) == (False, False)


@pytest.mark.parametrize("folder", ["r/w", "w"])
def test_a_worktree_copied_with_its_repository_is_linked_to_the_copys_own_record(
    installed: Repo, tmp_path: Path, folder: str
) -> None:
    """In it, or beside it. Nothing of the original's changes, however often that is pasted."""
    project = tmp_path / "project"
    project.mkdir()
    installed.path.rename(project / "r")
    main = installed.at(project / "r")
    wt = main.worktree(project / folder, "w")
    main.worktree(project / "other", "other")
    assert wt.coord("claim", "db").code == 0
    subprocess.run(["cp", "-a", project, tmp_path / "copy"], check=True)
    before, link = snapshot(main.common()), wt.path.joinpath(".git").read_bytes()
    there = main.at(tmp_path / "copy" / folder)

    refused = there.coord("claim", "x")

    assert refused.refusal.rule == "worktree-copied"
    assert f"is a copy of {wt.path}" in refused.err
    for _ in range(2):
        assert there.paste(refused.refusal.run).code == 0
        whose = there.git("rev-parse", "--path-format=absolute", "--git-common-dir").strip()
        assert whose == str(tmp_path / "copy/r/.git")
    assert there.coord("claim", "x").refusal.rule == "clone-copied"
    mended(there, "clone-copied")
    assert there.coord("claim", "x").code == 0
    assert healthy(there)
    assert (snapshot(main.common()), wt.path.joinpath(".git").read_bytes()) == (before, link)
    assert [one["scope"] for one in answer(wt, "board")["claims"]] == ["task:db"]


@pytest.mark.usefixtures("claimed")
def test_a_copy_of_a_copy_that_was_settled_is_noticed_too(installed: Repo, tmp_path: Path) -> None:
    """And the first copy is no copy any more."""
    first = copy(installed, tmp_path / "first")
    first.coord("clone-id", "new")
    first.coord("claim", "x")
    second = copy(first, tmp_path / "second")

    assert second.coord("claim", "y").refusal.rule == "clone-copied"
    assert first.coord("claim", "y").code == 0


def _archived(repo: Repo, _: Path) -> Repo:
    """A tar played back where it was made."""
    archive = repo.path.parent / "repo.tar"
    subprocess.run(["tar", "-C", repo.path.parent, "-cf", archive, repo.path.name], check=True)
    shutil.rmtree(repo.path)
    subprocess.run(["tar", "-C", repo.path.parent, "-xf", archive], check=True)
    return repo


def _imaged(repo: Repo, to: Path) -> Repo:
    """As COPY of a Dockerfile does it: the files alone, of another owner and with other times."""
    shutil.copytree(repo.path, to, symlinks=True, copy_function=shutil.copyfile)
    for path in (*to.glob(".git/hooks/*"), to / ".git/hooks/coord/launch"):
        path.chmod(0o755)
    return repo.at(to)


@pytest.fixture
def alone(installed: Repo) -> Repo:
    """A repository without linked worktrees: no copy of it shows where the original is."""
    assert installed.coord("--as", "me", "claim", "db").code == 0
    return installed.with_env(COORD_ACTOR="me")


@pytest.mark.parametrize("way", [_archived, _imaged])
def test_what_came_by_copying_is_asked_after_once(
    alone: Repo, tmp_path: Path, way: Callable[[Repo, Path], Repo]
) -> None:
    """Only a person knows whether it is the same: both answers are printed, and both work."""
    there = way(alone, tmp_path / "there")

    refused = there.coord("claim", "x").refusal
    assert refused.rule == "clone-copied"
    said = there.paste(refused.run)
    assert said.code == 0
    assert "clone-id keep" in said.out
    assert "clone-id new" in said.out
    other = copy(there, tmp_path / "other")
    assert there.coord("clone-id", "keep").code == 0
    assert other.coord("clone-id", "new").code == 0

    assert scope(there, "task:db")["holder"]["actor"] == "me"
    assert there.coord("release", "db").code == 0
    assert there.coord("clone-id", "keep").code == 0  # said twice, it says the same
    assert there.coord("clone-id", "new").refusal.rule == "clone-proved"
    board = answer(other, "board")
    assert (board["actors"], board["claims"]) == ([], [])
    assert other.coord("claim", "db").code == 0


def _moved(repo: Repo, to: Path) -> Repo:
    repo.path.rename(to)
    return repo.at(to)


def _cloned(repo: Repo, to: Path) -> Repo:
    repo.git("clone", "-q", "--local", str(repo.path), str(to))
    repo.at(to).git("remote", "remove", "origin")  # a board there is told of, which is no copy
    repo.at(to).install()
    return repo.at(to)


@pytest.mark.parametrize("way", [_moved, _cloned])
def test_a_move_and_a_clone_are_no_copies(
    alone: Repo, tmp_path: Path, way: Callable[[Repo, Path], Repo]
) -> None:
    """``mv`` keeps the file, and ``git clone`` brings nothing of ours along."""
    there = way(alone, tmp_path / "there")

    assert "copied" not in there.coord("claim", "db").err
    assert findings(there, "clone-copied") == []


def test_one_repository_at_two_places_is_one_clone(alone: Repo, tmp_path: Path) -> None:
    """A bind mount, as containers have it, shows the very same files."""
    there = tmp_path / "there"
    there.mkdir()
    bound = f"mount --bind {alone.path} {there} && cd {there} && git coord claim x"

    done = alone.run("unshare", "-rm", "sh", "-c", bound)

    assert (done.code, done.err) == (0, "")
    assert scope(alone, "task:x")["holder"]["actor"] == "me"


def test_an_overlay_is_a_copy(alone: Repo, tmp_path: Path) -> None:
    """A sandbox that keeps what is written to itself: a claim made there binds nobody outside."""
    for name in ("upper", "work", "there"):
        (tmp_path / name).mkdir()
    options = f"lowerdir={alone.path},upperdir={tmp_path}/upper,workdir={tmp_path}/work"
    there = tmp_path / "there"
    mounted = f"mount -t overlay none -o {options} {there} && cd {there} && "

    claimed = alone.run("unshare", "-rm", "sh", "-c", f"{mounted} git coord claim x")
    looked = alone.run("unshare", "-rm", "sh", "-c", f"{mounted} git coord board")

    assert (claimed.code, claimed.refusal.rule) == (1, "clone-copied"), claimed.err
    assert CAME_ALONG in looked.err
    assert [row["scope"] for row in answer(alone, "board")["claims"]] == ["task:db"]


def test_a_copy_with_its_worktrees_has_owners_of_its_own_in_each(
    installed: Repo, tmp_path: Path
) -> None:
    """Worktrees inside of the folder that was copied, whose links were repaired."""
    inner = installed.worktree(installed.path / "trees" / "a", "a")
    inner.coord("claim", "db")
    before = answer(inner, "whoami")
    there = copy(installed, tmp_path / "copy")
    shutil.rmtree(installed.path)
    there.git("worktree", "repair", str(there.path / "trees" / "a"))
    inside = there.at(there.path / "trees" / "a")

    assert inside.coord("claim", "x").refusal.rule == "clone-copied"
    assert inside.coord("clone-id", "new").code == 0

    after = answer(inside, "whoami")
    assert after["actor"] == before["actor"]
    assert after["email"] == before["email"]
    assert after["instance"] != before["instance"]
    assert inside.coord("claim", "db").code == 0


def test_an_install_that_nobody_has_used_may_be_copied(installed: Repo, tmp_path: Path) -> None:
    """An image or a template with nothing but the hooks: there is nothing to act for."""
    there = copy(installed, tmp_path / "copy")

    assert clone.read(str(installed.common())) is None
    assert there.coord("--as", "me", "claim", "db").err == ""
