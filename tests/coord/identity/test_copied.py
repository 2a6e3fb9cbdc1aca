"""What another library has copied out of our included files is told from what a user wrote."""

from __future__ import annotations

import pytest

from coord.drivers.registered import DRIVERS
from coord.identity.copied import Copies

WORKER = frozenset(
    {("user.name", "w-1c31"), ("user.email", "me+w-1c31@x"), ("author.name", "w-1c31")}
)
COPIES = Copies(WORKER)
JOINED = "../worktrees/w/coord.config"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("user.email", "me+w-1c31@x"),
        ("author.name", "w-1c31"),
        ("coord.email", "me+{actor}@x"),
        ("merge.coord-log.driver", DRIVERS["coord-log"].command),
        ("alias.coord", '!: git coord -h; coord_home="$(git rev-parse)/hooks/coord"'),
        ("alias.coord", "!: git coord -h lists the verbs, git coord VERB --help explains one"),
        ("includeif.gitdir:worktrees/w.path", JOINED),
        ("includeif.gitdir:.git.path", "../coord.config"),
        ("includeif.gitdir:worktrees/*7.path", "identities-7"),
    ],
)
def test_what_stands_in_an_included_file_is_a_copy(key: str, value: str) -> None:
    """An alias that is copied without quotes ends, for git, at its first semicolon."""
    assert COPIES.holds(key, value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("user.email", "me@x"),
        ("user.name", "Ada"),
        ("committer.name", "w-1c31"),
        ("merge.mine.driver", "anything"),
        ("merge.coord-log.driver", "anything"),
        ("alias.coord", "!my-own-coord"),
        ("alias.co", "checkout"),
        ("includeif.gitdir:work/.path", "~/work.config"),
        ("includeif.gitdir:work/.path", "identities-of-mine"),
        ("include.path", "hooks/coord/config"),
    ],
)
def test_what_a_user_wrote_is_none(key: str, value: str) -> None:
    """Also under the same section, and what joins our files."""
    assert not COPIES.holds(key, value)


def test_copies_are_taken_out_and_the_rest_stays_byte_for_byte() -> None:
    """A section goes only where nothing else stands in it."""
    text = (
        b"; mine\n[core]\n\tbare = false\n[user]\n\tname = w-1c31\n\temail = me+w-1c31@x\n"
        b'\tname = Ada\n[Coord]\n\tname = "{actor}"\n\n[alias]\n\tx = y\n'
        b'\tcoord = !: git coord -h; \\"$coord_home/alias\\"\n[remote "x"]\n\turl = y'
    )

    assert COPIES.taken_out(text) == (
        b"; mine\n[core]\n\tbare = false\n[user]\n\tname = Ada\n\n[alias]\n\tx = y\n"
        b'[remote "x"]\n\turl = y'
    )
    assert COPIES.keys(text) == ["user.name", "user.email", "coord.name", "alias.coord"]


def test_a_name_without_an_address_was_set_by_a_person() -> None:
    """By ``git config user.name`` in a worktree, which writes the config that all share."""
    text = b"[user]\n\tname = w-1c31\n"

    assert COPIES.taken_out(text) == text
