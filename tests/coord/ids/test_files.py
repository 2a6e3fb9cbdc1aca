"""A claim in the worktree is absent or whole, whatever kills its writer, and replaces nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from coord.base.errors import Refused
from coord.ids import files
from coord.repo import worktree
from coord.settle import index
from harness.crash import killed_at_every_call
from harness.ids import contested, path, taken

if TYPE_CHECKING:
    from harness import Repo

IMPORTS = """\
from coord.repo import worktree
from coord.ids import files
from coord.settle import index
spot = index.spot(worktree.discover(os.getcwd()), os.getcwd(), "id")
"""
BODY = "files.write(spot, sys.argv[1], b'whole\\n' * 9)"


def spot_of(repo: Repo) -> index.Spot:
    """Return the top level of a repository as a place to write in."""
    return index.spot(worktree.discover(str(repo.path)), str(repo.path), "id")


def test_killed_at_any_moment_the_file_is_absent_or_whole(repo: Repo) -> None:
    """And no `git add -A` finds what the dead writer left."""
    name = path(1)
    deaths = 0
    for _ in killed_at_every_call(IMPORTS, BODY, [name], repo.path, repo.env):
        deaths += 1
        untracked = repo.git("ls-files", "--others").split()
        assert untracked in ([], [name])
        if untracked:
            assert repo.read(name) == "whole\n" * 9
            (repo.path / name).unlink()

    assert deaths > 5
    assert repo.read(name) == "whole\n" * 9


def test_what_stands_there_is_not_replaced(repo: Repo) -> None:
    """Neither a file nor a dangling link."""
    repo.write("a/1", "mine\n")
    (repo.path / "a/2").symlink_to("/nowhere/at all")
    for name in ("a/1", "a/2"):
        with pytest.raises(Refused, match="id-taken"):
            files.write(spot_of(repo), name, b"other\n")

    assert repo.read("a/1") == "mine\n"
    assert os.readlink(repo.path / "a/2") == "/nowhere/at all"


def test_a_worktree_on_another_disk_than_its_git_dir(installed: Repo) -> None:
    """No link leads across; the file is then written beside its place."""
    script = (
        "mkdir -p coordination && mount -t tmpfs none coordination && git coord id next HW"
        f" && cat {path(1)} && ls coordination/ids/HW"
    )
    done = installed.run("unshare", "-rm", "sh", "-c", script)
    if "mount" in done.err:
        pytest.skip("mounting is not allowed here")

    assert done.code == 0, done.err
    assert 'id = "HW-0001"' in done.out
    assert done.out.splitlines()[-1] == "HW-0001.toml"


def test_killed_before_it_was_staged_the_claim_is_found_again(installed: Repo) -> None:
    """The file is there, untracked; its number is taken."""
    assert taken(installed) == "HW-0001"
    installed.git("rm", "-q", "--cached", path(1))

    assert taken(installed) == "HW-0002"
    assert contested(installed) == []
