"""The one writer of git config text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coord.base import gitconfig

if TYPE_CHECKING:
    from harness import Repo

TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=40)


@given(TEXTS)
def test_our_reader_gives_back_what_the_writer_wrote(text: str) -> None:
    """Quotes, backslashes, comment signs and spaces survive the round trip."""
    assert gitconfig.pairs(gitconfig.block("coord", None, [("name", text)]), "coord") == {
        "name": text
    }


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS, sub=TEXTS.filter(bool))
def test_git_reads_what_the_writer_wrote(repo: Repo, text: str, sub: str) -> None:
    """Git itself agrees about value and subsection."""
    file = repo.write("config", gitconfig.block("a", sub, [("key", text)]))

    assert repo.git("config", "-z", "-f", str(file), f"a.{sub}.key") == text + "\0"


@pytest.mark.parametrize(
    "hostile", ["a\nb", "a\0", "\x1b[0m", "a\rb", "\x7f", "x\n[alias]\n\ts = !id"]
)
def test_control_characters_never_reach_a_config_file(hostile: str) -> None:
    """A newline in a name once became a command at the next ``git status``."""
    with pytest.raises(gitconfig.Unwritable):
        gitconfig.value(hostile)
    with pytest.raises(gitconfig.Unwritable):
        gitconfig.header("includeIf", hostile)


def test_other_sections_and_foreign_lines_are_passed_over() -> None:
    """The reader takes our own format only."""
    text = (
        '[a]\n\tname = "no"\n[coord]\n  name = bare\n\tname = "yes"\n[coord "x"]\n\tname = "no"\n'
    )

    assert gitconfig.pairs(text, "coord") == {"name": "yes"}
