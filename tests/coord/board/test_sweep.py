"""Kill -9 in a sweep: a scope stands as it stood or is away, and what comes next is above it."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from coord.board import claims
from coord.stores import retired
from coord.stores.directory import Directory
from harness.kills import ROUNDS, Stage, at_every_call
from harness.repo import Repo
from harness.scope import claim, release

if TYPE_CHECKING:
    from pathlib import Path

POINTS = 3 * ROUNDS if ROUNDS < 20 else None
SWEEP = """
import sys
from coord.board import sweep
from coord.stores.directory import Directory
sweep.scopes(Directory(sys.argv[1]))
"""


@pytest.mark.timeout(max(240, 40 * ROUNDS))
@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_a_sweep_killed_at_any_call_gives_no_number_twice(
    tmp_path: Path, env: dict[str, str]
) -> None:
    """Three old scopes, one that is held: in each state the next claims are above all before."""
    root = tmp_path / "stage" / "coord" / "board"
    store, old = Directory(str(root)), [f"task:{number}" for number in range(3)]
    for scope in old:
        for number in (0, 1):
            claim(store, number, scope)
            release(store, number, scope)
    claim(store, 0, "task:held")
    for folder, _, names in os.walk(root):
        for name in names:
            os.utime(os.path.join(folder, name), (1_700_000_000,) * 2)
    swept = 0
    stage = Stage(tmp_path / "stage")
    argv = [sys.executable, "-c", SWEEP, str(root)]
    for _ in at_every_call(Repo(tmp_path, env), argv, stage, POINTS):
        assert claims.state(store, "task:held").line[0].instance == "instance-0"
        there = {event.scope: event.state for event in claims.tops(store)}
        assert all(there[scope].generation == 2 for scope in old if scope in there)
        away = [scope for scope in old if scope not in there]
        swept += len(away)
        assert not away or retired.mark(store) >= 4
        made = [claim(store, 1, scope).event for scope in old]
        assert all(one is not None and one.state.generation > 2 and one.seq > 4 for one in made)
    assert swept
