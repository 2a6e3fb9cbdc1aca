"""The page of the refusals is whole: every rule that anything can print stands on it."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent.parent
HOMES = ("src/coord", "hooks", "drivers", "installer")
RAISED = {"Refused", "Usage", "Environment", "__init__"}
IN_SHELL = re.compile(r"coord: ([a-z]+(?:-[a-z]+)+): |coord_say ([a-z]+(?:-[a-z]+)+) ")


def rules() -> Iterator[str]:
    """Yield every rule: the first argument of an error, and what the shell scripts print."""
    for path in (path for home in HOMES for path in sorted((ROOT / home).rglob("*"))):
        if path.suffix == ".py":
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and node.args:
                    yield from _raised(node)
        if path.suffix == ".py" or path.parent.name == "sh":
            yield from (one or two for one, two in IN_SHELL.findall(path.read_text()))


def _raised(node: ast.Call) -> Iterator[str]:
    """Yield the rules that a call may raise: one, or both arms of a condition."""
    if ast.unparse(node.func).rpartition(".")[2] not in RAISED:
        return
    rule = node.args[0]
    arms = [rule.body, rule.orelse] if isinstance(rule, ast.IfExp) else [rule]
    for arm in arms:
        if isinstance(arm, ast.Constant) and isinstance(arm.value, str):
            yield arm.value


FOUND = sorted(set(rules()))


def test_the_rules_are_found() -> None:
    """From Python, from a condition in it, and from the shell."""
    assert {"not-holder", "repository-unreadable", "hooks-broken", "driver-missing"} < set(FOUND)
    assert len(FOUND) > 80


@pytest.mark.parametrize("rule", FOUND)
def test_every_refusal_is_explained(rule: str) -> None:
    """With what happened and what helps."""
    page = (ROOT / "docs" / "recovery.md").read_text()
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]

    assert any(f"`{rule}`" in row for row in rows)
