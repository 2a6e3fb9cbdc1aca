"""The architecture as a test: imports go down, in no circle; only entries print and exit."""

from __future__ import annotations

import ast
from functools import cache

import pytest

import floors
from coord.cli.verbs import VERBS

DESIGN = floors.floors()
SOURCES = floors.modules()
ENTRIES = ("cli", "hooks", "drivers", "installer")
# The package itself holds nothing but its docstring and the version.
OUTSIDE = {"coord"}
MODULES = [name for name in SOURCES if name not in OUTSIDE]
VERB_MODULES = {f"coord.cli.{module}" for module, _ in VERBS.values()} | {"coord.cli.install"}
# What is this process's own, and no caller's of a use case.
OF_THE_PROCESS = {
    "coord.liveness.withoutproc": "the environment of `ps`, where there is no /proc",
    "coord.repo.caller": "where a printed command is pasted; asked by entries",
    "coord.repo.cwd": "a current folder that is gone; asked by entries",
}


@cache
def tree(name: str) -> ast.Module:
    """Return a module, parsed."""
    return ast.parse(SOURCES[name].read_text())


@cache
def imports() -> dict[str, set[str]]:
    """Return the modules that each module imports."""
    return {name: floors.imports(path, SOURCES) for name, path in SOURCES.items()}


def room(name: str) -> str:
    """Return the room of a module as the design draws it."""
    return floors.room_of(name, DESIGN.rooms)


def test_each_module_stands_in_a_room_that_the_design_draws() -> None:
    """A room that nobody has drawn has no floor, and would pass every other test here."""
    assert [name for name in MODULES if room(name) not in DESIGN.rooms] == []


def test_the_design_draws_no_room_that_is_not_there() -> None:
    """A row of the table that outlives its room is a lie to the next reader."""
    assert set(DESIGN.rooms) == {room(name) for name in MODULES}


def test_a_module_imports_from_lower_floors_only() -> None:
    """Upwards and sideways imports would make a knot of the house."""
    above = {
        f"{name} -> {other}"
        for name in MODULES
        for other in imports()[name] - OUTSIDE
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
        for other in imports()[name] & set(level)
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
    waiting = {name: set(others) for name, others in imports().items()}
    while free := {name for name, others in waiting.items() if not others}:
        waiting = {name: others - free for name, others in waiting.items() if name not in free}

    assert not waiting


def test_only_entries_print_and_exit() -> None:
    """Deep code raises; the entry prints once and leaves."""
    said = {"print", "sys.exit", "os._exit", "exit", "click.echo", "sys.stderr.write"}
    found = {
        f"{name}: {ast.unparse(node.func)}"
        for name in SOURCES
        if name.split(".")[1:2] not in [[entry] for entry in ENTRIES]
        for node in ast.walk(tree(name))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in said
    }

    assert not found


def test_the_drivers_stand_apart() -> None:
    """Merge drivers import the standard library and themselves, nothing of the kernel."""
    for name, others in imports().items():
        if name.startswith("coord.drivers"):
            assert {other for other in others if not other.startswith("coord.drivers")} <= OUTSIDE


def test_no_verb_imports_another_verb() -> None:
    """What two verbs share is a use case, or a helper that is no verb."""
    found = {
        f"{name} -> {other}" for name in VERB_MODULES for other in imports()[name] & VERB_MODULES
    }

    assert not found


def beneath(name: str) -> bool:
    """Tell whether a use case may stand on a module: git's own entries are its front doors too."""
    return (
        name.split(".")[1] not in {"hooks", "drivers", "installer"}
        and DESIGN.rooms[room(name)] <= DESIGN.rooms["coord.work"]
    )


def of_the_process(tree: ast.AST) -> set[str]:
    """Return what code takes from its own process; a default that a caller can outrank is none."""
    defaults = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.arguments)
        for default in (*function.defaults, *function.kw_defaults)
        if default is not None
        for node in ast.walk(default)
    }
    nodes = [node for node in ast.walk(tree) if id(node) not in defaults]
    names = {ast.unparse(node) for node in nodes if isinstance(node, ast.Name | ast.Attribute)}
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            names |= {f"{module}{alias.name}" for alias in node.names}
    taken = {"print", "click", "os.getcwd", "os.getcwdb", "os.environ", "os.environb", "os.getenv"}
    return taken & names


def test_a_use_case_knows_its_caller_by_the_call_alone() -> None:
    """A server's folder and environment are not its workers', and its stdout is none of theirs."""
    taken = {name: of_the_process(tree(name)) for name in MODULES if beneath(name)}
    found = {name: what for name, what in taken.items() if what}

    assert found.keys() == OF_THE_PROCESS.keys(), found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("print('x')", {"print"}),
        ("import click\nclick.echo('x')", {"click"}),
        ("import os\nwhere = os.getcwd()", {"os.getcwd"}),
        ("import os\ndef f(environ=os.environ): return environ['A']", set()),
        ("import os\ndef f(): return os.environ['A']", {"os.environ"}),
        ("from os import environ", {"os.environ"}),
    ],
)
def test_what_code_takes_from_its_own_process_is_seen(code: str, found: set[str]) -> None:
    """In a body, by any of its names; not where it is but a default."""
    assert of_the_process(ast.parse(code)) == found
