"""The floors of tests/floors.toml, and the code that stands there: ``python docs/floors.py`` draws.

The picture, docs/floors.svg, is made of the code alone: a box a room with its modules, an arrow
where a room imports another that it does not reach over a third.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
# The folders of the house, and the package that each is imported as (pyproject.toml).
HOMES = {
    "src/coord": "coord",
    "hooks": "coord.hooks",
    "drivers": "coord.drivers",
    "installer": "coord.installer",
}


class Floors(NamedTuple):
    """The floors of the house: of each room in the house, and of each module in a big room."""

    rooms: dict[str, int]
    inside: dict[str, list[list[str]]]


def floors() -> Floors:
    """Return the floors that tests/floors.toml lists, rooms by dotted name."""
    found = tomllib.loads((ROOT / "tests" / "floors.toml").read_text(encoding="utf-8"))
    return Floors(
        rooms={f"coord.{room}": floor for room, floor in found["rooms"].items()},
        inside={
            f"coord.{room}": [row.split(", ") for row in rows]
            for room, rows in found["inside"].items()
        },
    )


def modules() -> dict[str, Path]:
    """Return the file of every module of the product, by dotted name."""
    found = {}
    for home, package in HOMES.items():
        for path in sorted((ROOT / home).rglob("*.py")):
            if path.name == "_version.py":  # made by a build, not there before
                continue
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
        LookupError: The list has no such room.

    """
    entry = name
    while entry not in rooms:
        entry = entry.rpartition(".")[0]
        if entry in ("", "coord"):
            raise LookupError(name)
    return entry


def arrows(rooms: dict[str, int]) -> dict[str, set[str]]:
    """Return which rooms each room imports."""
    known = modules()
    found: dict[str, set[str]] = {room: set() for room in rooms}
    for name, path in known.items():
        if name != "coord":
            here = room_of(name, rooms)
            there = {room_of(other, rooms) for other in imports(path, known) - {"coord"}}
            found[here] |= there - {here}
    return found


def picture() -> str:
    """Return the floors as an SVG drawing."""
    rooms = floors().rooms
    boxes = _placed(rooms)
    lines = [*_drawn_arrows(arrows(rooms), boxes), *_drawn_boxes(rooms, boxes)]
    height = max(box.y for box in boxes.values()) + _BOX_HEIGHT + _GAP
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        'font-family="sans-serif" font-size="12">'
    )
    return "\n".join([head, *lines, "</svg>", ""])


class Box(NamedTuple):
    """Where a room is drawn: its upper left corner."""

    x: float
    y: float


_WIDTH, _BOX_WIDTH, _BOX_HEIGHT, _GAP = 960, 118, 40, 34


def _placed(rooms: dict[str, int]) -> dict[str, Box]:
    """Place the ground floor at the bottom, each floor's rooms in the order of the design."""
    top = max(rooms.values())
    placed = {}
    for floor in range(top + 1):
        names = [name for name, at in rooms.items() if at == floor]
        step = _WIDTH / len(names)
        y = _GAP + (top - floor) * (_BOX_HEIGHT + _GAP)
        for number, name in enumerate(names):
            placed[name] = Box(round(step * (number + 0.5) - _BOX_WIDTH / 2, 1), y)
    return placed


def _drawn_arrows(found: dict[str, set[str]], boxes: dict[str, Box]) -> Iterator[str]:
    half = _BOX_WIDTH / 2
    for here, others in sorted(found.items()):
        for there in sorted(_direct(found, others)):
            start, end = boxes[here], boxes[there]
            yield (
                f'<line x1="{start.x + half:g}" y1="{start.y + _BOX_HEIGHT:g}" '
                f'x2="{end.x + half:g}" y2="{end.y:g}" stroke="#9ab" stroke-width="1"/>'
            )


def _direct(found: dict[str, set[str]], others: set[str]) -> set[str]:
    """Return the rooms among `others` that none of the others leads to."""
    reached: set[str] = set()
    waiting = [below for other in others for below in found[other]]
    while waiting:
        room = waiting.pop()
        if room not in reached:
            reached.add(room)
            waiting += found[room]
    return others - reached


def _drawn_boxes(rooms: dict[str, int], boxes: dict[str, Box]) -> Iterator[str]:
    counts = dict.fromkeys(rooms, 0)
    for name in modules():
        if name != "coord":
            counts[room_of(name, rooms)] += 1
    for name, (x, y) in boxes.items():
        middle = x + _BOX_WIDTH / 2
        many = f"{counts[name]} module{'' if counts[name] == 1 else 's'}"
        yield (
            f'<rect x="{x:g}" y="{y:g}" width="{_BOX_WIDTH}" height="{_BOX_HEIGHT}" rx="5" '
            'fill="#eef4f8" stroke="#467"/>'
        )
        yield f'<text x="{middle:g}" y="{y + 17:g}" text-anchor="middle">{name[6:]}</text>'
        yield (
            f'<text x="{middle:g}" y="{y + 32:g}" text-anchor="middle" '
            f'fill="#678" font-size="10">{many}</text>'
        )


if __name__ == "__main__":
    target = ROOT / "docs" / "floors.svg"
    target.write_text(picture(), encoding="utf-8")
    sys.stdout.write(f"{target} is drawn\n")
