"""tests/cases/README.md and the tests name each other."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent.parent
PAGE = TESTS / "cases" / "README.md"


def named() -> set[tuple[str, str]]:
    """Return (file below ``tests``, function) of every test that the page names."""
    found = re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE.read_text(encoding="utf-8"))
    return {(file if "/" in file else f"cases/{file}", name) for file, name in found}


def defined(file: Path) -> set[str]:
    """Return the tests in a file."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {node.name for node in functions if node.name.startswith("test_")}


def test_every_test_that_the_page_names_exists() -> None:
    """A renamed test would leave a line of the page without its proof."""
    assert named()
    for file, name in sorted(named()):
        assert name in defined(TESTS / file), f"{file}::{name}"


def test_every_case_is_on_the_page() -> None:
    """So that the page is the whole list; what is about the product's own hooks.yaml is no case."""
    files = [path for path in (TESTS / "cases").glob("test_*.py") if "pre_commit" not in path.name]
    cases = {(f"cases/{file.name}", name) for file in files for name in defined(file)}

    assert cases - named() == set()


def test_every_line_has_a_report_a_fault_and_a_test() -> None:
    """A line of another form would be read by nothing."""
    text = PAGE.read_text(encoding="utf-8").partition("\n## ")[2]
    lines = [line for line in text.split("\n") if line.startswith(("*", "|"))]
    assert len(lines) > 100
    for line in lines:
        assert re.fullmatch(r"\* \S.*?: \S.* → `[\w/]+\.py[\w:`, /.]*`", line), line
