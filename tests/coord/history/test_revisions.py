"""Which commits are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.base.errors import Usage
from coord.history import revisions
from coord.history.door import Door
from harness import Repo

if TYPE_CHECKING:
    from pathlib import Path


def default(repo: Repo) -> revisions.Range:
    """Return the default range, which every test here has."""
    found = revisions.default(Door(str(repo.path)))
    assert found is not None
    return found


def test_without_another_branch_everything_is_meant(repo: Repo) -> None:
    """There is nothing to compare with."""
    head = repo.git("rev-parse", "HEAD")

    assert default(repo) == revisions.Range((head,), (), "")


def test_a_branch_is_compared_with_the_local_trunk(repo: Repo) -> None:
    """Which is what it will be merged into."""
    start = repo.git("rev-parse", "HEAD")
    repo.git("checkout", "-q", "-b", "side")
    made = repo.commit("side")

    assert default(repo) == revisions.Range((made,), (start,), "")


def test_the_remotes_default_branch_outranks_the_local_trunk(repo: Repo, tmp_path: Path) -> None:
    """A clone on a branch without upstream, and the trunk itself."""
    repo.git("clone", "-q", str(repo.path), str(tmp_path / "clone"))
    clone = repo.at(tmp_path / "clone")
    start = clone.git("rev-parse", "HEAD")
    clone.git("checkout", "-q", "-b", "side")
    made = clone.commit("side")
    clone.git("branch", "-q", "-f", "main", "side")
    assert default(clone).hidden == (start,)
    clone.git("checkout", "-q", "main")
    clone.git("branch", "-q", "--unset-upstream")

    assert default(clone) == revisions.Range((made,), (start,), "")


def test_the_upstream_outranks_all(repo: Repo) -> None:
    """What it has is published."""
    repo.git("checkout", "-q", "-b", "side")
    first = repo.commit("first")
    repo.git("branch", "-q", "pushed")
    repo.git("branch", "-q", "--set-upstream-to", "pushed")
    second = repo.commit("second")

    assert default(repo) == revisions.Range((second,), (first,), "")


def test_an_unborn_branch_has_none(tmp_path: Path, env: dict[str, str]) -> None:
    """Nothing to judge."""
    unborn = Repo.init(tmp_path / "unborn", env)

    assert revisions.default(Door(str(unborn.path))) is None


def test_ranges_are_gits(repo: Repo) -> None:
    """Two dots, three dots, one revision, tags peeled."""
    start = repo.git("rev-parse", "HEAD")
    main = repo.commit("main")
    repo.git("checkout", "-q", "-b", "side", start)
    side = repo.commit("side")
    repo.git("tag", "-a", "-m", "v1", "v1")
    door = Door(str(repo.path))

    assert revisions.resolve(door, "main..side") == revisions.Range((side,), (main,), "main..side")
    assert revisions.resolve(door, "main..").tips == (side,)
    assert revisions.resolve(door, "main...v1").tips == (main, side)
    assert revisions.resolve(door, "main...v1").hidden == (start,)
    assert revisions.resolve(door, "v1") == revisions.Range((side,), (), "v1")


@pytest.mark.parametrize("words", ["nobody", "main..nobody", "nobody..main", "", "--all", "README"])
def test_what_is_no_range_is_wrong_usage(repo: Repo, words: str) -> None:
    """Exit 2, git's own words for a range in the answer."""
    with pytest.raises(Usage) as caught:
        revisions.resolve(Door(str(repo.path)), words)

    assert caught.value.rule == "range-unknown"
    assert repo.paste(caught.value.run).code == 0
