"""Derived files: none is older than its declared inputs, none is a text merge of two.

The state of a rule's files follows the history, oldest commit first: fresh where one of them
changes or a trailer vouches for it, stale where an input changes without them. In a merge it is
what a parent had whose files and inputs the merge kept; else it is fresh only if the merge made
them anew. Beyond the range everything passes for fresh. What counts is the end of the range: what
was stale for a while and regenerated since is no problem.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.history.commits import RESOLVED
from coord.history.problem import counted, printed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from coord.check.edges import Edge, History
    from coord.check.inputs import Unit
    from coord.check.textmerge import Merges
    from coord.history.commits import Commit

STALE = "derived-stale"
MIXED = "derived-two-sided"


class Fault(NamedTuple):
    """Why a derived file is not what its inputs make: since which commit, and how."""

    rule: str
    commit: Commit
    path: bytes
    message: str


def faults(history: History, units: Sequence[Unit], merges: Merges) -> list[Fault]:
    """Return the faults of derived files at the tips of the range."""
    found = []
    for number, unit in enumerate(units):
        states = _States(number, unit, merges)
        for commit in reversed(history.commits):
            states.add(commit, history.of(commit.id))
        for tip, tree in history.trees.items():
            state = states.of(tip)
            if state is not None and not unit.paths.isdisjoint(tree):
                found.append(state)
    return found


def along(
    history: History,
    units: Sequence[Unit],
    merges: Merges,
    line: Mapping[str, Collection[bytes]],
) -> Iterator[tuple[str, Fault, bool]]:
    """Yield (commit, fault, False) along a line of merges, as if each fault were mended there.

    A file that was made anew earlier in the line is changed by that, whatever the commits hold: a
    merge that brings a version of it will be refused. Such a fault comes with True.

    Args:
        history: what the line, and the branches it merges, changed.
        units: derived files; those of unknown inputs are passed over.
        merges: of the history.
        line: commit → the files that are made anew in it anyway.
    """
    for number, unit in enumerate(units):
        if not unit.pathspecs:
            continue
        states = _States(number, unit, merges)
        made = False
        for commit in reversed(history.commits):
            edges = history.of(commit.id)
            states.add(commit, edges)
            if commit.id not in line:
                continue
            refused = not unit.paths.isdisjoint(line[commit.id])
            fault = states.mended(commit.id)
            brought = unit.paths.intersection(edges[0].guarded) if made and edges else None
            if brought:
                fault = Fault(MIXED, commit, min(brought), "both sides regenerated")
            if fault is not None and not refused:
                yield commit.id, fault, bool(brought)
            made = made or refused or fault is not None


class _States:
    """The state of one unit in each commit: the fault it has, None where it is fresh."""

    def __init__(self, number: int, unit: Unit, merges: Merges) -> None:
        self._number = number
        self._unit = unit
        self._merges = merges
        self._states: dict[str, Fault | None] = {}

    def of(self, commit: str) -> Fault | None:
        return self._states.get(commit)

    def mended(self, commit: str) -> Fault | None:
        """Return the fault of a commit, which has none from now on."""
        fault, self._states[commit] = self._states.get(commit), None
        return fault

    def add(self, commit: Commit, edges: Sequence[Edge]) -> None:
        before = [self._states.get(parent) for parent in commit.parents]
        if not before or self._is_vouched(commit):
            self._states[commit.id] = None
        elif not edges:
            self._states[commit.id] = _best(before)
        else:
            self._states[commit.id] = self._state(commit, edges, before)

    def _is_vouched(self, commit: Commit) -> bool:
        return bool(commit.texts(RESOLVED)) and any(map(commit.excuses, self._unit.paths))

    def _state(
        self, commit: Commit, edges: Sequence[Edge], before: Sequence[Fault | None]
    ) -> Fault | None:
        changed = [not self._unit.paths.isdisjoint(edge.guarded) for edge in edges]
        if all(changed) and len(edges) > 1:
            changed = [self._differs(edge) for edge in edges]
        if all(changed):
            return self._mixed(commit, edges) if len(edges) > 1 else None
        if any(changed) and not self._unit.pathspecs:
            return self._dropped(commit, edges) or _best(before)
        same = [
            state
            for state, edge, differs in zip(before, edges, changed, strict=True)
            if not differs and self._number not in edge.inputs
        ]
        if same:
            return _best(same)
        older = next(filter(None, before), None)
        return older or self._stale(commit, edges[changed.index(False)])

    def _differs(self, edge: Edge) -> bool:
        """Tell whether a merge changed a parent's file in more than what git converts."""
        changes = (edge.guarded[path] for path in self._unit.paths.intersection(edge.guarded))
        return not all(map(self._merges.is_same_text, changes))

    def _stale(self, commit: Commit, edge: Edge) -> Fault:
        changed = printed(edge.inputs[self._number])
        text = f"older than its input {changed}"
        if len(commit.parents) > 1:
            text = f"the merge took one side's; its input {changed} also comes from another side"
        return Fault(STALE, commit, self._unit.name, text + self._others())

    def _mixed(self, commit: Commit, edges: Sequence[Edge]) -> Fault | None:
        """Return the fault of a merge whose version of a file is a text merge of its parents'."""
        for path in self._unit.paths.intersection(*(edge.guarded for edge in edges)):
            if self._merges.is_text_merge(commit, path, edges):
                return Fault(MIXED, commit, path, "the merge holds text of both sides' versions")
        return None

    def _dropped(self, commit: Commit, edges: Sequence[Edge]) -> Fault | None:
        """Return the fault of a merge that kept one of two versions, of inputs unknown."""
        touched = self._unit.paths.intersection(set().union(*(edge.guarded for edge in edges)))
        for path in sorted(touched):
            if self._merges.is_two_sided(commit, path, edges):
                return Fault(MIXED, commit, path, "both sides changed it, and the merge kept one")
        return None

    def _others(self) -> str:
        more = len(self._unit.paths) - 1
        return f" (and {counted(more, 'file')} of the same rule)" if more else ""


def _best(states: Sequence[Fault | None]) -> Fault | None:
    return None if None in states else states[0]
