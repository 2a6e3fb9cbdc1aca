"""Paths as they are typed, and conflict markers as git leaves them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coord.repo.worktree import Worktree
from coord.settle.index import Spot, marker_line, matching

if TYPE_CHECKING:
    from pathlib import Path

PLACE = Worktree("/r/.git", "/r/.git", "/r")


@pytest.mark.parametrize(
    ("cwd", "word", "found"),
    [
        ("/r", "a", ["a"]),
        ("/r", "./a//b", ["a/b"]),
        ("/r/sub", "a", ["sub/a", "a"]),
        ("/r/sub", "../a", ["a"]),
        ("/r/sub", "sub/a", ["sub/sub/a", "sub/a"]),
        ("/r/sub", ".", ["sub", "."]),
        ("/r/sub", "../../a", []),
        ("/r/sub", "/r/a", ["a"]),
        ("/r/sub", "/elsewhere/a", []),
    ],
)
def test_a_word_is_relative_to_the_folder_then_to_the_top(
    cwd: str, word: str, found: list[str]
) -> None:
    """And never to anything outside the worktree."""
    assert Spot(PLACE, "/r", cwd).spellings(word) == found


@given(
    st.lists(st.sampled_from(["a", "-b", "c d", "é"]), min_size=1),
    st.sampled_from(["/r", "/r/a", "/r/x/y"]),
)
def test_a_printed_path_means_itself_where_it_is_printed(parts: list[str], cwd: str) -> None:
    """What a run line names is what the verb finds first."""
    import shlex  # noqa: PLC0415  # reads a printed word as a shell does

    spot, path = Spot(PLACE, "/r", cwd), "/".join(parts)

    (word,) = shlex.split(spot.typed(path))

    assert spot.spellings(word)[0] == path
    assert not word.startswith("-")


def test_a_folder_matches_what_is_below_it() -> None:
    """Not what merely begins alike; the top level matches all."""
    paths = ["a/b", "a/c/d", "ab", "a"]

    assert matching("a", paths) == ["a/b", "a/c/d", "a"]
    assert matching(".", paths) == paths
    assert matching("c", paths) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n", 2),
        ("<<<<<<< ours\n||||||| base\n=======\n>>>>>>> theirs\n", 1),
        ("title\n=======\n", 0),
        ("<<<<<<< only an opening\n", 0),
        ("", 0),
    ],
)
def test_a_conflict_is_an_opening_a_middle_and_an_end(tmp_path: Path, text: str, line: int) -> None:
    """One such line alone is content, as in a text about git."""
    file = tmp_path / "f"
    file.write_text(text)

    assert marker_line(str(file)) == line


def test_what_is_no_file_has_no_markers(tmp_path: Path) -> None:
    """Folders, links to nowhere, nothing."""
    (tmp_path / "link").symlink_to("nowhere")

    assert [marker_line(str(tmp_path / name)) for name in ("", "link", "none")] == [0, 0, 0]
