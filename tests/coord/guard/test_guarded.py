"""Which paths are guarded: what counts is the merge attribute git itself reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coord.guard import guarded
from coord.repo import worktree
from coord.settings.config import Config, Derived

if TYPE_CHECKING:
    from harness import Repo


def test_the_effective_merge_attribute_decides(repo: Repo) -> None:
    """A later line that gives the path another driver unguards it."""
    repo.write(
        ".gitattributes",
        "[attr]coord-derived merge=coord-derived\n*.json coord-derived\npackage.json merge=npm\n",
    )
    place = worktree.discover(str(repo.path))

    assert guarded.kinds(place, ["a.json", "package.json", "x"]) == {"a.json": "derived"}


def test_rules_are_matched_by_git_and_the_last_match_wins(repo: Repo) -> None:
    """Patterns of .coord.toml mean what they mean in .gitattributes."""
    rules = [Derived("*.json", "a"), Derived("/web/*.json", "b"), Derived("my file", "c")]
    place = worktree.discover(str(repo.path))

    found = guarded.derived_rules(
        place, Config(derived=tuple(rules)), ["x/a.json", "web/a.json", "my file", "no"]
    )

    assert {path: rule.regenerate for path, rule in found.items()} == {
        "x/a.json": "a",
        "web/a.json": "b",
        "my file": "c",
    }


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(st.sampled_from("ab \"#\\é'\t!-"), min_size=1, max_size=8))
def test_a_quoted_pattern_means_the_file_of_that_name(repo: Repo, name: str) -> None:
    """Spaces, quotes, comment signs and tabs need C quoting; the pattern then matches itself."""
    escaped = name.replace("\\", "\\\\")
    place = worktree.discover(str(repo.path))

    found = guarded.derived_rules(place, Config(derived=(Derived(f"/{escaped}", "x"),)), [name])

    assert list(found) == [name]


@pytest.mark.parametrize("path", ["-x", "a\nb", "é", ' "q" '])
def test_any_path_can_be_asked_about(repo: Repo, path: str) -> None:
    """NUL-separated both ways: no path is mistaken for an option or two lines."""
    repo.write(".gitattributes", "* merge=coord-log\n")

    assert guarded.kinds(worktree.discover(str(repo.path)), [path]) == {path: "log"}
