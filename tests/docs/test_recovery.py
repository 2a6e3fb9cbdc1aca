"""The page of the refusals is whole: every rule that anything can print stands on it."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).parent.parent.parent
HOMES = ("src/coord", "hooks", "drivers", "installer")
FACTS = "facts.py"  # of the drivers: rules as the first of what is returned
KINDS = ("log", "changelog")
IN_SHELL = re.compile(r"coord: ([a-z]+(?:-[a-z]+)+): |coord_say ([a-z]+(?:-[a-z]+)+) ")


def rules() -> Iterator[str]:
    """Yield every rule: the first argument of an error, and what the shell scripts print."""
    paths = [path for home in HOMES for path in sorted((ROOT / home).rglob("*"))]
    trees = {path: ast.parse(path.read_text()) for path in paths if path.suffix == ".py"}
    raised = _errors(tree for path, tree in trees.items() if "drivers" not in path.parts)
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args:
                yield from _raised(node, raised)
            if path.name == FACTS and isinstance(node, ast.Return):
                yield from _returned(node.value)
    for path in paths:
        if path.suffix == ".py" or path.parent.name == "sh":
            yield from (one or two for one, two in IN_SHELL.findall(path.read_text()))


def _errors(trees: Iterable[ast.Module]) -> set[str]:
    """Return the names of the errors that have a rule: the root of them all, and what it begets."""
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    found, before = {"CoordError"}, set[str]()
    while found != before:
        before = set(found)
        found |= {
            one.name
            for one in classes
            if found & {ast.unparse(base).rpartition(".")[2] for base in one.bases}
        }
    return {*found, "__init__"}


def _returned(value: ast.expr | None) -> Iterator[str]:
    """Yield the rules that a driver's fact is told by: one, or one a kind."""
    first = value.elts[0] if isinstance(value, ast.Tuple) else None
    if isinstance(first, ast.Constant) and "-" in str(first.value):
        yield str(first.value)
    if isinstance(first, ast.JoinedStr):
        yield from (eval(ast.unparse(first), {"kind": kind}) for kind in KINDS)  # noqa: S307


def _raised(node: ast.Call, raised: set[str]) -> Iterator[str]:
    """Yield the rules that a call may raise: one, or both arms of a condition."""
    if ast.unparse(node.func).rpartition(".")[2] not in raised:
        return
    rule = node.args[0]
    arms = [rule.body, rule.orelse] if isinstance(rule, ast.IfExp) else [rule]
    for arm in arms:
        if isinstance(arm, ast.Constant) and isinstance(arm.value, str):
            yield arm.value


def test_every_refusal_is_explained() -> None:
    """With what happened and what helps.

    Rules are found in Python, in a condition in it, in errors of their own, drivers and the shell.
    """
    found = set(rules())
    page = (ROOT / "docs" / "recovery.md").read_text()
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]

    assert {"not-holder", "repository-unreadable", "hooks-broken", "driver-missing"} < found
    assert {"store-unavailable", "log-binary", "log-clash", "changelog-clash"} < found
    assert len(found) > 80
    assert [rule for rule in sorted(found) if not any(f"`{rule}`" in row for row in rows)] == []
