"""The pass over the range: which guarded paths and declared inputs each commit changed.

Newest first, so that the declarations of every parent follow from those of its child by taking
back what the child changed: one tree is listed, at the tip, and no other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from coord.check import attributes
from coord.history import changes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from coord.check.attributes import Attributes, State
    from coord.check.inputs import Inputs
    from coord.history.changes import Change, Raw
    from coord.history.commits import Commit
    from coord.history.door import Door

STEP = 250  # things between two signs of progress
_CHUNK = 20_000  # raw entries looked at together; git is asked about their paths at once


class Tick(Protocol):
    """What is told how many of how many things are done, such as ``commits read``."""

    def __call__(self, what: str, done: int, total: int) -> None: ...  # noqa: D102


class Edge(NamedTuple):
    """What differs between a commit and one parent.

    Attributes:
        guarded: guarded paths and derived files.
        inputs: number of a unit of derived files → the first of its inputs that differs.
    """

    guarded: dict[bytes, Change]
    inputs: dict[int, bytes]


_SAME = Edge({}, {})


@dataclass
class History:
    """What the rules are judged on.

    Attributes:
        commits: the commits of the range, each before its parents.
        trees: path → blob of the regular files of each tip.
        attributes: what is guarded where.
        edges: commit → an edge for each parent; commits that changed nothing of interest lack.
        states: declarations of each commit and of the parents beyond the range.
        tips: which tip each commit belongs to.
    """

    commits: list[Commit]
    trees: dict[str, dict[bytes, str]]
    attributes: Attributes
    edges: dict[str, list[Edge]] = field(default_factory=dict)
    states: dict[str, State] = field(default_factory=dict)
    tips: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ids = {commit.id for commit in self.commits}
        self.states = {tip: attributes.state_of(tree) for tip, tree in self.trees.items()}
        self.tips = {tip: tip for tip in self.trees}
        for commit in self.commits:
            for parent in commit.parents:
                self.tips.setdefault(parent, self.tips[commit.id])

    def of(self, commit: str) -> list[Edge]:
        """Return the edges of a commit, one a parent."""
        return self.edges.get(commit, [])

    def kind(self, commit: str, path: bytes) -> str:
        """Return the kind of a path that changed in `commit`, or in a child of it."""
        return self.attributes.kind(self.states[commit], path)

    def at_tip(self, commit: str, path: bytes) -> str | None:
        """Return the blob of `path` at the end of the range that `commit` is in."""
        return self.trees[self.tips[commit]].get(path)

    def judged(self, commit: Commit, path: bytes) -> str:
        """Return the kind by which a change of `path` in `commit` is judged; empty: free.

        It must be declared in the commit and in a parent: undeclaring it is a change for review,
        and what was not declared yet broke no rule.
        """
        kind = self.kind(commit.id, path)
        return kind if any(self.kind(up, path) == kind for up in commit.parents) else ""


def tree_of(door: Door, commit: str) -> dict[bytes, str]:
    """Return path → blob of the regular files of a commit."""
    listing = door.tell("ls-tree", "-r", "-z", "--full-tree", commit).out
    found = {}
    for entry in listing.split(b"\0")[:-1]:
        facts, _, path = entry.partition(b"\t")
        if facts.startswith(b"100"):
            found[path] = facts[12:].decode()
    return found


def follow(history: History, door: Door, inputs: Inputs, tick: Tick) -> None:
    """Read what every commit changed, and keep what the rules need.

    Raises:
        GitError: objects are missing.
    """
    pending: list[tuple[Commit, list[list[Raw]]]] = []
    weight = 0
    total = len(history.commits)
    for number, (commit, raws) in enumerate(_changed(door, history.commits), 1):
        if number % STEP == 0 or number == total:
            tick("commits read", number, total)
        _states(history, commit, raws)
        pending.append((commit, raws))
        weight += sum(map(len, raws))
        if weight > _CHUNK:
            _sift(history, inputs, pending)
            pending, weight = [], 0
    _sift(history, inputs, pending)


def _changed(door: Door, commits: Sequence[Commit]) -> Iterator[tuple[Commit, list[list[Raw]]]]:
    edges = [(commit.id, parent) for commit in commits for parent in commit.parents]
    answers = changes.along(door, edges)
    for commit in commits:
        yield commit, [next(answers) for _ in commit.parents]


def _states(history: History, commit: Commit, raws: Iterable[list[Raw]]) -> None:
    state = history.states[commit.id]
    for parent, entries in zip(commit.parents, raws, strict=True):
        changed = {path: raw for raw, path in entries if attributes.is_declaration(path)}
        edges = {path: changes.change(raw) for path, raw in changed.items()}
        history.states[parent] = attributes.before(state, edges) if edges else state


def _sift(
    history: History, inputs: Inputs, pending: Sequence[tuple[Commit, list[list[Raw]]]]
) -> None:
    """Keep what is guarded, derived or an input."""
    asked: dict[State, set[bytes]] = {}
    for commit, raws in pending:
        paths = {path for entries in raws for _, path in entries}
        for place in (commit.id, *commit.parents):
            asked.setdefault(history.states[place], set()).update(paths)
    for state, paths in asked.items():
        history.attributes.learn(state, paths)
    inputs.learn(set().union(*asked.values()))
    for commit, raws in pending:
        edges = [
            _edge(history, commit.id, parent, entries, inputs)
            for parent, entries in zip(commit.parents, raws, strict=True)
        ]
        if any(edge != _SAME for edge in edges):
            history.edges[commit.id] = edges


def _edge(
    history: History, commit: str, parent: str, entries: Iterable[Raw], inputs: Inputs
) -> Edge:
    edge = Edge({}, {})
    for raw, path in entries:
        if path in inputs.artifacts or history.kind(commit, path) or history.kind(parent, path):
            edge.guarded[path] = changes.change(raw)
        for unit in inputs.units_of(path):
            edge.inputs.setdefault(unit, path)
    return edge
