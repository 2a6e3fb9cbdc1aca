"""What waits for somebody: refusals of any worktree, locks, and what cannot be written."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

import pytest

from harness.clinic import findings, healthy, mended, notes

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


@pytest.fixture
def refused(installed: Repo, tmp_path: Path) -> Repo:
    """A linked worktree in which a merge of a derived file was refused."""
    installed.commit("files", {"a.json": "0\n", "in": "0\n"})
    assert installed.coord("track", "derived", "a.json", "--regenerate", "cp in a.json").code == 0
    installed.git("add", "-A")
    installed.git("commit", "-q", "-m", "guard")
    tree = installed.worktree(tmp_path / "tree", "tree")
    tree.commit("theirs", {"a.json": "1\n"})
    installed.commit("ours", {"a.json": "2\n"})
    assert tree.tried("merge", "-q", "main").code == 1
    return tree


def test_a_refusal_is_shown_from_any_worktree_until_it_is_settled(
    installed: Repo, refused: Repo
) -> None:
    """The command runs in the worktree it is about; the commit is left to its worker."""
    found = mended(installed, "refusal-pending")

    assert found.worktree == str(refused.path)
    assert found.message == "a refused derived file waits: a.json"
    assert f"{refused.path}: 1 settled, waiting for its commit" in notes(installed)
    refused.git("commit", "-q", "--no-edit")
    assert healthy(installed)
    assert "settled" not in notes(installed)


def test_a_stale_record_is_no_finding_and_stays_where_it_is(installed: Repo, refused: Repo) -> None:
    """The merge was aborted; the next commit's hook clears it away, the doctor touches nothing."""
    records = list(refused.private("coord-refused").iterdir())
    refused.git("merge", "--abort")

    assert healthy(installed)
    assert list(refused.private("coord-refused").iterdir()) == records


def test_a_torn_record_is_named_by_its_file(installed: Repo, refused: Repo) -> None:
    """Which path it was is lost; of a merge the index would know."""
    refused.git("merge", "--abort")
    for stale in refused.private("coord-refused").iterdir():
        stale.unlink()
    assert refused.tried("rebase", "main").code == 1
    (record,) = refused.private("coord-refused").iterdir()
    record.write_text("coord-refused 1\nkind der")

    found = mended(installed, "refusal-pending")

    assert str(record) in found.message


@pytest.mark.parametrize(
    "name", ["config.lock", "index.lock", "HEAD.lock", "reftable/tables.list.lock"]
)
def test_a_lock_that_a_killed_git_left_is_named_with_its_age(installed: Repo, name: str) -> None:
    """A young one is somebody's: `git commit` holds an index while its editor is open."""
    lock = installed.common(name)
    lock.parent.mkdir(exist_ok=True)
    lock.touch()
    assert healthy(installed)
    os.utime(lock, (time.time() - 7200,) * 2)

    found = mended(installed, "locked")

    assert found.message.startswith(f"{lock} is 2h old")


def test_a_lock_of_a_linked_worktree_is_that_worktrees(installed: Repo, side: Repo) -> None:
    """Only its worker is stopped by it."""
    lock = side.private("index.lock")
    lock.touch()
    os.utime(lock, (0, 0))

    assert mended(installed, "locked").worktree == str(side.path)


def test_a_git_dir_that_cannot_be_written_is_named(installed: Repo) -> None:
    """A sandbox has mounted it read-only; the command prints what to add to its writable roots."""
    script = (
        'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 77; '
        "git coord doctor --json"
    )
    done = installed.run("unshare", "-m", "sh", "-c", script, "sh", str(installed.common()))
    if done.code in {77, 127} or "unshare" in done.err:
        pytest.skip("this machine lets nobody mount")

    (found,) = json.loads(done.out)["findings"]

    assert done.code == 1
    assert (found["rule"], found["worktree"]) == ("not-writable", str(installed.path))
    assert found["message"].startswith(f"{installed.common()} cannot be written")
    assert installed.paste(found["run"]).out == f"{installed.common()}\n"
    assert healthy(installed)


def test_hooks_and_config_may_be_read_only(installed: Repo) -> None:
    """Sandboxes of agents make them so: nothing is written there after the install."""
    script = (
        'for path; do mount --bind "$path" "$path" && mount -o remount,bind,ro "$path" || exit 77; '
        "done; git coord doctor --json"
    )
    paths = map(str, (installed.common("hooks"), installed.common("config")))
    done = installed.run("unshare", "-m", "sh", "-c", script, "sh", *paths)
    if done.code in {77, 127} or "unshare" in done.err:
        pytest.skip("this machine lets nobody mount")

    assert json.loads(done.out)["findings"] == []
    assert findings(installed) == []
