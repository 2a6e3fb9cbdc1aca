"""The documents agree with the commands."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
REFERENCE = ROOT / "docs" / "reference.md"
PAGES = sorted(
    {*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "tests/cases").glob("*.md")}
    - {REFERENCE}
)


def test_the_reference_is_what_the_commands_say() -> None:
    """docs/reference.md is regenerated with every change of an option."""
    module = runpy.run_path(str(ROOT / "docs" / "reference.py"))

    assert REFERENCE.read_text(encoding="utf-8") == module["text"]()


def test_no_help_shows_the_mark_of_lines_that_are_to_stay() -> None:
    """In a raw docstring it is two letters, and the lines are one paragraph."""
    module = runpy.run_path(str(ROOT / "docs" / "reference.py"))
    told = [context.command.help or "" for _, context in module["commands"](module["main"], "x")]

    assert len(told) > 40
    assert [text for text in told if r"\b" in text] == []


def test_the_manual_page_lists_the_verbs_and_is_what_man_understands() -> None:
    """``git help coord`` shows it wherever ``git-coord`` is on PATH."""
    module = runpy.run_path(str(ROOT / "docs" / "reference.py"))
    page = module["manual"]()

    assert (ROOT / "docs" / "git-coord.1").read_text(encoding="utf-8") == page
    assert page.count("\n.TP\n") == sum(map(len, module["GROUPS"].values()))
    assert not [line for line in page.splitlines() if line.startswith("'") or "@" in line]


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_every_command_in_the_documents_exists(page: Path) -> None:
    """No page names a verb or a long option that its command does not have."""
    reference = REFERENCE.read_text(encoding="utf-8")
    blocks = re.findall(r"^(?:git coord|coord-install)\b.*\n(?:  .*\n)+", reference, re.MULTILINE)
    sections = {re.split(r" (?=[^a-z])|\n", told)[0]: told for told in blocks}
    sections["git coord completion"] = ""
    code = "\n".join(
        re.findall(r"```.*?```|`[^`\n]+`", page.read_text(encoding="utf-8"), re.DOTALL)
    )

    for line in re.findall(r"(?:git coord|coord-install)\b[^\n`#|;&]*", code):
        words = [word.rstrip('".,:;)') for word in line.split()]
        name = next(
            (" ".join(words[:n]) for n in (4, 3, 2, 1) if " ".join(words[:n]) in sections), None
        )
        assert name is not None, line
        if name == "git coord":
            assert len(words) == 2 or words[2].startswith(("-", "help", "VERB", "…")), line
        for option in re.findall(r"(?<=\s)--[a-z-]+", line.split(" -- ")[0]):
            assert option in sections[name] or option in {"--help", "--json", "--version"}, line


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_every_link_between_the_documents_leads_somewhere(page: Path) -> None:
    """Relative links name files that are tracked."""
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
