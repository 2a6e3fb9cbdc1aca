"""The floors of docs/design.md, and the modules and imports of the code that must stand on them."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
# The folders of the house, and the package that each is imported as (pyproject.toml).
HOMES = {
    "src/coord": "coord",
    "hooks": "coord.hooks",
    "drivers": "coord.drivers",
    "installer": "coord.installer",
}
_ROW = re.compile(r"^\| (\d+) \| `([a-z_.]+)` \|", re.MULTILINE)
_INSIDE = re.compile(r"^\| `([a-z_.]+)` \| ([a-z_ ·/]+) \|$", re.MULTILINE)


class Floors(NamedTuple):
    """The floors of the design: of each room in the house, and of each module in a big room."""

    rooms: dict[str, int]
    inside: dict[str, list[list[str]]]


def floors(design: str) -> Floors:
    """Return the floors that the text of docs/design.md draws, rooms by dotted name."""
    return Floors(
        rooms={f"coord.{room}": int(floor) for floor, room in _ROW.findall(design)},
        inside={
            f"coord.{room}": [row.split(" · ") for row in rows.split(" / ")]
            for room, rows in _INSIDE.findall(design)
        },
    )


def modules() -> dict[str, Path]:
    """Return the file of every module of the product, by dotted name."""
    found = {}
    for home, package in HOMES.items():
        for path in sorted((ROOT / home).rglob("*.py")):
            parts = path.relative_to(ROOT / home).with_suffix("").parts
            found[".".join([package, *parts]).removesuffix(".__init__")] = path
    return found


def imports(path: Path, known: dict[str, Path]) -> set[str]:
    """Return the modules among `known` that `path` imports: at its top, lazily, or for types."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in known else node.module for name in inner}
    return {name for name in found if name in known and known[name] != path}


def room_of(name: str, rooms: dict[str, int]) -> str:
    """Return the room that a module stands in: the longest entry that holds it.

    Raises:
        LookupError: The design draws no such room.

    """
    entry = name
    while entry not in rooms:
        entry = entry.rpartition(".")[0]
        if entry in ("", "coord"):
            raise LookupError(name)
    return entry
