"""Rewriting random histories: everything but signatures and ids stays as it was."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from coord.base.errors import Refused
from coord.identity import pin
from coord.reauthor import objects, reauthor
from coord.reauthor.request import Request
from coord.repo import worktree
from harness import Repo

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.repo.worktree import Worktree

ME = ("worker-a71f", "ada+worker-a71f@example.com")
PEOPLE = [ME, ("Ada Human", "ada@example.com"), ("Zo\u00e9", "zoe@example.com")]
LENT = 100_000  # a date that git takes for another, where it is told without its @
FACTS = "%T|%at %ai|%ct %ci|%e|%B"


class Node(NamedTuple):
    """One commit of a generated history; parents are positions of earlier ones."""

    parents: list[int]
    author: tuple[str, str]
    committer: tuple[str, str]
    date: int
    message: str
    named: bool


@st.composite
def histories(draw: st.DrawFn) -> list[Node]:
    """Draw a history whose last commit reaches all others."""
    nodes: list[Node] = []
    for number in range(draw(st.integers(1, 7))):
        earlier = st.lists(st.integers(0, max(number - 1, 0)), max_size=3, unique=True)
        parents = draw(earlier) if number else []
        nodes.append(_node(draw, parents))
    leaves = set(range(len(nodes))) - {parent for node in nodes for parent in node.parents}
    return [*nodes, _node(draw, sorted(leaves))]


def _node(draw: st.DrawFn, parents: list[int]) -> Node:
    author = draw(st.sampled_from(PEOPLE))
    return Node(
        parents,
        author,
        draw(st.sampled_from([author, *PEOPLE])),
        draw(st.integers(100_000, 2_000_000_000)),  # skewed clocks: parents may be younger
        draw(st.sampled_from(["one\n", "two\n\nbody\n", "", "no newline", "caf\u00e9\n"])),
        draw(st.booleans()),
    )


def pinned(repo: Repo) -> Worktree:
    """Pin `repo` as ME and return its place."""
    place = worktree.discover(str(repo.path))
    rule = pin.Authorship("{actor}", "ada+{actor}@example.com")
    pin.ensure(place.git_dir, place.common_dir, ME[0], rule)
    return place


def built(repo: Repo, nodes: list[Node]) -> list[str]:
    """Write the history as branch main and return the ids in its order."""
    lines = ["feature done"]
    for number, node in enumerate(nodes, 1):
        # Without a parent it would follow what the branch is at.
        lines += [] if node.parents else ["reset refs/heads/main"]
        lines += [
            "commit refs/heads/main",
            f"mark :{number}",
            f"author {node.author[0]} <{node.author[1]}> {node.date} +0130",
            f"committer {node.committer[0]} <{node.committer[1]}> {node.date + 5} -0800",
            f"data {len(node.message.encode())}",
            node.message,
        ]
        words = ["from", *["merge"] * len(node.parents)]
        lines += [f"{word} :{up + 1}" for word, up in zip(words, node.parents, strict=False)]
        lines += [] if node.parents else ["deleteall"]
        lines += ["M 100644 inline f", f"data {len(str(number))}", str(number)]
    marks = repo.path.parent / "marks"
    repo.git(
        "fast-import", "--quiet", "--force", "--done", f"--export-marks={marks}",
        stdin="\n".join([*lines, "done", ""]),
    )  # fmt: skip
    pairs = [line.split() for line in marks.read_text().splitlines()]
    ids = {int(mark[1:]): commit for mark, commit in pairs}
    return [ids[number] for number in range(1, len(nodes) + 1)]


def facts(repo: Repo, commits: list[str]) -> dict[str, tuple[str, list[str], list[str]]]:
    """Return what must not change, the parents and the two signatures, by id."""
    form = f"--format=%x01%H|%P|%an <%ae>|%cn <%ce>|{FACTS}"
    text = repo.git("log", "--no-walk=unsorted", form, *commits)
    found = {}
    for entry in text.split("\1")[1:]:
        commit, parents, author, committer, rest = entry.split("|", 4)
        found[commit] = (rest, parents.split(), [author, committer])
    return found


def expected(node: Node, nodes: list[Node]) -> list[str]:
    """Return the signatures a named commit ends with: the author of a pick or a copy stays."""
    borrowed = any(
        (other.author, other.date) == (node.author, node.date) and other.committer != node.committer
        for other in nodes
    )
    author = ME if node.author == node.committer and not borrowed else node.author
    return [f"{name} <{email}>" for name, email in (author, ME)]


@pytest.mark.parametrize("way", ["libgit2", "git"])
@example(
    nodes=[
        Node([], PEOPLE[1], PEOPLE[2], LENT, "one\n", named=False),
        Node([0], PEOPLE[1], PEOPLE[1], LENT, "one\n", named=True),
    ]
)
@example(  # the clock of the last one was more than a day behind
    nodes=[
        Node([], PEOPLE[1], PEOPLE[0], LENT + 86_406, "one\n", named=False),
        Node([], PEOPLE[1], PEOPLE[1], LENT + 86_406, "one\n", named=True),
        Node([0, 1], PEOPLE[0], PEOPLE[0], LENT, "one\n", named=False),
    ]
)
@given(nodes=histories())
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_trees_dates_messages_and_topology_stay(
    env: Mapping[str, str], monkeypatch: pytest.MonkeyPatch, way: str, nodes: list[Node]
) -> None:
    """Over random histories, with merges, several roots and skewed clocks, in both stores."""
    if way == "git":
        monkeypatch.setattr(objects, "commits", lambda place: objects._ThroughGit(place.cwd))
    with tempfile.TemporaryDirectory() as folder:
        repo = Repo.init(Path(folder) / "repo", env)
        ids = built(repo, nodes)
        repo.git("reset", "-q", "--hard")
        before = facts(repo, ids)
        place = pinned(repo)
        named = [commit for commit, node in zip(ids, nodes, strict=True) if node.named]

        plan = reauthor.plan(place, ME, Request(tuple(named)))
        done = reauthor.carry_out(place, plan) if plan.chain else None

        new = {commit: (done.new if done else {}).get(commit, commit) for commit in ids}
        after = facts(repo, list(new.values()))
        for commit, node in zip(ids, nodes, strict=True):
            kept, parents, signed = after[new[commit]]
            assert kept == before[commit][0]
            assert parents == [new[parent] for parent in before[commit][1]]
            assert signed == (expected(node, nodes) if node.named else before[commit][2])
        assert repo.git("rev-parse", "main") == new[ids[-1]]
        assert repo.git("status", "--porcelain") == ""
        assert repo.tried("fsck", "--strict").code == 0


def test_a_branch_that_moved_meanwhile_is_left_alone(repo: Repo) -> None:
    """One transaction with the old value as its condition: no lost commit, no backup either."""
    first = repo.commit("first")
    place = pinned(repo)
    plan = reauthor.plan(place, ME, Request((first,)))
    peer = repo.commit("made meanwhile")

    with pytest.raises(Refused, match="branch-moved"):
        reauthor.carry_out(place, plan)

    assert repo.git("rev-parse", "main") == peer
    assert repo.git("for-each-ref", reauthor.BACKUP) == ""


def test_a_kill_at_any_moment_leaves_all_or_nothing(repo: Repo) -> None:
    """Objects are written first; they are nothing until the one transaction."""
    first = repo.commit("first")
    second = repo.commit("second")
    pinned(repo)
    program = (
        "import os, signal, sys\n"
        "from coord.repo import git, worktree\n"
        "from coord.reauthor import reauthor\n"
        "from coord.reauthor.request import Request\n"
        f"plan = reauthor.plan(worktree.discover('.'), {ME!r}, Request(('{first}',)))\n"
        "git_ask = git.ask\n"
        "def dying(*args, **kwargs):\n"
        "    if args[0] == 'update-ref':\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return git_ask(*args, **kwargs)\n"
        "git.ask = dying\n"
        "reauthor.carry_out(worktree.discover('.'), plan)\n"
    )

    assert repo.run("python3", "-c", program).code == -9

    assert repo.git("rev-parse", "main") == second
    assert repo.git("for-each-ref", reauthor.BACKUP) == ""
