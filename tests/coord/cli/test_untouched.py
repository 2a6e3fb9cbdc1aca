"""A board on a git remote leaves the user's repository byte for byte as it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from harness.board import worker
from harness.snapshot import snapshot

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

DAYS = int(os.environ.get("COORD_DAYS", "1"))
# What a day of two clones is; a 1 or a 2 says whose.
_DAY = """
1 claim task:1 task:2
2 claim task:1
2 board
1 wake
2 wake
1 send help bob look
2 inbox
1 announce --intent work --path src/a.py
2 announce --intent more --path src/b.py
1 overlap
2 list
1 pause --reason lunch
2 board
1 resume
1 handoff bob --scope task:2
2 inbox
2 show task:2
1 show bob
2 whoami
1 run task:3 -- true
1 release task:1
2 wait task:1 --timeout 60s
2 log task:1
1 claim task:4
2 take-over task:4 --generation 1 --reason late --from-present
1 board
1 inbox
2 merge-order
1 store
2 store probe
1 doctor
""".strip().splitlines()


def _is_ours(path: str) -> bool:
    """Tell whether a file of a git dir is ours: presence, pins, and what is kept of the board."""
    first, *rest = path.split(os.sep)
    if first == "worktrees" and len(rest) > 1:
        first = rest[1]
    return first == "coord" or first.startswith("coord-")


def _left(repo: Repo) -> dict[str, tuple[int, bytes]]:
    found = snapshot(repo.common())
    return {path: entry for path, entry in found.items() if not _is_ours(path)}


def _clone(repo: Repo, path: Path, actor: str, url: str) -> Repo:
    repo.git("clone", "-q", str(repo.path), str(path))
    made = repo.at(path)
    assert made.started("coord-install").code == 0
    made.git("fetch", "-q", "origin")
    words = ("store", "use", "--create", "--pushes-a-minute", "0", url)
    assert made.coord(*words).code == 0
    there = worker(made, path.with_name(f"{path.name}-{actor}"), f"work-{actor}", actor)
    assert there.coord("board").code == 0
    return there


@pytest.mark.slow
def test_after_a_day_of_verbs_config_refs_reflogs_hooks_and_objects_are_as_they_were(
    repo: Repo, tmp_path: Path
) -> None:
    """All of the git dir but what is ours: index, FETCH_HEAD and packed-refs among it."""
    url = f"git+{tmp_path}/board.git"
    ann = _clone(repo, tmp_path / "one", "ann", url)
    bob = _clone(repo, tmp_path / "two", "bob", url)
    before = [_left(one) for one in (ann, bob)]
    assert {"FETCH_HEAD", "config", "HEAD", "logs/HEAD", "index"} <= set(before[0])

    lines = [line.replace("task:", f"task:{day}") for day in range(DAYS) for line in _DAY]
    for line in lines:
        who, *words = line.split()
        done = (ann if who == "1" else bob).coord(*words)
        assert done.code == 0 or "doctor" in words, f"{line}\n{done.out}\n{done.err}"

    for one, was in zip((ann, bob), before, strict=True):
        after = _left(one)
        assert not {path for path in after | was if after.get(path) != was.get(path)}
    there = f"--git-dir={tmp_path}/board.git"
    assert ann.git(there, "for-each-ref", "--format=%(refname)").split() == ["refs/coord/board"]
    assert int(ann.git(there, "rev-list", "--count", "refs/coord/board")) > 15
