"""``.coord.toml``: typos are errors with a line, never a guard switched off in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord import config

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

WHOLE = """\
[derived."schema.json"]
regenerate = "make schema"
inputs = ["src/*.proto"]

[log."NEWS.md"]
start = "## "

[identity]
author = "keep"

[push]
authorship = "refuse"

[lane.social]
every = "1d"
"""


def test_a_whole_declaration_is_read() -> None:
    """Every section lands in its record."""
    read = config.parse(WHOLE.encode(), "x")

    assert read.derived == (config.Derived("schema.json", "make schema", ("src/*.proto",)),)
    assert read.log == (config.Log("NEWS.md", "## "),)
    assert read.identity.author == "keep"
    assert read.authorship == "refuse"


def test_no_file_means_the_defaults(repo: Repo) -> None:
    """A repository declares nothing until it does."""
    assert config.load(str(repo.path)) == config.Config()
    assert config.load(None) == config.Config()


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("[identity]\nauthor = keep\n", 2, ""),
        ('[identity]\nauthor = "keep', 2, ""),
        ("x = 1\n", 1, "x"),
        ('[dervied."a"]\nregenerate = "m"\n', 1, "dervied"),
        ('[identity]\n\nauthor = "me"\n', 3, "identity.author"),
        ("# author\n[identity]\nname = 3\n", 3, "identity.name"),
        ('[derived."a"]\ninputs = []\n', 1, 'derived."a"'),
        ('[derived."a"]\nregenerate = "m"\ninputs = "src"\n', 3, 'derived."a".inputs'),
        ('[derived."a"]\nregenerat = "m"\n', 2, 'derived."a".regenerat'),
        ('[log."a"]\nstart = "a\\nb"\n', 2, 'log."a".start'),
        ("[push]\nauthorship = true\n", 2, "push.authorship"),
        ("derived = 1\n", 1, "derived"),
    ],
)
def test_a_fault_is_named_by_line_and_key(text: str, line: int, key: str) -> None:
    """Exit 3 with the place to mend."""
    with pytest.raises(config.ConfigInvalid) as caught:
        config.parse(text.encode(), "/r/.coord.toml")

    assert (caught.value.line, caught.value.key) == (line, key)
    assert caught.value.exit_code == 3
    assert f":{line}" in caught.value.where


def test_bytes_that_are_no_utf8_are_named_by_line() -> None:
    """Not a traceback."""
    with pytest.raises(config.ConfigInvalid) as caught:
        config.parse(b'[identity]\nname = "\xff"\n', "x")

    assert caught.value.line == 2


def test_a_symlink_is_not_followed(repo: Repo) -> None:
    """A committed symlink must not make us read what it leads to."""
    repo.write("elsewhere", WHOLE)
    (repo.path / ".coord.toml").symlink_to("elsewhere")

    with pytest.raises(config.ConfigInvalid):
        config.load(str(repo.path))


def test_a_section_of_another_module_is_read_with_the_rest_checked(tmp_path: Path) -> None:
    """Texts under known keys; a fault names its line, whoever finds it."""
    file = tmp_path / config.FILE
    file.write_text('[id.HW]\nformat = "HW-{n}"\n\n[id."a b"]\n')
    section = config.Section(str(tmp_path), "id")

    assert section.tables(("format",)) == {"HW": {"format": "HW-{n}"}, "a b": {"format": None}}
    assert section.invalid("a b", "format", "why").line == 4
    for text, line in (('[id.HW]\nx = "y"\n', 2), ("[id.HW]\nformat = 7\n", 2)):
        file.write_text(text)
        with pytest.raises(config.ConfigInvalid) as caught:
            config.Section(str(tmp_path), "id").tables(("format",))
        assert caught.value.line == line
    file.write_text("[nonsense]\n")
    with pytest.raises(config.ConfigInvalid):
        config.Section(str(tmp_path), "id")
    assert config.Section(None, "id").tables(("format",)) == {}
