"""Names at the edge: actors, slugs, and foreign text shown and quoted."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coord.base.names import ACTOR_LIMIT, answers_to, is_actor, quote, shown, slug
from harness.grounds import git_version

if TYPE_CHECKING:
    from harness import Repo

ACTORS = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,99}", fullmatch=True)


@pytest.mark.parametrize(
    "name", ["a", "claude-nucleate-hopper-a71f", "0", "x_y.z", "a-", "n" * ACTOR_LIMIT]
)
def test_git_gives_every_accepted_actor_back_unchanged(repo: Repo, name: str) -> None:
    """An actor is accepted only if git keeps it as the author's name."""
    assert is_actor(name)

    ident = repo.with_env(GIT_AUTHOR_NAME=name).git("var", "GIT_AUTHOR_IDENT")

    assert ident.rpartition(" <")[0] == name


@pytest.mark.parametrize(
    "name", ["", "A", "-a", ".a", "a.", "a b", "é", "a/b", "a\n", "n" * (ACTOR_LIMIT + 1), "a;"]
)
def test_names_git_or_a_file_system_would_change_are_refused(name: str) -> None:
    """Upper case, final dots, spaces, separators and overlong names are no actors."""
    assert not is_actor(name)


def test_git_strips_a_final_dot(repo: Repo) -> None:
    """The git fact behind refusing a final dot, before git 2.56."""
    ident = repo.with_env(GIT_AUTHOR_NAME="a.").git("var", "GIT_AUTHOR_IDENT")

    assert ident.startswith("a <" if git_version(repo) < (2, 56) else "a. <")


@given(st.text())
def test_a_slug_is_empty_or_an_actor_with_room_for_its_suffix(text: str) -> None:
    """Whatever a branch is called, its slug plus ``-a71f`` is an actor."""
    handle = slug(text)

    assert handle == "" or is_actor(f"{handle}-a71f")


@given(ACTORS)
def test_a_valid_actor_made_of_plain_letters_survives_its_slug(name: str) -> None:
    """Slugs change nothing that needs no change, except at the ends and in length."""
    plain = "".join(char for char in name if char.isalnum())[:90]

    assert slug(plain) == plain


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("hopper-a71f", True),
        ("hopper", True),
        ("hop", False),
        ("hopper-a7", False),
        ("hopper-A71F", False),
        ("hopper-a71f-a71f", False),
    ],
)
def test_a_handle_answers_for_its_suffixed_actor(asked: str, *, answer: bool) -> None:
    """``h`` names the pin ``h-xxxx``; anything shorter or longer does not."""
    assert answers_to("hopper-a71f", asked) is answer


@given(st.text())
def test_shown_text_has_no_control_left(text: str) -> None:
    """Nothing that moves the cursor, colours or reorders reaches a terminal."""
    assert all(
        char.isprintable() or (char.isspace() and char >= " ") or ord(char) > 0x9F
        for char in shown(text)
    )
    assert "\n" not in shown(text)
    assert "\x1b" not in shown(text)
    assert "\u202e" not in shown(text)


def test_shown_escapes_name_the_byte() -> None:
    """A reader can tell which byte it was."""
    assert shown("a\x1b[31m\u202e" + os.fsdecode(b"\xff")) == "a\\x1b[31m\\u202e\\xff"


@given(st.binary(min_size=0, max_size=30).filter(lambda raw: b"\0" not in raw))
@example(b"-\x01")
def test_a_quoted_word_comes_back_from_the_shell(raw: bytes) -> None:
    """Any bytes (no NUL, no final newline) pass through ``sh`` as one word, on one line."""
    word = os.fsdecode(raw.rstrip(b"\n"))

    done = subprocess.run(
        ["sh", "-c", f"printf '%s|' {quote(word)}"], capture_output=True, check=True
    )

    assert done.stdout == os.fsencode(word) + b"|"
    assert "\n" not in quote(word)


def test_a_path_that_ends_in_a_newline_is_found_by_its_quoted_form(repo: Repo) -> None:
    """A substitution strips final newlines, so the quoted form globs for the file."""
    repo.write("end\n", "x")

    assert repo.paste(f"cat {quote(chr(101) + 'nd' + chr(10))}").out == "x"
