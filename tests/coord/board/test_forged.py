"""What whoever may write a shared board can forge, as docs/hosts-trust.md has it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from coord.board.cluster import Cluster
from coord.etcd import address
from harness.board import answer
from harness.costs import clone_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness import Repo

TOP, BELOW = "claims/s-task=3a1/00000003", "claims/s-task=3a1/00000002"
HOSTILE = {
    "an escape": b'{"schema": 1, "actor": "\x1b]0;owned\x07", "kind": "claim"}',
    "no JSON": b"\xff\x00",
    "a deep one": b"[" * 20_000,
    "a number without end": b'{"schema": 1, "at": 1e999}',
    "another's words": b'{"schema": 1, "run": "rm -rf ~", "holder": {"actor": "x"}}',
}


@pytest.fixture
def forger(etcd: str, installed: Repo) -> Iterator[Cluster]:
    """Somebody with the rights to write the board of this clone, who writes past git-coord."""
    url = f"{etcd}/{os.urandom(6).hex()}"
    assert installed.coord("store", "use", url).code == 0
    assert installed.coord("pin", "--self").code == 0
    for words in ("claim task:1", "release task:1", "claim task:1"):
        assert installed.coord(*words.split()).code == 0
    made = Cluster(address.parsed(url))
    yield made
    made.close()


def _drop(forger: Cluster, key: str) -> bytes:
    rec = forger.read(key)
    assert rec is not None
    assert forger.delete(key, rec.value)
    return rec.value


def test_an_event_taken_from_below_the_top_shows_as_a_gap(forger: Cluster, installed: Repo) -> None:
    """The state is the top's, and the log has lost a number."""
    _drop(forger, BELOW)

    numbers = [event["seq"] for event in answer(installed, "log", "task:1")["events"]]

    assert numbers == [1, 3]


def test_a_top_that_is_taken_away_is_missed_by_who_had_read_it(
    forger: Cluster, installed: Repo, repo: Repo, tmp_path: Path
) -> None:
    """No record below it knows of it: a clone that comes later takes the one before for the top."""
    _drop(forger, TOP)

    missed = installed.coord("board")
    assert missed.refusal.rule == "store-set-back"
    assert "task:1" in missed.err
    later = clone_of(repo, tmp_path / "later", "ann", f"etcd://{forger.where}")
    assert [row["state"] for row in answer(later, "board")["claims"]] == ["free"]


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_record_is_shown_as_one_and_does_nothing(
    forger: Cluster, installed: Repo, what: str
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
