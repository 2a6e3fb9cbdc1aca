"""Derived files by the rule that makes them, and which changed paths are inputs of which rule.

A rule is one unit: its producer may make many files, of which a change of one input alters some.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from coord.check.layout import Scratch
    from coord.settings.config import Derived

_NONE: tuple[int, ...] = ()


class Unit(NamedTuple):
    """What one rule makes.

    Attributes:
        paths: its derived files at the tip.
        pathspecs: its declared inputs; none: nobody can tell what it is made from.
    """

    paths: frozenset[bytes]
    pathspecs: tuple[str, ...]

    @property
    def name(self) -> bytes:
        """The file to speak of: the first one."""
        return min(self.paths)


def units(rules: Mapping[bytes, Derived]) -> list[Unit]:
    """Return the units of derived files, given the rule of each."""
    paths: dict[Derived, list[bytes]] = {}
    for path, rule in rules.items():
        paths.setdefault(rule, []).append(path)
    return [Unit(frozenset(found), rule.inputs) for rule, found in paths.items()]


class Inputs:
    """Answers of which units, by number, a path is an input."""

    def __init__(self, scratch: Scratch, made: Sequence[Unit]) -> None:
        self._scratch = scratch
        self._units = made
        self._known: dict[bytes, tuple[int, ...]] = {}
        self.artifacts = frozenset[bytes]().union(*(unit.paths for unit in made))

    def learn(self, paths: Iterable[bytes]) -> None:
        """Ask git about those of `paths` that it was not asked about yet."""
        if not any(unit.pathspecs for unit in self._units):
            return
        new = [path for path in paths if path not in self._known]
        self._known.update(dict.fromkeys(new, _NONE))
        for number, unit in enumerate(self._units):
            if unit.pathspecs and new:
                for path in self._scratch.matching(new, unit.pathspecs):
                    self._known[path] += (number,)

    def units_of(self, path: bytes) -> tuple[int, ...]:
        """Return the numbers of the units that `path` is an input of."""
        return self._known.get(path, _NONE)
