"""Circles among things that wait on each other. Pure; no recursion, whatever the depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Graph = Mapping[str, Iterable[str]]


def groups(graph: Graph) -> list[list[str]]:
    """Return the names of `graph` so that those which lead to each other are in one group.

    Kosaraju's way: visit all, then visit backwards, from the last one left to the first.
    """
    seen: set[str] = set()
    left = [one for name in graph for one in visited(name, graph, seen)]
    back, grouped = turned(graph), set[str]()
    found = [visited(name, back, grouped) for name in reversed(left)]
    return [group for group in found if group]


def visited(start: str, graph: Graph, seen: set[str]) -> list[str]:
    """Return the names that `start` leads to and `seen` lacks, each after those it leads to.

    They are added to `seen`.
    """
    if start in seen:
        return []
    seen.add(start)
    found, path = [], [(start, iter(graph[start]))]
    while path:
        name, rest = path[-1]
        after = next((other for other in rest if other not in seen), None)
        if after is None:
            found.append(name)
            path.pop()
        else:
            seen.add(after)
            path.append((after, iter(graph[after])))
    return found


def turned(graph: Graph) -> dict[str, list[str]]:
    """Return `graph` with every lead turned round."""
    found: dict[str, list[str]] = {name: [] for name in graph}
    for name, others in graph.items():
        for other in others:
            found[other].append(name)
    return found
