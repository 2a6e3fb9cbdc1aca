"""Something else was pushed to the ref of a board: each way back that is printed, pasted."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from harness.board import answer

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

_REF = "refs/coord/board"


class Fleet:
    """A board of two clones, of which the second has joined it, so that its cache is shallow."""

    def __init__(self, first: Repo, folder: Path) -> None:
        self.first = first
        self.board = folder / "board.git"
        self.url = f"git+{self.board}"
        assert first.coord(*self.use("--create")).code == 0
        assert first.coord("pin", "--self").code == 0
        assert first.coord("claim", "task:1").code == 0
        self.second = self.joined(folder / "second")
        assert self.second.coord(*self.use()).code == 0
        assert list(self.second.common("coord").glob("board-*.git/shallow"))
        assert self.second.coord("claim", "task:2").code == 0

    def use(self, *more: str) -> tuple[str, ...]:
        """Return the words that choose the board, which any number of pushes may go to."""
        return ("store", "use", "--pushes-a-minute", "0", *more, self.url)

    def joined(self, path: Path) -> Repo:
        """Return a clone that has not chosen the board yet."""
        self.first.git("clone", "-q", str(self.first.path), str(path))
        made = self.first.at(path)
        made.install()
        assert made.coord("pin", "--self").code == 0
        return made

    def spoil(self) -> str:
        """Push code there, and let the server clean up; return what the tip was."""
        before = self.there("rev-parse", _REF)
        self.first.git("push", "-q", "--no-verify", "-f", str(self.board), f"HEAD:{_REF}")
        self.there("-c", "gc.pruneExpire=now", "gc", "-q")
        return before

    def there(self, *args: str) -> str:
        """Run git in the repository of the board; return what it prints."""
        argv = ["git", "-C", str(self.board), *args]
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, check=True)
        return done.stdout.decode().strip()


@pytest.fixture
def fleet(installed: Repo, tmp_path: Path) -> Fleet:
    """Return one whose board is whole."""
    return Fleet(installed, tmp_path)


def held(repo: Repo) -> set[str]:
    """Return the scopes that are held, as a clone sees them."""
    found = answer(repo, "board")
    return {claim["scope"] for claim in found["claims"]}


def test_a_clone_with_a_shallow_cache_puts_the_board_back(fleet: Fleet) -> None:
    """Whatever the server has kept; both clones go on, and one that joins, with all that stood."""
    assert held(fleet.second) == {"task:1", "task:2"}
    fleet.spoil()

    every = [("board",), ("claim", "task:3"), fleet.use(), fleet.use("--force"), ("store",)]
    refused = [fleet.second.coord(*words).refusal for words in every]

    assert {one.rule for one in refused} == {"store-spoiled"}
    assert len({one.run for one in refused}) == 1  # no try of another has lost it
    probed = json.loads(fleet.second.coord("store", "probe", "--json").out)
    assert refused[0].run in json.dumps(probed).replace("\\'", "'")
    done = fleet.second.paste(refused[0].run)
    assert done.code == 0, done.err
    assert fleet.second.coord("claim", "task:3").code == 0
    assert fleet.first.coord("claim", "task:4").code == 0
    third = fleet.joined(fleet.board.with_name("third"))
    assert third.coord(*fleet.use()).code == 0
    for repo in (fleet.first, fleet.second, third):
        assert held(repo) == {"task:1", "task:2", "task:3", "task:4"}


def test_a_clone_that_began_the_board_puts_back_the_very_commit(fleet: Fleet) -> None:
    """Its cache is whole: the line goes on unbroken for whoever has read it."""
    assert held(fleet.first) == {"task:1", "task:2"}
    before = fleet.spoil()

    done = fleet.first.paste(fleet.first.coord("board").refusal.run)

    assert done.code == 0, done.err
    assert fleet.there("rev-parse", _REF) == before
    assert held(fleet.second) == {"task:1", "task:2"}


def test_what_puts_a_board_back_goes_where_the_config_of_the_clone_leads(fleet: Fleet) -> None:
    """``url.*.insteadOf`` of the clone's own, which the cache that has the commit is no part of."""
    moved = fleet.board.with_name("moved it's.git")
    fleet.board.rename(moved)
    fleet.board = moved
    fleet.second.git("config", f"url.{moved}.insteadOf", fleet.url.removeprefix("git+"))
    assert held(fleet.second) == {"task:1", "task:2"}
    fleet.spoil()

    done = fleet.second.paste(fleet.second.coord("board").refusal.run)

    assert done.code == 0, done.err
    assert held(fleet.second) == {"task:1", "task:2"}


def test_nothing_is_put_back_over_what_came_in_the_meantime(fleet: Fleet) -> None:
    """Another clone was first, and has gone on: the same command, pasted late, does nothing."""
    held(fleet.first)
    fleet.spoil()
    late = fleet.second.coord("board").refusal.run
    assert fleet.first.paste(fleet.first.coord("board").refusal.run).code == 0
    assert fleet.first.coord("claim", "task:3").code == 0
    now = fleet.there("rev-parse", _REF)

    assert fleet.second.paste(late).code == 1

    assert fleet.there("rev-parse", _REF) == now
    assert held(fleet.second) == {"task:1", "task:2", "task:3"}


def test_a_clone_that_never_read_the_board_puts_what_stands_there_aside(fleet: Fleet) -> None:
    """Nothing is deleted: who pushed it there finds it, and the board begins anew."""
    fleet.spoil()
    spoiled = fleet.there("rev-parse", _REF)
    third = fleet.joined(fleet.board.with_name("third"))

    refused = third.coord(*fleet.use()).refusal

    assert refused.rule == "store-spoiled"
    assert "a clone that has read the board" in refused.why
    done = third.paste(refused.run)
    assert done.code == 0, done.err
    assert fleet.there("rev-parse", f"{_REF}-{spoiled[:12]}") == spoiled
    assert third.coord(*fleet.use()).code == 0
    assert third.coord("claim", "task:9").code == 0


def test_a_spoiled_board_can_be_left(fleet: Fleet) -> None:
    """Who holds something there, as far as was read, is told so, and how to leave it."""
    assert fleet.second.coord("claim", "task:3").code == 0
    assert fleet.first.coord("release", "task:1").code == 0
    fleet.spoil()

    left = fleet.first.coord("store", "use", "local")
    refused = fleet.second.coord("store", "use", "local").refusal

    assert left.code == 0, left.err
    assert refused.rule == "store-in-use"
    assert fleet.second.paste(refused.run).code == 0
    for repo in (fleet.first, fleet.second):
        assert repo.coord("claim", "task:5").code == 0
