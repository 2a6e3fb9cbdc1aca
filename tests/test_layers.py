"""The architecture as a test: imports go down, in no circle; only entries print and exit."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

import floors

if TYPE_CHECKING:
    from pathlib import Path

DESIGN = floors.floors((floors.ROOT / "docs/design.md").read_text())
SOURCES = floors.modules()
IMPORTS = {name: floors.imports(path, SOURCES) for name, path in SOURCES.items()}
ENTRIES = ("cli", "hooks", "drivers", "installer")
# The package itself holds nothing but its docstring and the version.
OUTSIDE = {"coord"}
MODULES = [name for name in SOURCES if name not in OUTSIDE]


def room(name: str) -> str:
    """Return the room of a module as the design draws it."""
    return floors.room_of(name, DESIGN.rooms)


@pytest.mark.parametrize("name", MODULES)
def test_each_module_stands_in_a_room_that_the_design_draws(name: str) -> None:
    """A room that nobody has drawn has no floor, and would pass every other test here."""
    assert room(name) in DESIGN.rooms


def test_the_design_draws_no_room_that_is_not_there() -> None:
    """A row of the table that outlives its room is a lie to the next reader."""
    assert set(DESIGN.rooms) == {room(name) for name in MODULES}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_imports_from_lower_floors_only(name: str) -> None:
    """Upwards and sideways imports would make a knot of the house."""
    above = {
        other
        for other in IMPORTS[name] - OUTSIDE
        if room(other) != room(name) and DESIGN.rooms[room(other)] >= DESIGN.rooms[room(name)]
    }

    assert not above


@pytest.mark.parametrize("package", sorted(DESIGN.inside))
def test_a_big_room_has_floors_of_its_own(package: str) -> None:
    """Every module of it stands on one inner floor, and imports from lower ones only."""
    level = {
        f"{package}.{module}": floor
        for floor, row in enumerate(DESIGN.inside[package])
        for module in row
    }
    there = {name for name in MODULES if room(name) == package} - {package}
    knots = {
        f"{name} -> {other}"
        for name in there & set(level)
        for other in IMPORTS[name] & set(level)
        if level[other] >= level[name]
    }

    assert set(level) == there
    assert not knots


def test_every_big_room_draws_its_inner_floors() -> None:
    """More than twelve modules in one folder are too many to hold in one head unsorted."""
    big = {entry for entry in DESIGN.rooms if sum(room(name) == entry for name in MODULES) > 13}

    assert big <= set(DESIGN.inside)


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Lazy imports and imports for types count too: they are read together or not at all."""
    waiting = {name: set(others) for name, others in IMPORTS.items()}
    while free := {name for name, others in waiting.items() if not others}:
        waiting = {name: others - free for name, others in waiting.items() if name not in free}

    assert not waiting


@pytest.mark.parametrize(("name", "path"), SOURCES.items(), ids=SOURCES)
def test_only_entries_print_and_exit(name: str, path: Path) -> None:
    """Deep code raises; the entry prints once and leaves."""
    if name.split(".")[1:2] in [[entry] for entry in ENTRIES]:
        return
    calls = {
        ast.unparse(node.func)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
    }

    assert calls.isdisjoint(
        {"print", "sys.exit", "os._exit", "exit", "click.echo", "sys.stderr.write"}
    )


def test_the_drivers_stand_apart() -> None:
    """Merge drivers import the standard library and themselves, nothing of the kernel."""
    for name, others in IMPORTS.items():
        if name.startswith("coord.drivers"):
            assert {other for other in others if not other.startswith("coord.drivers")} <= OUTSIDE
