"""``.coord.toml``: a fault is an error with its line; a key that nobody reads is kept aside."""

from __future__ import annotations

import time
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
        ('[identity]\n\nauthor = "me"\n', 3, "identity.author"),
        ("# author\n[identity]\nname = 3\n", 3, "identity.name"),
        ('[derived."a"]\ninputs = []\n', 1, 'derived."a"'),
        ('[derived."a"]\nregenerate = "m"\ninputs = "src"\n', 3, 'derived."a".inputs'),
        ('[derived."a"]\nregenerat = "m"\n', 1, 'derived."a"'),
        ('[log."a"]\nstart = "a\\nb"\n', 2, 'log."a".start'),
        ("[push]\nauthorship = true\n", 2, "push.authorship"),
        ("derived = 1\n", 1, "derived"),
        ("[moves]\nkinds = []\n", 2, "moves.kinds"),
        ('[moves]\nkinds = ["two words"]\n', 2, "moves.kinds"),
        ('[moves]\nledger = "../moves.tsv"\n', 2, "moves.ledger"),
        ('[moves]\nledger = "/moves.tsv"\n', 2, "moves.ledger"),
        ('[moves]\nledger = "a/../b"\n', 2, "moves.ledger"),
        ('[moves]\nledger = ""\n', 2, "moves.ledger"),
        ('[put-down]\nledger = ".git/config"\n', 2, "put-down.ledger"),
        ('[put-down]\nledger = "a\\nb"\n', 2, "put-down.ledger"),
        ('[wake]\nstagger = "5"\n', 2, "wake.stagger"),
        ("[lane.social]\n", 1, "lane.social"),
        ('[lane.social]\nevery = "daily"\n', 2, "lane.social.every"),
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


@pytest.mark.parametrize(
    ("text", "line", "at", "near"),
    [
        ("x = 1\n", 1, "", ""),
        ('[dervied."a"]\nregenerate = "m"\n', 1, "", "derived"),
        ("[Identity]\n", 1, "", "identity"),
        ('[identity]\nname = "a"\nAuthr = "keep"\n', 3, "identity", "author"),
        ('identity.authr = "keep"\n', 0, "identity", "author"),
        ('[derived."a"]\nregenerate = "m"\ninput = []\n', 3, 'derived."a"', "inputs"),
        ('[log."a"]\nstarts = "# "\n', 2, 'log."a"', "start"),
        ('[moves]\nkinds = ["new"]\nkind = ["new"]\n', 3, "moves", "kinds"),
        ('[lane.social]\nevery = "1d"\nwho = "x"\n', 3, "lane.social", ""),
        ('[id.HW]\nformt = "HW-{n}"\n', 2, "id.HW", "format"),
        ('[id."a b"]\nowner = "x"\n', 2, 'id."a b"', ""),
    ],
)
def test_a_key_that_nothing_reads_stops_nobody_and_is_kept(
    text: str, line: int, at: str, near: str
) -> None:
    """Of any level, with its line and the nearest key; the rest holds as if it were not there."""
    (found,) = config.parse(text.encode(), "/r/.coord.toml").unknown

    assert (found.line, found.at) == (line, at)
    assert ("did you mean" in found.told("f")) is bool(near)
    assert found.told("f").endswith(f"did you mean {near}?") is bool(near)


def test_unknown_keys_come_in_the_order_of_the_file() -> None:
    """Whichever section is read first."""
    text = b'[wake]\nz = 1\n[identity]\nname = "a"\ny = 1\n[other]\n[id.X]\nx = 1\n'
    read = config.parse(text, "x")

    assert [found.word for found in read.unknown] == ["z", "y", "other", "x"]
    assert read.identity.name == "a"


def test_an_unknown_key_is_told_on_one_line_with_all_there_is() -> None:
    """Also the section that another module reads is named; foreign text is escaped."""
    (found,) = config.parse(b'["a\\nb"]\n', ".coord.toml").unknown
    told = found.told(".coord.toml")

    assert told.startswith(".coord.toml: a\\x0ab is no key of git-coord ")
    assert "known here are: derived, log, lane, id, " in told


def test_what_is_no_table_under_a_section_of_others_is_theirs_to_refuse() -> None:
    """``[id]`` is read by the verbs that number things, and by no other."""
    assert config.parse(b'[id]\nHW = "x"\n', "x").unknown == ()
    assert config.parse(b"id = 7\n", "x").unknown == ()


@pytest.mark.parametrize("section", ["derived", "log"])
@pytest.mark.parametrize(
    "pattern", ["../../etc", "d/", "!x", ".git/config", ".coord.toml", "a\\tb"]
)
def test_what_track_refuses_as_a_pattern_is_invalid(section: str, pattern: str) -> None:
    """It would guard nothing, in silence."""
    text = f'[{section}."{pattern}"]\nregenerate = "x"\n'

    with pytest.raises(config.ConfigInvalid) as caught:
        config.parse(text.encode(), "x")

    assert caught.value.line == (1 if "\\" not in pattern else 0)


@pytest.mark.parametrize("kind", ["a directory", "a symbolic link", "a FIFO"])
def test_what_is_no_file_is_named_and_no_editor_is_offered(repo: Repo, kind: str) -> None:
    """On a FIFO it would hang."""
    make = {"a directory": "mkdir", "a symbolic link": "ln -s x", "a FIFO": "mkfifo"}
    repo.paste(f"{make[kind]} .coord.toml")

    done = repo.coord("regenerate")

    assert (done.code, done.refusal.rule) == (3, "config-invalid")
    assert done.refusal.headline.startswith("not a file that can be read")
    assert f"it is {kind}" in done.refusal.why
    assert repo.paste(done.refusal.run).code == 0


CAP = 64 * 1024
REFUSED = {
    "lanes, the last one invalid": r"lane\.last",
    "sections that nobody knows": "more than 8192",
}
FULL = {
    "keys that nobody knows": ("", "k{} = 1\n"),
    "such keys in one section": ("[push]\n", "k{} = 1\n"),
    "sections that nobody knows": ("", "[s{}]\n"),
    "such keys in many sections": ("", "[log.p{}]\nz = 1\n"),
    "lanes, the last one invalid": ("", "[lane.p{}]\nevery = '1d'\n"),
    "keys of many parts": ("", "a.a.a.a.a.a.a.a.a.a.a.b{} = 1\n"),
    "blank lines": ("", "\n"),
    "comments": ("", "#\n"),
}


@pytest.mark.parametrize("shape", FULL)
def test_a_declaration_at_its_cap_is_read_or_refused_at_once(shape: str) -> None:
    """Each key that nobody knows was looked for in the whole text: ten seconds of every verb."""
    head, unit = FULL[shape]
    units = (unit.format(number) for number in range(CAP // len(unit)))
    text = head + "".join(units)
    last = "[lane.last]\nevery = 'never'\n" if "invalid" in shape else ""
    text = text[: text.rindex("\n", 0, CAP - len(last)) + 1] + last

    started = time.process_time()
    if shape in REFUSED:
        with pytest.raises(config.ConfigInvalid, match=REFUSED[shape]):
            config.parse(text.encode(), "x")
    else:
        assert len(config.parse(text.encode(), "x").unknown) <= 10
    assert time.process_time() - started < 0.3  # 50 ms where nothing else runs (bench/bounds.py)
