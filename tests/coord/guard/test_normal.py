"""Sides are ids that git holds, whatever bytes a driver was given."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from coord.guard.normal import Forms
from coord.repo import git
from harness.hooked import add_hooks

if TYPE_CHECKING:
    from harness import Repo


@pytest.fixture
def renormalized(repo: Repo) -> Repo:
    """Both branches regenerated s.json; main made it text, side still has CRLF."""
    add_hooks(repo)
    repo.commit("base", {"s.json": b"base\r\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", {"s.json": b"side\r\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("main", {".gitattributes": "s.json text\n", "s.json": b"main\n"})
    repo.git("config", "merge.renormalize", "true")
    return repo


def test_a_renormalized_refusal_is_settled_by_a_side_and_freed_by_an_abort(
    renormalized: Repo,
) -> None:
    """The commit says why; after an abort nothing is left that stops work."""
    renormalized.tried("merge", "side")
    renormalized.git("merge", "--abort")
    renormalized.commit("free", {"other": "1\n"})
    renormalized.tried("merge", "side")
    taken = renormalized.coord("resolve", "s.json", "--take", "theirs", "--reason", "newer")
    assert taken.code == 0, taken.err
    renormalized.git("commit", "-q", "--no-edit")

    assert "Coord-Resolved: s.json newer" in renormalized.git("log", "-1", "--format=%B")


def test_without_an_interpreter_a_renormalized_side_is_stopped_too(renormalized: Repo) -> None:
    """The record has what the driver was given; the index knows what git holds."""
    launch = renormalized.common("hooks/coord/launch")
    launch.write_text(re.sub("(?m)^coord_python=.*", "coord_python=/gone", launch.read_text()))
    renormalized.tried("merge", "side")
    theirs = renormalized.git("rev-parse", "side:s.json")
    renormalized.git("update-index", "--cacheinfo", f"100644,{theirs},s.json")

    done = renormalized.tried("commit", "-q", "--no-edit")

    assert done.code == 1
    assert done.refusal.rule == "refusal-pending"


def test_a_side_that_only_changed_its_line_ends_refuses_nothing(renormalized: Repo) -> None:
    """Git compares blobs before it normalises them: the driver is asked about one-sided edits."""
    renormalized.git("checkout", "-q", "-b", "ends", "side~1")
    renormalized.commit("ends", {".gitattributes": "s.json text\n", "s.json": b"base\n"})
    done = renormalized.tried("merge", "-q", "--no-edit", "side")

    assert (done.code, done.err) == (0, "")
    assert renormalized.read("s.json") == "side\n"


def test_blobs_are_the_same_but_for_what_a_filter_does(renormalized: Repo) -> None:
    """A path that git converts nothing of is compared by ids, and costs no child a blob."""
    renormalized.git("config", "filter.upper.clean", "tr a-z A-Z")
    renormalized.write(".gitattributes", "f filter=upper\n")
    raw, clean = (
        renormalized.git("hash-object", "-w", "--stdin", stdin=text) for text in ("abc\n", "ABC\n")
    )
    forms = Forms(str(renormalized.path), git.elsewhere(), ["f", "other"])

    assert forms.same("f", raw, clean)
    assert not forms.same("other", raw, clean)
