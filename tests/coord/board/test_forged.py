"""What whoever may write a shared board can forge, as docs/hosts-trust.md has it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from coord.stores import engine
from coord.stores.choice import Choice
from harness.board import answer
from harness.costs import clone_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from coord.stores.engine import Far
    from harness import Repo

TOP, BELOW = "claims/s-task=3a1/00000003", "claims/s-task=3a1/00000002"
HOSTILE = {
    "an escape": b'{"schema": 1, "actor": "\x1b]0;owned\x07", "kind": "claim"}',
    "no JSON": b"\xff\x00",
    "a deep one": b"[" * 20_000,
    "a number without end": b'{"schema": 1, "at": 1e999}',
    "another's words": b'{"schema": 1, "run": "rm -rf ~", "holder": {"actor": "x"}}',
}


@pytest.fixture(params=["etcd", "git"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place for a board that others can write."""
    if request.param == "etcd":
        return f"{request.getfixturevalue('etcd')}/{os.urandom(6).hex()}"
    return f"git+{tmp_path}/board.git"


def chosen(url: str) -> tuple[str, ...]:
    """Return the words that choose it."""
    return ("store", "use", url, *(("--create", "--pushes-a-minute", "0") * (url[0] == "g")))


@pytest.fixture
def forger(url: str, installed: Repo, tmp_path: Path) -> Iterator[Far]:
    """Somebody with the rights to write the board of this clone, who writes past git-coord."""
    assert installed.coord(*chosen(url)).code == 0
    assert installed.coord("pin", "--self").code == 0
    for words in ("claim task:1", "release task:1", "claim task:1"):
        assert installed.coord(*words.split()).code == 0
    made = engine.opened(Choice(url, rate=0), str(tmp_path / "forger"), "/")
    yield made
    made.close()


def _drop(forger: Far, key: str) -> bytes:
    rec = forger.read(key)
    assert rec is not None
    assert forger.delete(key, rec.value)
    return rec.value


def test_an_event_taken_from_below_the_top_shows_as_a_gap(forger: Far, installed: Repo) -> None:
    """The state is the top's, and the log has lost a number."""
    _drop(forger, BELOW)

    numbers = [event["seq"] for event in answer(installed, "log", "task:1")["events"]]

    assert numbers == [1, 3]


def test_a_top_that_is_taken_away_is_missed_by_who_had_read_it(
    forger: Far, installed: Repo, repo: Repo, url: str, tmp_path: Path
) -> None:
    """No record below it knows of it: a clone that comes later takes the one before for the top."""
    _drop(forger, TOP)

    missed = installed.coord("board")
    assert missed.refusal.rule == "store-set-back"
    assert "task:1" in missed.err
    later = clone_of(repo, tmp_path / "later", "ann", url)
    assert [row["state"] for row in answer(later, "board")["claims"]] == ["free"]


@pytest.mark.parametrize("url", ["git"], indirect=True)
def test_a_chain_that_is_set_back_is_missed_by_who_had_read_it(
    forger: Far, installed: Repo, tmp_path: Path
) -> None:
    """Whoever may push may force; a board that does not go on where it was left is told of.

    A minute later at most.
    """
    bare = f"--git-dir={tmp_path}/board.git"
    installed.git(bare, "update-ref", "refs/coord/board", "refs/coord/board~2")
    assert installed.coord("board").code == 0  # a server that lags behind has an older tip as well
    (path,) = installed.common("coord").glob("board-*.chain/tip")
    tip = json.loads(path.read_text())
    path.write_text(json.dumps({**tip, "began": tip["began"] - 61}))

    missed = installed.coord("board")

    assert missed.refusal.rule == "store-set-back"
    assert "task:1" in missed.err
    assert installed.paste(missed.refusal.run).code == 0
    assert [event["seq"] for event in answer(installed, "log", "task:1")["events"]] == [1]
    assert installed.coord("release", "task:1").code == 0
    forger.close()


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_record_is_shown_as_one_and_does_nothing(
    forger: Far, installed: Repo, what: str
) -> None:
    """At every place a record can have: escaped, bounded, and never followed."""
    _drop(forger, TOP)
    places = (TOP, "actors/a-x", "about/more", "present/x/00000001", "retired/00000001")
    me = installed.private("coord-identity.toml").read_text().split('instance = "')[1].split('"')[0]
    for place in (*places, *(f"{kind}/a-{me}/1" for kind in ("notices", "messages", "letters"))):
        forger.create(place, HOSTILE[what])

    for words in ("board", "wake --no-stagger", "log task:1", "show task:1", "inbox", "list"):
        done = installed.coord(*words.split())
        assert done.code in {0, 1}, done.err
        assert "\x1b" not in done.out + done.err
        assert "fault of git coord" not in done.err
    assert installed.coord("claim", "task:2").code == 0
    assert installed.coord("release", "task:2").code == 0
