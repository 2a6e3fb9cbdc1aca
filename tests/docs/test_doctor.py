"""docs/doctor.md explains every finding there is."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from coord.doctor import installation

ROOT = Path(__file__).parent.parent.parent


def test_every_rule_is_explained_and_no_other() -> None:
    """A finding that nobody can look up is half a finding."""
    page = (ROOT / "docs" / "doctor.md").read_text(encoding="utf-8").partition("## Findings")[2]
    first_cells = re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)

    explained = {rule for cell in first_cells for rule in re.findall(r"`([a-z-]+)`", cell)}

    assert explained == raised()


def raised() -> set[str]:
    """Return the rules that the doctor and what tries a board name, and those from the check."""
    calls = [
        node
        for room in ("doctor", "board", "stores")
        for path in (ROOT / "src" / "coord" / room).glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"Finding", "Trouble"}
        if node.args
    ]
    named = {call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)}
    keys = {rule for rule, _ in installation.differing({}, {})} | {"config-overridden"}
    borrowed = {"not-installed", "file-changed", "attribute-overridden"}
    return {str(rule) for rule in named} | keys | borrowed
