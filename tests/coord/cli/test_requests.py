"""How many requests each verb costs on a board on a server, counted by a proxy before it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.etcd.address import parsed
from harness.costs import clone_of, told
from harness.counted import counted

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

# What was measured of a prototype (one request is what it costs to look whether there is news).
# After deletions a look costs one more, and a claim that somebody was before costs one more.
MOST = {
    "claim, free": 1,
    "claim, one's own": 1,
    "board": 1,
    "claim, held": 1,
    "claim, held since the last look": 2,
    "wake": 1,
    "send": 1,
    "inbox, one message": 2,
    "inbox, nothing new": 1,
    "release, to an heir": 2,
    "board, with news": 2,
    "release, to nobody": 2,
    "handoff": 2,
    "ack": 2,
    "finish": 2,
    "run -- true": 5,
}


def test_each_verb_costs_no_more_requests_than_it_has_to(
    repo: Repo, tmp_path: Path, etcd: str
) -> None:
    """Two clones, each on a copy that lacks what the other has done since."""
    for proxy in counted(parsed(f"{etcd}/x").endpoints[0]):
        url = f"etcd://{proxy.endpoint}/{os.urandom(6).hex()}"
        ann = clone_of(repo, tmp_path / "one", "ann", url)
        bob = clone_of(repo, tmp_path / "two", "bob", url)

        costs = told(ann, bob, proxy)

    assert {cost.verb for cost in costs} == set(MOST)
    assert [cost for cost in costs if cost.requests > MOST[cost.verb]] == []
    assert all(cost.requests for cost in costs)
