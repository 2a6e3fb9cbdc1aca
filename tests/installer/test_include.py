"""The include.path lines in the repository's config, as text."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.installer import include

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

LINES = st.lists(
    st.sampled_from(
        [
            b"[core]",
            b"\tbare = false",
            b"[include]",
            b"\tpath = theirs",
            b"# [include]",
            b'[include "x"]',
            b"\r",
            b"",
            b"\xff\xfe",
        ]
    )
)
TEXTS = st.builds(lambda body, end: b"\n".join(body) + end, LINES, st.sampled_from([b"", b"\n"]))


@given(TEXTS)
def test_adding_and_removing_is_identity(old: bytes) -> None:
    """Whatever stands in the config, with or without a final newline."""
    new = include.added(old)

    assert new != old
    assert include.removed(new) == old


@given(TEXTS)
def test_adding_twice_adds_once(old: bytes) -> None:
    """A second install finds its own lines."""
    assert include.added(include.added(old)) == include.added(old)


def test_git_reads_both_files_from_a_config_without_a_final_newline(repo: Repo) -> None:
    """The text is a config to git too, and the last include wins."""
    config = repo.common("config")
    config.write_bytes(include.added(config.read_bytes().rstrip(b"\n")))
    (repo.common("hooks") / "coord").mkdir(parents=True)
    (repo.common("hooks") / "coord" / "config").write_text("[x]\n\ty = first\n")
    repo.common("coord").mkdir()
    (repo.common("coord") / "identities").write_text("[x]\n\ty = last\n")

    assert repo.git("config", "--get-all", "x.y") == "first\nlast"


@pytest.mark.parametrize(
    "change",
    [
        ("config", "--add", "include.path", "theirs"),
        ("config", "user.name", "Somebody"),
        ("config", "--add", "include.path", "coord/identities"),
    ],
    ids=lambda change: change[-2],
)
def test_our_lines_go_after_git_has_rewritten_the_config(
    repo: Repo, change: tuple[str, ...]
) -> None:
    """Git puts its own lines into or below our section; they stay, ours go."""
    config = repo.common("config")
    config.write_bytes(include.added(config.read_bytes()))
    repo.git(*change)

    config.write_bytes(include.removed(config.read_bytes()) or b"")

    assert repo.tried("config", "--get-all", "include.path").out == (
        "theirs\n" if change[-1] == "theirs" else ""
    )
    assert repo.tried("config", "--local", "user.name").out == (
        "Somebody\n" if change[-1] == "Somebody" else ""
    )
    assert b"hooks/coord" not in config.read_bytes()


def test_lines_that_a_tool_unquoted_are_still_ours(tmp_path: Path) -> None:
    """libgit2 and hand editing write the value without quotes."""
    file = tmp_path / "config"
    old = b"[core]\n\tbare = false\n"
    unquoted = include.added(old).replace(b'"', b"")
    file.write_bytes(unquoted)
    listed = subprocess.run(
        ["git", "config", "-f", file, "--get-all", "include.path"],
        capture_output=True,
        check=True,
    ).stdout

    assert listed == b"hooks/coord/config\ncoord/identities\n"
    assert include.added(unquoted) == unquoted
    assert include.removed(unquoted) == old


def test_half_of_our_lines_are_made_whole() -> None:
    """Somebody deleted one of the two: an install brings it back, at the end."""
    whole = include.added(b"[core]\n")
    half = whole.replace(b'\tpath = "coord/identities"\n', b"")

    assert include.added(half) == whole
