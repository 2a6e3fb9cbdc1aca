"""Fetch and push of the one ref, in a repository on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.base.failures import Absent, Unfit
from coord.remote import cache as caches
from harness.remotes import Bare, Cache

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("env")


def test_a_board_is_created_once_and_moved_by_who_knows_its_tip(bare: Bare, cache: Cache) -> None:
    """Of two that create it the second is told so; and of two on one tip."""
    first = cache.commit("1")
    second, other = cache.commit("2", first), cache.commit("other", first)

    assert cache.push("", first)
    assert not cache.push("", other)
    assert cache.push(first, second)
    assert not cache.push(first, other)

    assert bare.tip == second == cache.fetch()


def test_a_push_that_stands_already_is_accepted(bare: Bare, cache: Cache) -> None:
    """Who was not answered sends the same again."""
    first = cache.commit("1")

    assert cache.push("", first)
    assert cache.push("", first)

    assert bare.tip == first


def test_a_push_on_a_board_that_is_gone_is_none(bare: Bare, cache: Cache) -> None:
    """What was deleted is not made again by who has not looked."""
    first = cache.commit("1")

    assert not cache.push(first, cache.commit("2", first))

    assert not bare.tip


def test_a_board_that_was_set_back_is_fetched_as_it_is(bare: Bare, cache: Cache) -> None:
    """Whoever compares sees it; the one that was there stays where it is kept."""
    first = cache.commit("1")
    second = cache.commit("2", first)
    assert cache.push("", first)
    assert cache.push(first, second)
    assert cache.fetch() == second

    bare.move(first)

    assert cache.fetch() == first


def test_a_repository_of_the_other_algorithm_gets_a_cache_of_it(tmp_path: Path) -> None:
    """A board that is empty does not tell by what its repository names objects."""
    Bare(tmp_path / "bare", "--object-format=sha256")
    cache = Cache(tmp_path, str(tmp_path / "bare"))
    assert cache.fetch() == ""

    with pytest.raises(Absent):
        cache.push("", cache.commit("1"))
    first = cache.commit("1")

    assert len(first) == 64
    assert cache.push("", first)
    other = Cache(tmp_path / "other", str(tmp_path / "bare"))
    assert other.fetch() == first
    assert caches.algorithm(str(other.path)) == "sha256"


def test_a_repository_that_is_none_is_unfit(tmp_path: Path) -> None:
    """To ask it again helps nobody."""
    cache = Cache(tmp_path, str(tmp_path / "none"))

    with pytest.raises(Unfit):
        cache.fetch()


def test_no_hook_of_a_repository_on_this_machine_runs(
    bare: Bare, cache: Cache, tmp_path: Path
) -> None:
    """It would run as who pushes, whoever can write there."""
    for name in ("pre-receive", "update", "post-receive", "post-update", "reference-transaction"):
        bare.hook(name, f"touch {tmp_path}/ran-{name}; exit 1")

    assert cache.push("", cache.commit("1"))

    assert not [*tmp_path.glob("ran-*")]


def test_nothing_of_the_users_repository_is_touched(bare: Bare, cache: Cache) -> None:
    """No ref, no config, no log, no FETCH_HEAD; what hooks it has are its own."""
    for name in ("pre-push", "reference-transaction", "post-update"):
        script = cache.common / "hooks" / name
        script.write_text(f"#!/bin/sh\ntouch {cache.common}/ran\n")
        script.chmod(0o755)

    def files() -> dict[str, bytes]:
        found = [path for path in cache.common.rglob("*") if path.is_file()]
        mine = [path for path in found if "coord" not in path.relative_to(cache.common).parts]
        return {str(path): path.read_bytes() for path in mine}

    before = files()
    first = cache.commit("1")
    assert cache.push("", first)
    assert cache.fetch() == first

    assert files() == before
    assert bare.tip == first


def test_settings_of_the_users_other_pushes_are_none_of_this_one(
    bare: Bare, cache: Cache, home: Path
) -> None:
    """Tags go along, options that no server here takes, signatures: all by the user's config."""
    with (home / ".gitconfig").open("a") as file:
        file.write(
            "[push]\n\tfollowTags = true\n\tgpgSign = true\n\tpushOption = x\n"
            "\tnegotiate = true\n\trecurseSubmodules = check\n"
            "[fetch]\n\tprune = true\n\tpruneTags = true\n\twriteCommitGraph = true\n"
            "\tunpackLimit = 1\n\trecurseSubmodules = true\n"
            "[submodule]\n\trecurse = true\n[core]\n\thooksPath = /none\n"
            "[remote]\n\tpushDefault = other\n"
        )
    first = cache.commit("1")
    cache.tag("v1", first)

    assert cache.push("", first)
    assert cache.fetch() == first

    assert bare.refs == ["refs/coord/board"]
    assert not (cache.path / "FETCH_HEAD").exists()
