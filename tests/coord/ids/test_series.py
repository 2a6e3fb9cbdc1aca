"""A series of numbered files: which files take a number of it, and which it belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.ids import series
from coord.ids.claim import Claim
from coord.ids.format import Format
from coord.repo import worktree
from coord.stores import keys
from coord.stores.directory import Directory

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

ADR = series.Series("adr", Format("", 4, "-x"), ".md")
MINE = Claim("", "", "ada", "", "n0", "2026-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("path", "number"),
    [
        (b"adr/0007-x.md", 7),
        (b"ADR/7-X.md", 7),
        (b"adr/0007-x", 7),
        (b"adr/0007-x.toml", 7),
        (b"adr/0007-y.md", None),
        (b"adr/sub/0007-x.md", None),
        (b"other/0007-x.md", None),
        (b"adr/\xff-x.md", None),
    ],
)
def test_a_file_takes_its_number_whatever_case_and_suffix(path: bytes, number: int | None) -> None:
    """Only in its own folder."""
    assert set(ADR.numbers([path])) == ({number} if number else set())


@pytest.mark.parametrize(
    ("path", "after"),
    [
        ("coordination/ids/HW/HW-0007.toml", "coordination/ids/HW/HW-0008.toml"),
        ("coordination/ids/HW/0007.toml", "coordination/ids/HW/0008.toml"),
        ("coordination/ids/HW/HW-0007.md", "coordination/ids/HW/HW-0008.md"),
        ("coordination/ids/DR/d7.toml", "coordination/ids/DR/d8.toml"),
        ("7", "8"),
        ("claim", "claim-2"),
        (".claim", ".claim-2"),
    ],
)
def test_a_path_is_numbered_on_as_declared_or_as_it_looks(
    repo: Repo, path: str, after: str
) -> None:
    """Also where its folder has a format that it does not follow."""
    repo.write(".coord.toml", '[id.dr]\nformat = "d{n}"\n')
    repo.commit("claim", {path: "ada\n"})
    board = Directory(str(repo.common("coord/board")))
    found = series.of_path(str(repo.path), path)
    new = series.take(board, worktree.discover(str(repo.path)), found, MINE)

    assert found.path(new) == after


def test_two_series_do_not_share_numbers_and_one_never_gives_one_twice(
    repo: Repo, tmp_path: Path
) -> None:
    """Though no file is ever written."""
    board = Directory(str(tmp_path / "board"))
    place = worktree.discover(str(repo.path))
    names = ("HW", "DR", "hw", "HW")
    taken = [
        series.take(board, place, series.of_namespace(place.top, name), MINE._replace(nonce=str(n)))
        for n, name in enumerate(names)
    ]

    assert taken == ["HW-0001", "DR-0001", "hw-0002", "HW-0003"]
    reserved = series.reserved(board, series.of_namespace(place.top, "HW"))
    assert [(one.number, one.actor) for one in reserved] == [(1, "ada"), (2, "ada"), (3, "ada")]


def test_a_number_that_no_series_reaches_is_not_counted_on(repo: Repo) -> None:
    """Whoever can write a file on the board would end the series with it."""
    board = Directory(str(repo.common("coord/board")))
    place = worktree.discover(str(repo.path))
    found = series.of_namespace(place.top, "HW")
    board.create(f"{keys.series(found.name)}/{10**11}", b"x")
    board.create(f"{keys.series(found.name)}/litter", b"x")

    made = [series.take(board, place, found, MINE._replace(nonce=nonce)) for nonce in "ab"]

    assert made == ["HW-0001", "HW-0002"]


@pytest.mark.parametrize(
    ("path", "is_taken"),
    [
        (b"coordination/ids/HW/HW-0007.toml", True),
        (b"coordination/ids/hw/hw-0007.TXT", True),
        (b"coordination/ids/HW/HW-0007", True),
        (b"coordination/ids/HW/HW-0070.toml", False),
        (b"coordination/ids/OTHER/HW-0007.toml", False),
        (b"coordination/ids/HW/HW-\xef\xbc\x97.toml", False),
    ],
)
def test_a_name_takes_the_place_that_a_file_system_or_a_person_gives_it(
    path: bytes, is_taken: bool
) -> None:
    """Whatever case and suffix it has; only names with the digits are folded to be compared."""
    assert series._is_taken(b"coordination/ids/HW/HW-0007.toml", 7, [b"x", path]) is is_taken
