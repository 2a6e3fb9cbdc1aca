"""The use cases as a library: two workers in two worktrees, played by one process."""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from coord.base.errors import Refused
from coord.stores.waiting import Watch
from coord.work.ack import ack
from coord.work.call import Call
from coord.work.claim import Claims, claim
from coord.work.finish import finish
from coord.work.handoff import handoff
from coord.work.landed import settle
from coord.work.merge_order import merge_order
from coord.work.release import release
from coord.work.wait import wait
from harness.board import worker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness import Repo

_STARTS = {"subprocess.Popen": 1, "os.posix_spawn": 1, "os.exec": 1, "os.spawn": 2, "os.system": 0}
_COPIES = frozenset({"os.fork", "os.forkpty"})
_seen: list[list[str]] | None = None


def _heard(event: str, args: tuple[object, ...]) -> None:
    """Note what this process starts; an audit hook stays for good, so it listens when told to."""
    if _seen is None:
        return
    if event in _STARTS:
        words = args[_STARTS[event]]
        listed = words if isinstance(words, list | tuple) else [words]
        _seen.append([os.fsdecode(word) for word in listed])  # type: ignore[arg-type]
    elif event in _COPIES:
        _seen.append([event])


@pytest.fixture(scope="module", autouse=True)
def _audited() -> None:
    sys.addaudithook(_heard)


@contextmanager
def children(monkeypatch: pytest.MonkeyPatch, trace: Path) -> Iterator[list[list[str]]]:
    """Collect the commands that start in a block: this process's own, and those that git starts."""
    global _seen  # noqa: PLW0603  # an audit hook has no other way to be told
    found = _seen = []
    with monkeypatch.context() as patch:
        patch.setenv("GIT_TRACE2_EVENT", str(trace))
        try:
            yield found
        finally:
            _seen = None
    events = map(json.loads, trace.read_text().splitlines() if trace.exists() else ())
    found += [event["argv"] for event in events if event["event"] == "child_start"]


def ours(started: list[list[str]]) -> list[list[str]]:
    """Return the commands that are not plain git (or ``ps``, where there is no /proc)."""
    return [
        words
        for words in started
        if os.path.basename(words[0]) not in {"git", "ps"} or "coord" in words
    ]


@pytest.fixture
def one(tmp_path: Path, hub: Repo) -> Repo:
    """A pinned worker in a linked worktree."""
    return worker(hub, tmp_path / "one", "feat-one", "one-0001")


@pytest.fixture
def two(tmp_path: Path, hub: Repo) -> Repo:
    """Another one."""
    return worker(hub, tmp_path / "two", "feat-two", "two-0002")


def called(repo: Repo, notes: list[str]) -> Call:
    """Return a call from a worktree, whose commentary goes to `notes`."""
    return Call(None, str(repo.path), repo.env, Watch(), notes.append, notes.append, "")


def test_two_workers_of_one_process_need_no_child_of_git_coord(
    hub: Repo, one: Repo, two: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claim, wait, hand off, take up, release, finish, order, land; all that is started is git."""
    notes: list[str] = []
    first, second, main = (called(repo, notes) for repo in (one, two, hub))
    for repo in (one, two):
        repo.commit("work", {f"{repo.path.name}.txt": "done\n"})

    with children(monkeypatch, tmp_path / "play") as played, ThreadPoolExecutor(1) as pool:
        held = claim(first, ["run"], intent="measure").made[0]
        assert (held.scope, held.state.generation, held.place.actor) == ("task:run", 1, "one-0001")
        assert claim(second, ["run"]).made[0].state.holder == held.place
        waiting = pool.submit(wait, second, "run", 30.0)

        offer = handoff(first, "two-0002", ["run"], "half done")[0].offer
        with pytest.raises(Refused, match="not-holder"):
            ack(first, offer.id)
        with pytest.raises(Refused, match=f"offered.*\n.*\n.*ack {offer.id}"):
            waiting.result()
        taken = ack(second, offer.id)
        assert isinstance(taken, Claims)
        assert taken.made[0].place.actor == "two-0002"
        assert taken.made[0].state.generation == 2

        assert release(second, ["run"]).given[0].state.holder is None
        with pytest.raises(Refused, match="identity-conflict"):
            finish(first._replace(actor="two-0002"))
        assert finish(first).kept == ["branch:feat-one"]
        assert finish(second).kept == ["branch:feat-two"]
        order = merge_order(main).plan
        assert [entry.branch.name for entry in order.finished] == ["feat-one", "feat-two"]

    hub.git("merge", "-q", "feat-one")
    with children(monkeypatch, tmp_path / "landing") as landing:
        settled = settle(main, []).settled
        assert [(one.scope, one.branches) for one in settled] == [
            ("branch:feat-one", ("feat-one",))
        ]
        states = {one.branch.name: one.branch.state for one in merge_order(main).plan.entries}
        assert states == {"feat-two": "finished"}

    assert len(played) > len(landing) > 0
    assert not ours([*played, *landing])


def test_a_child_of_git_coord_would_be_seen(
    one: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Started by this process, or by a git of its own."""
    with children(monkeypatch, tmp_path / "own") as own:
        one.coord("whoami")
        one.run("git-coord", "board")
    one.git("config", "alias.ask", "!git-coord whoami")
    with children(monkeypatch, tmp_path / "gits") as gits:
        one.with_env(GIT_TRACE2_EVENT=os.environ["GIT_TRACE2_EVENT"]).git("ask")

    assert [words[:2] for words in ours(own)] == [["git", "coord"], ["git-coord", "board"]]
    assert any("git-coord whoami" in " ".join(words) for words in ours(gits))
