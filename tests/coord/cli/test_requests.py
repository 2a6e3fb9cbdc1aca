"""How many requests each verb costs on a board elsewhere, as its server or a proxy counts them."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from coord.etcd.address import parsed
from harness.costs import Story, clone_of, ran, told
from harness.counted import counted
from harness.daemon import serving
from harness.remotes import Bare

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo
    from harness.costs import Cost, Counts

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


# Pushes, of which there are six a minute for all clones; a fetch costs but its time. What is
# written without a look before is pushed for nothing where another's came within two seconds.
PUSHES = {
    "claim, free": 1,
    "claim, one's own": 0,
    "board": 0,
    "claim, held": 1,
    "claim, held since the last look": 2,
    "wake": 0,
    "send": 2,
    "inbox, one message": 1,
    "inbox, nothing new": 0,
    "release, to an heir": 1,
    "board, with news": 0,
    "release, to nobody": 1,
    "handoff": 1,
    "ack": 1,
    "finish": 1,
    "run -- true": 3,
}


def test_each_verb_pushes_once_to_a_git_remote_and_fetches_at_most_once_before(
    repo: Repo, tmp_path: Path
) -> None:
    """A run claims, says what it runs, and releases; a fetch more is for what came meanwhile."""
    folder = tmp_path / "server"
    folder.mkdir()
    Bare(folder / "board.git")
    for daemon in serving(folder):
        there = repo.with_env(GIT_ALLOW_PROTOCOL="file:git")
        url = f"git+{daemon.url}/board.git"
        ann, bob = (clone_of(there, tmp_path / who, who, url, rate=60) for who in ("ann", "bob"))

        costs = told(ann, bob, daemon)

    found = {cost.verb: cost.paths.count("receive-pack") for cost in costs}
    assert set(found) == set(PUSHES)
    assert {verb: count for verb, count in found.items() if count > PUSHES[verb]} == {}
    assert [cost for cost in costs if cost.requests - found[cost.verb] > 2] == []


def first_claims(repo: Repo, folder: Path, url: str, counts: Counts, *pushes: str) -> list[Cost]:
    """Return what the first claim costs of two worktrees, which nobody has told the board of."""
    repo.git("clone", "-q", str(repo.path), str(folder))
    clone = repo.at(folder)
    assert clone.run("coord-install").code == 0
    assert clone.coord("store", "use", *pushes, url).code == 0
    story = Story(counts)
    for who in ("ann", "bob"):
        clone.git("worktree", "add", "-q", "-b", who, str(folder.with_name(who)))
        there = clone.at(folder.with_name(who))
        story.tell(who, there, "claim", "task:1")
        roll = json.loads(ran(there, "board", "--json"))["actors"]
        assert who in [one["actor"].partition("-")[0] for one in roll if one["present"]]
    return story.costs


def test_a_first_claim_puts_its_worker_on_the_roll_of_a_git_remote_by_one_push(
    repo: Repo, tmp_path: Path
) -> None:
    """Nor is it pushed for once more by who comes second in the clone."""
    folder = tmp_path / "server"
    folder.mkdir()
    Bare(folder / "board.git")
    for daemon in serving(folder):
        there = repo.with_env(GIT_ALLOW_PROTOCOL="file:git")
        url, use = f"git+{daemon.url}/board.git", ("--pushes-a-minute", "60")

        costs = first_claims(there, tmp_path / "clone", url, daemon, *use)

    assert [cost.paths.count("receive-pack") for cost in costs] == [1, 1]


def test_a_first_claim_puts_its_worker_on_the_roll_of_a_server_by_one_request(
    repo: Repo, tmp_path: Path, etcd: str
) -> None:
    """In the step that creates the claim."""
    for proxy in counted(parsed(f"{etcd}/x").endpoints[0]):
        url = f"etcd://{proxy.endpoint}/{os.urandom(6).hex()}"

        costs = first_claims(repo, tmp_path / "clone", url, proxy)

    assert [cost.requests for cost in costs] == [1, 1]
