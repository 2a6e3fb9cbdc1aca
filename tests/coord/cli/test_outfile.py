"""Files that a caller names for an answer: what is there is neither taken away nor git's own."""

from __future__ import annotations

import os
import stat
import threading
from typing import TYPE_CHECKING

import pytest

from coord.base.errors import Environment
from coord.cli import outfile
from harness.refusal import refusals

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

VERBS = [("board", "--html"), ("check", "--gitlab")]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize("behind", ["plain", "link"])
def test_a_fifo_is_written_into(
    repo: Repo, tmp_path: Path, verb: tuple[str, str], behind: str
) -> None:
    """Whoever reads it has the answer, and it stays what it is; also behind a link."""
    fifo, link = tmp_path / "fifo", tmp_path / "link"
    os.mkfifo(fifo)
    link.symlink_to("fifo")
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(fifo.read_bytes()), daemon=True)
    reader.start()

    done = repo.coord(*verb, str({"plain": fifo, "link": link}[behind]))

    reader.join(10)
    assert (done.code, done.err) == (0, "")
    assert got
    assert got[0].strip()
    assert stat.S_ISFIFO(fifo.lstat().st_mode)
    assert link.is_symlink()


def test_a_device_is_written_into(tmp_path: Path) -> None:
    """``--html /dev/null`` of root replaced it for everybody."""
    null = tmp_path / "null"
    try:
        os.mknod(null, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        null.write_bytes(b"")
    except PermissionError:
        master, slave = os.openpty()  # whoever may make no device has one of these
        null = tmp_path / "tty"
        null.symlink_to(os.ttyname(slave))
        outfile.write(str(null), b"x\n")
        assert os.read(master, 9).strip() == b"x"
        return

    outfile.write(str(null), b"x" * 9)

    assert stat.S_ISCHR(null.lstat().st_mode)


def test_an_open_file_without_a_name_is_written_into(tmp_path: Path) -> None:
    """``/dev/stdout`` of a pipe leads through /proc to a name that no folder has."""
    out, into = os.pipe()
    outfile.write(f"/dev/fd/{into}", b"x" * 9)

    assert os.read(out, 99) == b"x" * 9
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize("name", [".git", ".git/config", ".git/new", ".git/no/such", "link"])
def test_what_git_keeps_is_never_written_over(repo: Repo, verb: tuple[str, str], name: str) -> None:
    """By its own name or behind a link; the command that is printed asks without the file."""
    (repo.path / "link").symlink_to(".git/HEAD")

    done = repo.coord(*verb, name)

    (refusal,) = refusals(done.err)
    assert (done.code, refusal.rule) == (1, "output-in-git-dir")
    assert refusal.headline.endswith(name)
    assert repo.paste(refusal.run).code == 0
    assert not (repo.path / ".git/new").exists()
    assert repo.git("rev-parse", "HEAD")


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_an_empty_name_is_wrong_usage(repo: Repo, verb: tuple[str, str]) -> None:
    """An unset variable named the folder itself."""
    (refusal,) = refusals((done := repo.coord(*verb, "")).err)

    assert (done.code, refusal.rule) == (2, "usage")
    assert refusal.headline.endswith("(empty)")


def test_the_file_that_names_the_git_dir_of_a_worktree_is_gits(repo: Repo, tmp_path: Path) -> None:
    """A linked worktree has a file there, which was replaced."""
    one = repo.worktree(tmp_path / "one", "feat-one")
    before = (one.path / ".git").read_text()

    assert one.coord("board", "--html", ".git").code == 1
    assert (one.path / ".git").read_text() == before


def test_a_worktree_inside_a_bare_repository_is_no_git_dir(repo: Repo, tmp_path: Path) -> None:
    """Many keep theirs there; the bare folder itself is git's."""
    bare = tmp_path / "r.git"
    repo.git("clone", "-q", "--bare", ".", str(bare))
    repo.bare(bare).git("worktree", "add", "-q", "-b", "w", str(bare / "w"))

    outfile.require(str(bare / "w"), "b.html", "true", "--html b.html")
    with pytest.raises(Exception, match="output-in-git-dir"):
        outfile.require(str(bare), "b.html", "true", "--html b.html")


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_what_cannot_be_written_is_named_as_it_was_asked_for(
    repo: Repo, tmp_path: Path, verb: tuple[str, str]
) -> None:
    """A folder stands in the place; no temporary name is told, and none is left."""
    (tmp_path / "page").mkdir()

    done = repo.coord(*verb, str(tmp_path / "page"))

    (refusal,) = refusals(done.err)
    assert (done.code, refusal.rule) == (3, "output-unwritable")
    assert refusal.run.startswith(f"git coord {verb[0]}")
    assert repo.paste(refusal.run).code == 0
    assert "tmp-" not in refusal.headline
    assert repo.paste(refusal.run).code == 0
    assert not list(tmp_path.glob("*.tmp-*"))


def test_a_folder_without_its_rights_is_named_in_the_same_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of the temporary file is nobody's."""

    def refuse(path: str, _: bytes) -> None:
        raise PermissionError(13, "Permission denied", f"{path}.tmp-1-ab")

    monkeypatch.setattr(outfile.publish, "replace", refuse)
    with pytest.raises(Environment) as caught:
        outfile.write(str(tmp_path / "b.html"), b"x")

    assert caught.value.where == str(tmp_path / "b.html")
    assert caught.value.run.endswith(str(tmp_path))
