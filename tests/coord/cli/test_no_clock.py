"""Workers on two machines whose clocks are a year apart, on a board that has none.

Each command is a process of its own, with `faketime` for its machine's clock.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import harness
from harness import hosts
from harness.board import actor, scope, silence
from harness.clockless import YEAR

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo
    from harness.hosts import Hosted

FORTY = 2400.0
_AT_START = """
from coord.stores import cluster
from harness.clockless import Clockless
cluster.Cluster = Clockless
"""


@pytest.fixture
def bare(repo: Repo, tmp_path: Path) -> Repo:
    """A repository whose commands take every server for one without a clock."""
    folder = tmp_path / "at-start"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(_AT_START)
    tests = os.path.dirname(os.path.dirname(harness.__file__))
    return replace(repo, env={**repo.env, "PYTHONPATH": f"{folder}:{tests}"})


@pytest.fixture
def url(etcd: str) -> str:
    """A prefix that nobody has used."""
    return f"{etcd}/{os.urandom(6).hex()}"


def skewed(one: Hosted, seconds: float) -> Hosted:
    """Return a worker whose machine's clock shows another time."""
    if not seconds:
        return one
    return replace(one, env={**one.env, **_faked(seconds)})


def _faked(seconds: float) -> dict[str, str]:
    if shutil.which("faketime") is None:
        pytest.skip("faketime is not installed")
    asked = ("faketime", "-f", "+0", "env")
    found = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split("\n")
    preload = next(one for one in found if one.startswith("LD_PRELOAD=")).partition("=")[2]
    return {
        "LD_PRELOAD": preload, "FAKETIME": f"{seconds:+.0f}", "FAKETIME_DONT_FAKE_MONOTONIC": "1"
    }  # fmt: skip


def later(one: Hosted, seconds: float) -> None:
    """Have a clone look once more, `seconds` after it saw what it has."""
    (copy,) = one.common("coord").glob("board-*.copy")
    with closing(sqlite3.connect(copy)) as open_copy, open_copy:
        open_copy.execute("UPDATE rec SET at = at - ?", (seconds,))


@pytest.mark.parametrize(
    ("far", "near"), [(YEAR, 0), (0, YEAR)], ids=["theirs is ahead", "ours is ahead"]
)
def test_nobody_is_dispossessed_or_kept_for_ever_by_a_clock(
    bare: Repo, tmp_path: Path, url: str, far: float, near: float
) -> None:
    """What is told of ages is what this clone has seen, and says so."""
    ann = skewed(hosts.on(bare, tmp_path / "a" / "one", "one", url, "ann"), near)
    bob = skewed(hosts.on(bare, tmp_path / "b" / "one", "two", url, "bob"), far)
    assert bob.coord("claim", "db").code == 0

    shown = ann.coord("board").out
    assert actor(ann, "bob")["liveness"] == "present"
    assert "news first seen here less than a minute ago" in shown
    assert " by its own clock" in next(one for one in shown.split("\n") if "task:db" in one)
    assert "ann (you)" in shown
    for verb in ("log", "show"):
        (event,) = (one for one in ann.coord(verb, "task:db").out.split("\n") if "  claim  " in one)
        assert "Z by its own clock  claim      bob" in event, verb
        assert "own clock" not in bob.coord(verb, "task:db").out
    refused = ann.coord("take-over", "db", "--reason", "I want it")
    assert refused.refusal.rule == "holder-present"

    later(ann, FORTY)
    there, row = actor(ann, "bob"), scope(ann, "task:db")
    assert (there["liveness"], row["dead"], row["gone"]) == ("unknown", False, False)
    told = "no news for 40 minutes since this clone looks"
    for words in (("board",), ("show", "bob"), ("claim", "db"), ("wake", "--no-stagger")):
        done = ann.coord(*words)
        assert told in done.out + done.err, words
    assert f"--generation 1 --reason 'unknown, {told}'" in ann.coord("claim", "db").err

    page = tmp_path / "board.html"
    assert ann.coord("board", "--html", str(page)).code == 0
    assert "by the clock of who wrote it" in page.read_text()
    assert bob.coord("claim", "db", "--intent", "still at it").code == 0
    assert bob.coord("send", "help", "ann", "wait").code == 0
    assert "by its sender's clock" in ann.coord("inbox").out


def test_a_lane_and_a_pause_say_that_another_clones_clock_tells_since_when(
    bare: Repo, tmp_path: Path, url: str
) -> None:
    """What was claimed a moment ago is a year old by ours, or not begun."""
    ann = hosts.on(bare, tmp_path / "a" / "one", "one", url, "ann")
    bob = skewed(hosts.on(bare, tmp_path / "b" / "one", "two", url, "bob"), -YEAR)
    declared = '[lane.social]\nevery = "1d"\n'
    for one in (ann, bob):
        (one.path / ".coord.toml").write_text(declared)
    assert bob.coord("claim", "lane:social").code == 0
    assert bob.coord("pause", "--reason", "tea").code == 0

    for one, says in ((ann, True), (bob, False)):
        for words in (("lanes",), ("show", "lane:social"), ("wake", "--no-stagger")):
            done = one.coord(*words)
            assert done.code == 0, done.err
            assert ("by its own clock" in done.out) == says, (words, done.out)
    waited = ann.coord("wait", "lane:social", "--timeout", "1s").err
    assert " by its own clock" in next(line for line in waited.split("\n") if "paused" in line)


def test_a_clock_that_is_set_makes_no_worker_of_ones_own_clone_silent(
    bare: Repo, tmp_path: Path, url: str
) -> None:
    """Its files are of last year by then; what its clone has told of it is not."""
    ann = hosts.on(bare, tmp_path / "a" / "one", "one", url, "ann")
    assert ann.coord("claim", "db").code == 0
    main = ann.at(tmp_path / "a" / "one")

    silence(ann, YEAR)

    assert actor(main, "ann")["liveness"] == "present"
