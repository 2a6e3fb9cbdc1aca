"""Texts that are longer than a record keeps: the help that is printed is that of the very verb."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.refusal import refusals

if TYPE_CHECKING:
    from harness import Repo

LONG = "x" * 2001


@pytest.mark.parametrize(
    "words",
    [
        ("claim", "x", "--intent", LONG),
        ("announce", "--intent", LONG),
        ("pause", "--reason", LONG),
        ("put-down", "x", "--reason", "weak", "--note", LONG),
        ("ship", "new", LONG),
        ("send", "help", "ada", LONG),
        ("handoff", "ada", "--note", LONG),
        ("take-over", "x", "--reason", LONG),
    ],
    ids=lambda words: words[0],
)
def test_a_text_that_is_too_long_leads_to_the_help_of_its_verb(
    installed: Repo, words: tuple[str, ...]
) -> None:
    """``git coord -h`` says nothing of its options."""
    assert installed.coord("pin", "--self").code == 0

    (refusal,) = refusals(installed.coord(*words).err)

    assert (refusal.rule, refusal.run) == ("too-long", f"git coord {words[0]} -h")
