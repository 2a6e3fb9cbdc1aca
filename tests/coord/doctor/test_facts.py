"""Authors as git will write them, told from config where that is sure."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from coord.doctor import configured, facts
from coord.doctor.probes import Prober
from coord.repo import git
from coord.repo.worktree import Worktree

if TYPE_CHECKING:
    from collections.abc import Callable

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


def _said(repo: Repo) -> tuple[facts.View, configured.Listing, facts.Means]:
    """Return a worktree, what git reads there, and what it is asked by."""
    here = Worktree(str(repo.private()), str(repo.common()), str(repo.path))
    listing = configured.ask(here.cwd, git.elsewhere(repo.env))
    assert listing is not None
    prober = Prober(git.elsewhere(repo.env), "", "")
    means = facts.Means(here.common_dir, prober, installed=True, block=(), git=(2, 39))
    return facts.View(here, "side"), listing, means


def test_what_the_config_of_a_pinned_worktree_says_is_what_git_answers(side: Repo) -> None:
    """The author that is joined for it alone tells that git takes it for what it is."""
    view, listing, means = _said(side)

    assert facts._read(view, listing) == facts._asked(view, means)


@pytest.mark.parametrize(
    "differ",
    [
        lambda side: side.git("config", "core.hooksPath", "elsewhere"),
        lambda side: side.git("config", "core.worktree", "../../.."),
        lambda side: side.git("config", "core.bare", "true"),
        lambda side: side.private("coord.config").unlink(),
        lambda side: (side.path / ".git").rename(side.path / "git"),
    ],
    ids=["hooks", "files", "bare", "unpinned", "no link"],
)
def test_where_places_are_set_or_it_is_not_joined_git_is_asked(
    side: Repo, differ: Callable[[Repo], object]
) -> None:
    """A setting of one's own is in what git reads there, too."""
    view, _, _ = _said(side)
    side.git("config", "extensions.worktreeConfig", "true")
    differ(side)
    listing = configured.ask(view.folder, git.elsewhere(side.env))

    assert facts._read(view, listing) is None
