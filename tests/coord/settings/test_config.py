"""``.coord.toml``: typos are errors with a line, never a guard switched off in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.settings import config

if TYPE_CHECKING:
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

[moves]
kinds = ["fix", "new"]
ledger = "log/moves.tsv"

[put-down]
ledger = "log/put-down.tsv"

[wake]
stagger = "2m"

[lane.social]
every = "1d"
about = "answer"

[lane."code review"]
every = "12h"
"""


def test_a_whole_declaration_is_read() -> None:
    """Every section lands in its record."""
    read = config.parse(WHOLE.encode(), "x")

    assert read.derived == (config.Derived("schema.json", "make schema", ("src/*.proto",)),)
    assert read.log == (config.Log("NEWS.md", "## "),)
    assert read.identity.author == "keep"
    assert read.authorship == "refuse"
    assert read.fleet == config.Fleet(
        ("fix", "new"),
        "log/moves.tsv",
        "log/put-down.tsv",
        120.0,
        (config.Lane("social", 86400.0, "answer"), config.Lane("code review", 43200.0)),
    )


def test_no_stagger_at_all_can_be_declared() -> None:
    """A harness may have its own."""
    assert config.parse(b'[wake]\nstagger = "0s"\n', "x").fleet.stagger == 0.0


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
        ("[moves]\nkinds = []\n", 2, "moves.kinds"),
        ('[moves]\nkinds = ["two words"]\n', 2, "moves.kinds"),
        ('[moves]\nkind = ["new"]\n', 2, "moves.kind"),
        ('[moves]\nledger = "../moves.tsv"\n', 2, "moves.ledger"),
        ('[moves]\nledger = "/moves.tsv"\n', 2, "moves.ledger"),
        ('[moves]\nledger = "a/../b"\n', 2, "moves.ledger"),
        ('[moves]\nledger = ""\n', 2, "moves.ledger"),
        ('[put-down]\nledger = ".git/config"\n', 2, "put-down.ledger"),
        ('[put-down]\nledger = "a\\nb"\n', 2, "put-down.ledger"),
        ('[wake]\nstagger = "5"\n', 2, "wake.stagger"),
        ("[lane.social]\n", 1, "lane.social"),
        ('[lane.social]\nevery = "daily"\n', 2, "lane.social.every"),
        ('[lane.social]\nevery = "1d"\nwho = "x"\n', 3, "lane.social.who"),
        ('[lane."two words"]\nabout = "x"\n', 1, 'lane."two words"'),
        ('[lane]\nsocial = "1d"\n', 2, 'lane."social"'),
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


def test_every_section_there_is_is_named() -> None:
    """Also the one that another module reads."""
    with pytest.raises(config.ConfigInvalid) as caught:
        config.parse(b"[ids]\n", ".coord.toml")

    assert caught.value.why.partition(": ")[2].split(", ")[:4] == ["derived", "log", "lane", "id"]
