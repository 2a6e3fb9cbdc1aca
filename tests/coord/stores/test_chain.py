"""What a look at a board on a git remote costs in processes of git."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from coord.remote import address
from coord.stores.chain import Chain
from coord.stores.replica import Replica
from harness.remotes import Bare

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The git commands that are started from now on."""
    found: list[str] = []
    spawn = os.posix_spawn

    def noted(path: str, argv: list[str], *rest: object, **more: object) -> int:
        words = (word for word in argv[1:] if word.isascii() and word.replace("-", "").isalpha())
        found.append(next(word for word in words if not word.startswith("-")))
        return spawn(path, argv, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "posix_spawn", noted)
    return found


def _host(tmp_path: Path, name: str) -> Replica:
    return Replica(
        Chain(address.parsed(f"git+{tmp_path}/board.git"), str(tmp_path / name)), fresh=0
    )


@pytest.mark.parametrize("count", [1, 3])
def test_a_fetch_with_news_lists_the_commits_and_what_they_changed_once(
    tmp_path: Path, started: list[str], count: int
) -> None:
    """Who has read the tip before that fetch needs nothing else to know what is new."""
    Bare(tmp_path / "board.git")
    ann, bob = _host(tmp_path, "ann"), _host(tmp_path, "bob")
    ann.create("claims/s-a/00000001", b"first")
    assert bob.read("claims/s-a/00000001")
    for number in range(count):
        ann.create(f"claims/s-b{number}/00000001", b"second")
    started.clear()

    assert bob.read(f"claims/s-b{count - 1}/00000001")

    assert sorted(set(started) - {"config", "fetch"}) == ["cat-file", "diff-tree", "rev-list"]
    assert [started.count(verb) for verb in ("rev-list", "diff-tree", "rev-parse")] == [1, 1, 0]
    assert len(started) == 8, started
    ann.close()
    bob.close()


def test_whoever_reads_what_was_heard_lists_nothing_once_more(
    tmp_path: Path, started: list[str]
) -> None:
    """The watch has fetched it."""
    Bare(tmp_path / "board.git")
    ann, bob = _host(tmp_path, "ann"), _host(tmp_path, "bob")
    ann.create("claims/s-a/00000001", b"first")
    assert bob.read("claims/s-a/00000001")
    place = bob.place()
    ann.create("claims/s-a/00000002", b"second")
    started.clear()

    assert bob.watch("claims/s-a", place, 10)
    bob.heard()
    assert bob.read("claims/s-a/00000002")

    assert [started.count(verb) for verb in ("fetch", "rev-list", "diff-tree")] == [1, 1, 1]
    ann.close()
    bob.close()
