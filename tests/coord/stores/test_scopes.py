"""Scopes: kinds, and the one way each is written."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.base.errors import Usage
from coord.stores import scopes


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("x", "task:x"),
        ("task:x", "task:x"),
        ("task:a:b", "task:a:b"),
        ("lane:social", "lane:social"),
        ("branch:refs/heads/a/b", "branch:a/b"),
        ("branch:a/b", "branch:a/b"),
        ("artifact:a/b.json", "artifact:a/b.json"),
        ("artifact:./a//b/../c.json", "artifact:a/c.json"),
        ("artifact:/top/a/b.json", "artifact:a/b.json"),
        ("..", "task:.."),
        ("a/../b", "task:a/../b"),
        ("cafe\u0301", "task:caf\u00e9"),
        ("a\nb", "task:a\nb"),
    ],
)
def test_a_scope_has_one_spelling(text: str, scope: str) -> None:
    """A bare name is a task; an artifact is relative to the top level and plain."""
    assert scopes.parse(text, "/top") == scope


@pytest.mark.parametrize("text", ["a:b", "Task:x", ":x", "http://x", "tasks:x"])
def test_an_unknown_kind_names_the_kinds(text: str) -> None:
    """Exit 2; a name with a colon is written task:a:b."""
    with pytest.raises(Usage) as caught:
        scopes.parse(text)

    assert all(kind in caught.value.why for kind in scopes.KINDS)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "text",
    ["", "task:", "artifact:", "artifact:.", "artifact:..", "artifact:../x", "artifact:a/../../x",
     "artifact:/elsewhere/x", "branch:refs/heads/", "x" * 5000,
     " ", "task:  ", "branch:..", "branch:a..b", "branch:a b", "branch:-x", "branch:a.lock/b",
     "branch:/a", "artifact:.git/config", "artifact:a/.GIT/x"],
)  # fmt: skip
def test_what_names_nothing_or_leaves_the_repository_is_no_scope(text: str) -> None:
    """Empty names, paths outside, and names no record should carry."""
    with pytest.raises(Usage, match="not a scope"):
        scopes.parse(text, "/top")


def test_four_thousand_characters_are_a_scope() -> None:
    """Long, but bounded."""
    assert scopes.parse("é" * 4000) == "task:" + "é" * 4000


def test_a_kind_in_capitals_is_told_in_small_letters() -> None:
    """It was meant so."""
    with pytest.raises(Usage) as caught:
        scopes.parse("Task:foo")

    assert caught.value.run == "git coord show task:foo"


@given(st.text(min_size=1, max_size=40).filter(lambda name: name.strip(" ")))
def test_a_canonical_scope_stays_as_it_is(name: str) -> None:
    """Parsing is idempotent: what is shown can be typed."""
    scope = scopes.parse(f"task:{name}")

    assert scopes.parse(scope) == scope


@pytest.mark.parametrize(
    ("scope", "screen"),
    [
        ("task:x", "task:x"),
        ("task:größe", "task:größe"),
        ("artifact:a/it's.json", "artifact:a/it's.json"),
        ("task:plain, said the board", "'task:plain, said the board'"),
        ("task:it's mine", "'task:it'\\''s mine'"),
        ("task:a\u00a0b", "'task:a\u00a0b'"),
        ("task:a\nrun: b", "'task:a\\x0arun: b'"),
        ("", "''"),
        ("task:" + "x" * 75, "task:" + "x" * 75),
        ("task:" + "x" * 76, "'task:" + "x" * 75 + "…'"),
    ],
)
def test_a_scope_with_blanks_is_quoted_and_a_long_one_cut(scope: str, screen: str) -> None:
    """A short word as it is; with blanks in quotes; a long one cut."""
    assert scopes.shown(scope) == screen


@given(st.text(max_size=200))
def test_any_scope_is_shown_as_one_bounded_word(scope: str) -> None:
    """One word on one line: bare, or one that a shell reads back as one."""
    screen = scopes.shown(scope)

    assert screen.splitlines() == [screen]
    assert len(screen) <= 4 * scopes.SHOWN + len("'…'")
    assert screen.split() == [screen] or len(shlex.split(screen)) == 1
