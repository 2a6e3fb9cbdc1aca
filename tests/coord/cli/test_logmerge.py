"""``log-merge``: the driver's join where no repository and no installation is."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from harness.repo import Done
from harness.scenes import diverged

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

BASE = "# Changes\n\n## Unreleased\n\n- first\n\n## 1.0\n\n- old\n"
OURS = BASE.replace("first\n", "first\n- ours\n")
THEIRS = BASE.replace("first\n", "first\n- theirs\n")
JOINED = BASE.replace("first\n", "first\n- ours\n- theirs\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three files, in a folder of no repository, whose ``.coord.toml`` nobody may read."""
    place = tmp_path / "place"
    place.mkdir()
    for name, text in (("base", BASE), ("ours", OURS), ("theirs", THEIRS)):
        (place / name).write_text(text)
    (place / ".coord.toml").write_text("[log\n")
    return place


def ran(folder: Path, *options: str, names: tuple[str, ...] = ("base", "ours", "theirs")) -> Done:
    """Run the filter as a program of its own."""
    words = [sys.executable, "-P", "-m", "coord", "log-merge", *names, *options]
    env = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def test_the_join_goes_to_stdout(folder: Path) -> None:
    """And to nowhere else: the folder is as it was."""
    before = sorted(path.name for path in folder.iterdir())
    done = ran(folder, "--kind", "changelog")

    assert (done.code, done.out, done.err) == (0, JOINED, "")
    assert (folder / "ours").read_text() == OURS
    assert sorted(path.name for path in folder.iterdir()) == before


def test_in_place_it_writes_ours(folder: Path) -> None:
    """As a merge driver its %A."""
    done = ran(folder, "--kind", "changelog", "--in-place")

    assert (done.code, done.out, done.err) == (0, "", "")
    assert (folder / "ours").read_text() == JOINED


@pytest.mark.parametrize("options", [(), ("--in-place",)])
def test_a_refusal_writes_nothing(folder: Path, options: tuple[str, ...]) -> None:
    """Line, side and both texts are named; the printed command shows a text merge."""
    (folder / "ours").write_text(BASE.replace("first", "first\n  o {theirs}"))
    (folder / "theirs").write_text(BASE.replace("first", "first\n  t"))
    before = (folder / "ours").read_text()
    done = ran(folder, "--kind", "changelog", *options)

    assert (done.code, done.out) == (1, "")
    assert done.refusal.rule == "changelog-clash"
    assert (folder / "ours").read_text() == before
    words = ["sh", "-c", done.refusal.run]
    shown = subprocess.run(words, cwd=folder, capture_output=True, check=False)
    assert (shown.returncode, shown.stdout.count(b"<<<<<<< ")) == (1, 1)


def test_lines_blocks_and_an_empty_base(folder: Path) -> None:
    """A start comes from the command line alone; /dev/null is no base."""
    for name, text in (("base", ""), ("ours", "## 1\na\n"), ("theirs", "## 2\nb\n")):
        (folder / name).write_text(text)

    assert ran(folder, "--start", "## ").out == "## 1\na\n\n## 2\nb\n"
    for name in ("ours", "theirs"):
        (folder / name).write_text(f"{name}\n")
    assert ran(folder, names=("/dev/null", "ours", "theirs")).out == "ours\ntheirs\n"


@pytest.mark.parametrize(
    ("names", "code", "rule"),
    [(("base", "ours"), 2, "usage"), (("base", "ours", "none"), 3, "file-unusable")],
)
def test_what_cannot_be_read_is_no_refusal(
    folder: Path, names: tuple[str, ...], code: int, rule: str
) -> None:
    """Exit 2 for the call, 3 for the surroundings."""
    done = ran(folder, "--in-place", names=names)

    assert (done.code, done.refusal.rule) == (code, rule)
    assert (folder / "ours").read_text() == OURS


def test_git_calls_it_as_a_driver(repo: Repo) -> None:
    """%O %A %B, and no trace of us in the git dir."""
    line = f"{sys.executable} -P -m coord log-merge %O %A %B --in-place --kind changelog"
    repo.git("config", "merge.filter.driver", line)
    repo.commit("rule", {".gitattributes": "*.md merge=filter\n"})
    diverged(repo, {"c.md": (BASE.encode(), OURS.encode(), THEIRS.encode())})
    repo.git("merge", "-q", "--no-edit", "side")

    assert repo.read("c.md") == JOINED
    assert not list(repo.common().rglob("*coord*"))
