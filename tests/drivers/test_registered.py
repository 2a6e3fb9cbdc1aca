"""The driver line: found from wherever git starts it, and refusing when nothing is there."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from coord.drivers.registered import DRIVERS, SCRIPTS, command
from coord.guard.guarded import KINDS
from harness import Repo, refusals
from harness.drivers import add_drivers
from harness.scenes import diverged

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "a.log": (b"base\n", b"base\nmain\n", b"base\nside\n"),
    "c.md": (b"- base\n", b"- base\n- main\n", b"- base\n- side\n"),
    "d.lock": (b"0\n", b"1\n", b"2\n"),
}
ONCE = {"o.once": (None, b"1\n", b"2\n")}


def assert_guarded(repo: Repo, *options: str) -> None:
    """Merge ``side``: the log is joined, the derived file refused and the refusal recorded."""
    done = repo.tried(*options, "merge", "side")

    assert done.code == 1, done.err
    assert done.refusal.rule == "derived-two-sided"
    assert repo.read("a.log") == "base\nmain\nside\n"
    assert repo.read("d.lock") == "1\n"
    assert len(list(repo.private("coord-refused").iterdir())) == 1


def test_a_line_is_one_line_and_quotes_no_placeholder() -> None:
    """Git quotes %P, %X and %Y itself."""
    for driver in DRIVERS.values():
        assert "\n" not in driver.command
        assert "set -- %O %A %B %L %P %X %Y;" in driver.command
    assert DRIVERS["coord-derived"].recursive == DRIVERS["coord-once"].recursive == "binary"
    assert DRIVERS["coord-log"].recursive is DRIVERS["coord-changelog"].recursive is None


@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_the_scripts_are_plain_sh(shell: str, name: str, repo: Repo) -> None:
    """Whatever is called sh has to read them."""
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    script = add_drivers(repo) / name

    assert repo.run(shell, "-n", str(script)).code == 0


@pytest.mark.parametrize("place", ["main", "linked", "submodule"])
def test_the_common_dir_is_found_without_a_child(guarded: Repo, tmp_path: Path, place: str) -> None:
    """One `git rev-parse` a path costs a merge of many files a third more."""
    there = guarded
    if place == "linked":
        linked = guarded.worktree(tmp_path / "linked", "other")
        there = linked.with_env(GIT_DIR=str(linked.private()))
    if place == "submodule":
        outer = Repo.init(tmp_path / "outer", guarded.env)
        outer.git("submodule", "--quiet", "add", str(guarded.path), "sub")
        there = outer.at(outer.path / "sub")
        add_drivers(there)
    there.common("hooks/coord/log").write_text('echo "$#"; exit 0\n')
    done = there.with_env(PATH="/nowhere").run("/bin/sh", "-c", command("log"))

    assert (done.out, done.err) == ("7\n", "")


def test_in_the_main_worktree(guarded: Repo) -> None:
    """No GIT_DIR, .git is a folder."""
    diverged(guarded, FILES)

    assert_guarded(guarded)


def test_from_a_subdirectory(guarded: Repo) -> None:
    """Git starts it at the top level all the same."""
    diverged(guarded, FILES)
    (guarded.path / "sub").mkdir()
    done = guarded.at(guarded.path / "sub").tried("merge", "side")

    assert done.refusal.rule == "derived-two-sided"
    assert guarded.read("a.log") == "base\nmain\nside\n"


def test_in_a_linked_worktree(guarded: Repo, tmp_path: Path) -> None:
    """GIT_DIR is the private git dir, which names the common one; the record is private."""
    diverged(guarded, FILES)
    linked = guarded.worktree(tmp_path / "linked tree", "other")

    assert_guarded(linked)
    assert not (guarded.private("coord-refused")).exists()


def test_in_a_linked_worktree_of_a_bare_repository(guarded: Repo, tmp_path: Path) -> None:
    """The common dir is no .git."""
    diverged(guarded, FILES)
    guarded.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    bare = guarded.at(tmp_path / "bare.git")
    add_drivers(bare)

    assert_guarded(bare.worktree(tmp_path / "of bare", "other"))


def test_in_a_submodule(guarded: Repo, tmp_path: Path) -> None:
    """.git is a file with a relative path."""
    diverged(guarded, FILES)
    outer = Repo.init(tmp_path / "outer", guarded.env)
    outer.git("submodule", "--quiet", "add", str(guarded.path), "sub")
    inner = outer.at(outer.path / "sub")
    inner.git("branch", "side", "origin/side")
    add_drivers(inner)

    assert (inner.path / ".git").read_text().startswith("gitdir: ../")
    assert_guarded(inner)


def test_in_a_worktree_whose_git_dir_is_elsewhere(guarded: Repo, tmp_path: Path) -> None:
    """As with `git init --separate-git-dir`, and with --git-dir from another folder."""
    diverged(guarded, FILES)
    (guarded.path / ".git").rename(tmp_path / "git dir")
    options = ("--git-dir", str(tmp_path / "git dir"), "--work-tree", str(guarded.path))
    done = guarded.at(tmp_path).tried(*options, "merge", "side")

    assert done.refusal.rule == "derived-two-sided"
    assert guarded.read("a.log") == "base\nmain\nside\n"
    assert len(list((tmp_path / "git dir" / "coord-refused").iterdir())) == 1


def test_after_the_repository_moved(guarded: Repo, tmp_path: Path) -> None:
    """No path of it is written down."""
    diverged(guarded, FILES)
    guarded.path.rename(tmp_path / "moved to $(here)")

    assert_guarded(guarded.at(tmp_path / "moved to $(here)"))


def test_in_a_folder_with_an_odd_name(odd_path: Repo) -> None:
    """A blank, a quote, a letter outside ASCII."""
    add_drivers(odd_path)
    diverged(odd_path, FILES)

    assert_guarded(odd_path)


@pytest.mark.parametrize("from_inside", [True, False])
def test_in_a_bare_repository(guarded: Repo, tmp_path: Path, from_inside: bool) -> None:
    """`merge-tree` there: GIT_DIR is ``.``, or cwd the caller's; stdout stays git's own."""
    diverged(guarded, FILES)
    guarded.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    bare = guarded.at(tmp_path / "bare.git")
    add_drivers(bare)
    if from_inside:
        done = bare.tried("merge-tree", "--write-tree", "main", "side")
    else:
        done = bare.at(tmp_path).tried(
            "--git-dir", "bare.git", "merge-tree", "--write-tree", "main", "side"
        )
    tree = done.out.split("\n")[0]

    assert done.code == 1
    assert [refused.rule for refused in refusals(done.err)] == ["derived-two-sided"]
    assert bare.git("show", f"{tree}:a.log") == "base\nmain\nside"
    assert not (bare.path / "coord-refused").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_without_its_script_it_refuses(guarded: Repo, kind: str) -> None:
    """Somebody emptied hooks/: a loud conflict, never a merge, and both sides in the index."""
    diverged(guarded, FILES | ONCE)
    shutil.rmtree(guarded.common("hooks"))
    for name, driver in DRIVERS.items():  # the config went with it, git may still have it cached
        guarded.git("config", f"merge.{name}.driver", driver.command)
    done = guarded.tried("merge", "side")
    refused = [one for one in refusals(done.err) if f"hooks/coord/{kind} is gone" in one.headline]
    names = {"changelog": "c.md", "log": "a.log", "derived": "d.lock", "once": "o.once"}

    assert done.code == 1
    assert [(one.rule, one.run) for one in refused] == [("driver-missing", "coord-install")]
    assert guarded.git("show", f":3:{names[kind]}").split("\n")[-1] in {"side", "- side", "2"}


def test_without_its_script_the_launcher_still_knows_who_installs(guarded: Repo) -> None:
    """By its path: what a virtualenv holds is seldom on PATH."""
    diverged(guarded, FILES)
    guarded.common("hooks/coord/derived").unlink()
    guarded.common("hooks/coord/launch").write_text(
        "coord_repair='/v/bin/python -m pip install x && /v/bin/python -P -m coord.installer'\n"
    )

    runs = {one.rule: one.run for one in refusals(guarded.tried("merge", "side").err)}

    assert runs["driver-missing"] == "/v/bin/python -P -m coord.installer"


def test_without_its_shared_script_it_refuses(guarded: Repo) -> None:
    """Half an installation is no installation: sh ends with an error, git with a conflict."""
    diverged(guarded, FILES)
    guarded.common("hooks/coord/refuse").unlink()
    done = guarded.tried("merge", "side")

    assert done.code == 1
    assert guarded.git("show", ":3:d.lock") == "2"


def test_every_kind_has_its_line() -> None:
    """And no other is registered."""
    assert {f"coord-{kind}": command(kind) for kind in KINDS} == {
        name: driver.command for name, driver in DRIVERS.items()
    }
