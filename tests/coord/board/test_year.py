"""A board that has lived for a year opens no more files than a new one, once it was swept."""

from __future__ import annotations

import runpy
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

BENCH = Path(__file__).parents[3] / "bench"
pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")


@pytest.fixture
def year(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the bench is made of."""
    monkeypatch.setattr(sys, "path", [str(BENCH), *sys.path])
    return runpy.run_path(str(BENCH / "year.py"))


def opened(run: Callable[..., str], verb: str, log: Path) -> int:
    """Return how many files and folders of the board a verb opens."""
    words = ("strace", "-f", "-qq", "-o", str(log), "-e", "trace=open,openat")
    run(*words, sys.executable, "-m", "coord", *verb.split())
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return sum("/coord/board" in line for line in lines)


def test_a_swept_year_is_opened_like_a_new_board(year: dict[str, Any], tmp_path: Path) -> None:
    """Of thirty scopes, forty messages and ten long gone workers nothing is left but the mark."""
    make, live = year["Repo"], year["live"]
    new, old = make(tmp_path / "new"), make(tmp_path / "old")
    live(old, year["Year"](30, 4, 40, 10))
    before = opened(old.run, "board", tmp_path / "log")

    sweep = "git coord doctor --sweep || test $? = 1"
    month = "find .git/coord/board/gone -type f -exec touch -d '40 days ago' {} +"
    old.run("sh", "-c", f"{{ {sweep}; }} && {month} && {{ {sweep}; }}")

    for verb in ("board", "wake --no-stagger", "inbox", "list"):
        assert (
            opened(old.run, verb, tmp_path / "log") <= opened(new.run, verb, tmp_path / "log") + 4
        )
    assert before > opened(old.run, "board", tmp_path / "log") + 30
    assert old.records() <= new.records() + 4


def test_what_verbs_sweep_keeps_a_board_as_small_as_its_last_week(
    year: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lived event by event, a day each: the scopes of the first two workers are gone."""
    old = year["Repo"](tmp_path / "old")
    lived = sys.modules["lived"]
    monkeypatch.setattr(lived, "FLEET", 2)
    monkeypatch.setattr(lived, "STEP", 86400.0)
    life = lived.Life(old.common, str(old.path), year["Year"](8, 20, 8, 4))

    life.pass_by(lambda _: None)

    left = {folder.rpartition("/")[2] for folder in life.store.folders("claims")}
    assert not {name for name in left if name.startswith(("s-task=3aw-0", "s-task=3aw-1"))}
    assert {"s-task=3aparser", "s-task=3acache", "s-task=3aw-3-1"} <= left
