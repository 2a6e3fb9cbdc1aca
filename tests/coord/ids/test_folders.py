"""One folder in many commits: every file of it, by three children, whatever the names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.history.door import Door
from coord.ids import folders
from harness import Repo

if TYPE_CHECKING:
    from pathlib import Path

ODD = ["plain", "two words", "new\nline", "tab\tx", "é", "\udcff", "missing\n", "100644 x"]


@pytest.mark.parametrize("folder", ["ids", "a\nb/i ds", "ids missing\n"])
@pytest.mark.parametrize("format_", ["sha1", "sha256"])
def test_every_name_is_read_as_git_has_it(
    tmp_path: Path, env: dict[str, str], folder: str, format_: str
) -> None:
    """Raw trees hold no quoting, and ids of either length."""
    repo = Repo.init(tmp_path / "r", env, f"--object-format={format_}")
    repo.commit("files", {f"{folder}/{name}": name for name in ODD} | {"other": "x"})
    listed = repo.run("git", "ls-tree", "-r", "-z", "HEAD", "--", folder).out.split("\0")[:-1]
    wanted = {line.partition("\t")[2]: line.split()[2].partition("\t")[0] for line in listed}

    door, raw = Door(str(repo.path)), folder.encode()
    found = folders.below(door, ["HEAD", "HEAD^{commit}"], raw, deep=True)

    decoded = {
        path.decode("utf-8", "surrogateescape"): blob for path, blob in found["HEAD"].items()
    }
    assert decoded == wanted
    assert found["HEAD"] == found["HEAD^{commit}"]


def test_what_is_not_there_is_left_out(repo: Repo) -> None:
    """No such commit, no such folder, a file in its place, an empty list."""
    repo.commit("file", {"ids": "a file\n"})
    door = Door(str(repo.path))

    assert folders.below(door, ["HEAD", "HEAD~1", "nowhere", "0" * 40], b"ids", deep=True) == {}
    assert folders.below(door, [], b"ids", deep=True) == {}


def test_subfolders_count_where_they_are_asked_for(repo: Repo) -> None:
    """Links and submodules never do."""
    (repo.path / "ids").mkdir()
    (repo.path / "ids/link").symlink_to("a")
    repo.write("ids/a", "1")
    repo.write("ids/deep/er/b", "2")
    repo.git("add", "-A")
    module = f"160000,{repo.git('rev-parse', 'HEAD')},ids/s"
    repo.git("update-index", "--add", "--cacheinfo", module)
    repo.commit("files")
    door = Door(str(repo.path))

    assert set(folders.below(door, ["HEAD"], b"ids", deep=True)["HEAD"]) == {
        b"ids/a",
        b"ids/deep/er/b",
    }
    assert set(folders.below(door, ["HEAD"], b"ids", deep=False)["HEAD"]) == {b"ids/a"}
    assert set(folders.below(door, ["HEAD"], b"", deep=False)["HEAD"]) == {b"README"}


def test_a_tree_that_many_branches_share_is_read_once(repo: Repo, tmp_path: Path) -> None:
    """Three children for any number of branches; a replaced object is not looked at."""
    repo.commit("ids", {"ids/NS/1": "1"})
    for number in range(20):
        repo.git("branch", f"b{number}")
    trace = tmp_path / "trace"
    env = {**repo.env, "GIT_TRACE": str(trace), "GIT_NO_REPLACE_OBJECTS": "1"}
    names = [f"b{number}" for number in range(20)]
    found = folders.below(Door(str(repo.path), env), names, b"ids", deep=True)

    assert len({id(files) for files in found.values()}) == 1
    assert trace.read_text().count("built-in: git cat-file") == 3
