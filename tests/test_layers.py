"""The architecture as a test: floors import downwards, only entries print and exit."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# A module may import modules of lower floors only (docs/design.md draws them).
FLOORS = {
    "coord": 0,
    "coord.cquote": 0,
    "coord.drivers": 0,
    "coord.frozen": 0,
    "coord.names": 0,
    "coord.child": 1,
    "coord.command": 1,
    "coord.duration": 1,
    "coord.errors": 1,
    "coord.cwd": 2,
    "coord.git": 2,
    "coord.gitconfig": 2,
    "coord.publish": 2,
    "coord.sections": 2,
    "coord.caller": 3,
    "coord.config": 3,
    "coord.identities": 3,
    "coord.worktree": 3,
    "coord.damage": 4,
    "coord.section": 4,
    "coord.guarded": 4,
    "coord.pin": 4,
    "coord.reflog": 4,
    "coord.trust": 4,
    "coord.evidence": 5,
    "coord.identity": 5,
    "coord.outgoing": 5,
    "coord.board": 6,
    "coord.refusal": 6,
    "coord.check": 7,
    "coord.fleet": 7,
    "coord.hooks": 7,
    "coord.integrate": 8,
    "coord.ids": 9,
    "coord.installer": 9,
    "coord.cli": 10,
    "coord.__main__": 11,
    "coord.installer.cli": 11,
    "coord.installer.__main__": 12,
}
ENTRIES = ("cli", "hooks", "drivers", "installer")


def sources() -> list[tuple[str, Path]]:
    """Return (dotted name, file) of every module of the product."""
    found = []
    homes = {
        "src/coord": "coord",
        "hooks": "coord.hooks",
        "drivers": "coord.drivers",
        "installer": "coord.installer",
    }
    for home, package in homes.items():
        for path in sorted((ROOT / home).rglob("*.py")):
            parts = path.relative_to(ROOT / home).with_suffix("").parts
            found.append((".".join([package, *parts]).removesuffix(".__init__"), path))
    return found


def floor(name: str) -> int:
    """Return the floor of a module: its own entry, else its package's."""
    return FLOORS[floor_entry(name)]


def imports(path: Path) -> set[str]:
    """Return the modules of ours that `path` imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return {name for name in found if name.split(".")[0] == "coord"}


@pytest.mark.parametrize(("name", "path"), sources(), ids=[name for name, _ in sources()])
def test_a_module_imports_lower_floors_only(name: str, path: Path) -> None:
    """Upwards and sideways imports would make a knot of the house."""
    above = {
        other
        for other in imports(path)
        if floor(other) >= floor(name) and not same_room(other, name)
    }

    assert not above


def same_room(other: str, name: str) -> bool:
    """Tell whether two modules share a package (below ``coord`` itself), or are one."""
    return floor_entry(other) == floor_entry(name)


def floor_entry(name: str) -> str:
    """Return the entry of FLOORS that places a module."""
    while name not in FLOORS:
        name = name.rpartition(".")[0]
    return name


@pytest.mark.parametrize(("name", "path"), sources(), ids=[name for name, _ in sources()])
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
    for name, path in sources():
        if name.startswith("coord.drivers"):
            assert {other for other in imports(path) if not other.startswith("coord.drivers")} <= {
                "coord"
            }
