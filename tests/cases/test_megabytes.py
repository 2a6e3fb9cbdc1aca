"""A megabyte that a peer wrote, in each file that a verb, a hook or a driver of ours reads.

The promise is a second (`bench/bounds.py` prints what it is); asserted is what no busy machine
takes, and what the quadratic faults of before took many times over.
"""

from __future__ import annotations

import os
import resource
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from harness import Repo

#: bytes; a megabyte in the full round
SIZE = int(os.environ.get("COORD_PEER_BYTES", "250000"))
SECONDS = 1.0 + 5.0 * SIZE / 1_000_000  # the first for what starts
DECLARED = (
    "[attr]coord-log -merge\n[attr]coord-changelog -merge\n[attr]coord-once -merge\n"
    "*.tsv coord-log\n*.blocks coord-log\n*.md coord-changelog\n*.once coord-once\n"
)
RULES = '[log."*.blocks"]\nstart = "## "\n'


class Peer(NamedTuple):
    """A file of a megabyte: what it is made of, and what it begins with."""

    name: str
    piece: str
    head: str = ""

    def text(self, more: str, share: float = 1.0) -> str:
        """Return a share of it, with `more` at its end."""
        return self.head + self.piece * round(share * SIZE / len(self.piece)) + more


PEERS = {
    "lines": Peer("l.tsv", "a\n", "first\n"),
    "blocks": Peer("l.blocks", "## x\n", "## first\n"),
    "changelog": Peer("c.md", "- x\n", "# Changes\n"),
    "write-once": Peer("o.once", "a\n", "first\n"),
    "attributes": Peer(".gitattributes", "x merge=y\n", DECLARED),
    "declaration": Peer(".coord.toml", "# x\n", RULES),
}
VERBS = (("check", "HEAD~1..HEAD"), ("doctor",), ("track", "log", "*.tsv"))


def cost(repo: Repo, *argv: str) -> float:
    """Run a command, however it ends, and return its CPU seconds and those of its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    repo.run(*argv, timeout=110)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("peer", PEERS.values(), ids=PEERS)
def test_no_hook_driver_or_verb_takes_seconds_for_it(repo: Repo, peer: Peer) -> None:
    """The merge calls the driver, its commit and an edit the gate, the verbs read it all."""
    repo.commit("declared", {".gitattributes": DECLARED, ".coord.toml": RULES})
    repo.install()
    for branch, share in (("main", 0.0), ("side", 0.5), ("main", 1.0)):
        repo.git("switch", "-q", *(["-c"] if branch == "side" else []), branch)
        repo.write(peer.name, peer.text(f"{branch}\n", share) if share else peer.head)
        repo.git("add", "-A")
        repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", branch)
    acts = {"merge": cost(repo, "git", "merge", "-q", "side")}
    repo.git("reset", "-q", "--hard", "HEAD")
    repo.write(peer.name, peer.text("edited\n", 0.7))
    repo.git("add", "-A")
    acts["commit"] = cost(repo, "git", "commit", "-q", "-m", "edit")
    acts |= {" ".join(verb): cost(repo, "git", "coord", *verb) for verb in VERBS}

    assert {act: seconds for act, seconds in acts.items() if seconds > SECONDS} == {}
