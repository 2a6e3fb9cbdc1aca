"""Authors as git will write them, told from config where that is sure."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from coord.doctor import configured, facts
from coord.repo import git

if TYPE_CHECKING:
    from harness.repo import Repo

PLAIN = [
    {"user.name": "Ada", "user.email": "a@x"},
    {"user.name": "Ada Lovelace é", "user.email": "a@x", "author.email": "b@x"},
    {"user.name": "A", "user.email": "a@x", "author.name": "B", "committer.name": "C.D"},
    {"user.name": "A", "user.email": "a@x", "author.name": ""},
    {"user.name": 'a"b,c', "user.email": "a.b@x"},
]
OTHERS = [
    {"user.name": "Ada.", "user.email": "a@x"},
    {"user.name": " Ada", "user.email": "a@x"},
    {"user.name": "A<b>c", "user.email": "a@x"},
    {"user.name": "A\nb", "user.email": "a@x"},
    {"user.name": "'Ada'", "user.email": "a@x"},
    {"user.name": "...", "user.email": "a@x"},
    {"user.name": "Ada", "user.email": ""},
    {"user.name": "Ada", "user.email": "<a@x>"},
]


@pytest.mark.parametrize("values", [*PLAIN, *OTHERS])
def test_an_author_in_config_is_the_one_git_writes(repo: Repo, values: dict[str, str]) -> None:
    """Whatever git would change of it, git is asked for; what a command's config says is not it."""
    for key, text in values.items():
        repo.git("config", key, text)
    extra = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "X"}
    listing = configured.ask(str(repo.path), {**git.elsewhere(os.environ), **extra})
    assert listing is not None

    found = facts._configured(listing)

    assert bool(found) is (values in PLAIN)
    assert not found or found == facts._idents(str(repo.path))
