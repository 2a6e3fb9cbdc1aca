"""The private bare repository: whose it is, how it is made, and made anew."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from coord.base.failures import Failure
from coord.remote import cache as caches
from harness.remotes import Cache

if TYPE_CHECKING:
    from pathlib import Path

    from harness.remotes import Bare

pytestmark = pytest.mark.usefixtures("env")


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def _objects(cache: Cache) -> list[Path]:
    return [path for path in (cache.path / "objects").rglob("*") if path.is_file()]


def test_it_is_its_owners_alone_and_git_leaves_it_alone(cache: Cache, home: Path) -> None:
    """Whatever the user's own settings say of repositories that they make."""
    shutil.rmtree(cache.path)
    (home / "template" / "hooks").mkdir(parents=True)
    (home / "template" / "hooks" / "post-update").touch()
    with (home / ".gitconfig").open("a") as file:
        file.write(
            f"[init]\n\ttemplateDir = {home}/template\n\tdefaultRefFormat = reftable\n"
            "[core]\n\tsharedRepository = all\n\tlogAllRefUpdates = always\n"
        )

    assert cache.fetch() == ""

    assert _mode(cache.path) == 0o700
    assert not (cache.path / "hooks").exists()
    assert cache.push("", cache.commit("1"))
    assert cache.fetch()
    assert not (cache.path / "logs").exists()


def test_ten_that_make_it_at_once_have_one(cache: Cache) -> None:
    """What one of them keeps in it, no other takes away."""
    shutil.rmtree(cache.path)
    script = (
        "import os, sys; from coord.remote import cache; cache.ensure(sys.argv[1]); "
        "open(os.path.join(sys.argv[1], str(os.getpid())), 'x').close()"
    )
    argv = [sys.executable, "-c", script, str(cache.path)]
    makers = [subprocess.Popen(argv) for _ in range(10)]

    assert [maker.wait() for maker in makers] == [0] * 10

    assert {str(maker.pid) for maker in makers} <= {path.name for path in cache.path.iterdir()}
    assert not [path for path in cache.path.parent.iterdir() if ".tmp-" in path.name]


@pytest.mark.parametrize("foreign", ["file", "link", "open", "empty"])
def test_what_is_no_private_repository_in_its_place_goes(
    cache: Cache, tmp_path: Path, foreign: str
) -> None:
    """Somebody else may have put anything there that git would run."""
    other = tmp_path / "other"
    shutil.move(cache.path, other)
    if foreign == "file":
        cache.path.touch()
    elif foreign == "link":
        cache.path.symlink_to(other)
    else:
        cache.path.mkdir(mode=0o777 if foreign == "open" else 0o700)
        cache.path.chmod(0o777 if foreign == "open" else 0o700)
        (cache.path / "mine").touch()

    assert cache.fetch() == ""

    assert _mode(cache.path) == 0o700
    assert (cache.path / "HEAD").is_file()
    assert (cache.path / "mine").exists() == (foreign == "empty")
    assert other.exists()


def test_one_that_is_torn_is_made_anew_by_the_next_fetch(bare: Bare, cache: Cache) -> None:
    """A disk that was full, or a power cut; what else is kept in it stays."""
    first = cache.commit("1", data=b"1")
    assert cache.push("", first)
    assert cache.fetch() == first
    (cache.path / "queue").touch()
    for path in _objects(cache):
        path.chmod(0o600)
        path.write_bytes(b"")
    bare.move(_more(bare, cache, first))

    assert cache.fetch() == bare.tip != first

    assert caches.is_sound(str(cache.path))
    assert (cache.path / "queue").exists()


def _more(bare: Bare, cache: Cache, old: str) -> str:
    """Return a commit on `old` in the repository, which the cache does not have."""
    other = Cache(cache.common.parent / "other", str(bare.path))
    assert other.fetch() == old
    new = other.commit("2", old, data=b"2")
    assert other.push(old, new)
    return new


def test_one_that_is_sound_stays_where_the_server_is_torn(bare: Bare, cache: Cache) -> None:
    """Both say the same of it; what was known would be lost."""
    first = cache.commit("1", data=b"1")
    assert cache.push("", first)
    assert cache.fetch() == first
    before = _objects(cache)
    bare.move(_more(bare, cache, first))
    for path in (bare.path / "objects").rglob("*"):
        if path.is_file():
            path.chmod(0o600)
            path.write_bytes(b"")

    with pytest.raises(Failure):
        cache.fetch()

    assert _objects(cache) == before


def test_locks_of_a_fetch_that_was_killed_stand_in_nobodys_way(bare: Bare, cache: Cache) -> None:
    """One process at a time fetches, and says so with a lock that dies with it."""
    assert cache.push("", cache.commit("1"))
    for name in (caches.TIP, "shallow"):
        path = cache.path / f"{name}.lock"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    assert cache.fetch() == bare.tip


def test_the_first_fetch_brings_what_stands_and_nothing_of_what_stood(
    bare: Bare, cache: Cache
) -> None:
    """A board may be years old; those after it bring what was new since, in order."""
    tip = ""
    for number in range(3):
        new = cache.commit(str(number), *filter(None, [tip]))
        assert cache.push(tip, new)
        tip = new
    late = Cache(cache.common.parent / "late", str(bare.path))

    assert late.fetch() == tip
    assert late.history(tip) == [tip]
    new = cache.commit("new", tip)
    newest = cache.commit("newest", new)
    assert cache.push(tip, new)
    assert cache.push(new, newest)

    assert late.fetch() == newest
    assert late.history(newest) == [newest, new, tip]
    mine = late.commit("mine", newest)
    assert late.push(newest, mine)
    assert bare.tip == mine


def test_a_board_that_began_here_is_whole_here(bare: Bare, cache: Cache) -> None:
    """That what we know to have stood led to what stands is seen by what is between."""
    first = cache.commit("1")
    assert cache.push("", first)
    bare.move(_more(bare, cache, first))

    assert cache.history(cache.fetch()) == [bare.tip, first]


def test_small_pieces_are_packed_before_they_are_many(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git leaves it alone; each commit leaves some files, and a lost race what nobody has."""
    first = cache.commit("1")
    fresh, old = cache.write(b"for a commit that is not made yet"), cache.write(b"of a lost race")
    os.utime(cache.path / "objects" / old[:2] / old[2:], (0, 0))
    assert cache.push("", first)
    assert cache.fetch() == first
    assert not _packs(cache)
    monkeypatch.setattr(caches, "_SAMPLE", old[:2])
    monkeypatch.setattr(caches, "_LOOSE", 0)

    assert cache.fetch() == first
    assert len(_packs(cache)) == 1
    assert {path.name for path in _loose(cache)} == {fresh[2:], old[2:]}

    monkeypatch.setattr(caches, "_PACKS", 0)
    assert cache.fetch() == first
    assert len(_loose(cache)) == 2  # not so soon again
    monkeypatch.setattr(caches, "_SOON", 0)
    assert cache.fetch() == first

    assert len(_packs(cache)) == 1
    assert {path.name for path in _loose(cache)} == {fresh[2:]}
    assert caches.is_sound(str(cache.path))


def _loose(cache: Cache) -> list[Path]:
    return [path for path in _objects(cache) if path.parent.name not in {"pack", "info"}]


def _packs(cache: Cache) -> list[Path]:
    return [path for path in _objects(cache) if path.suffix == ".pack"]
