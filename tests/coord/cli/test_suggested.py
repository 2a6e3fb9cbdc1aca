"""A server that a committed file suggests: told of, shown before it acts, and never more."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from harness.board import answer

if TYPE_CHECKING:
    from harness import Repo


@pytest.fixture
def url(etcd: str) -> str:
    """A prefix that nobody has used."""
    return f"{etcd}/{os.urandom(6).hex()}"


def suggest(repo: Repo, text: str) -> None:
    """Commit a suggestion."""
    repo.commit("Suggest a board", {".coord.toml": f"[board]\nstore = {text}\n"})


def test_it_is_told_of_and_acts_when_it_is_accepted(installed: Repo, url: str) -> None:
    """Not by an install, a repair or any other verb: who can push would send the board away."""
    suggest(installed, f'"{url}"')
    said = f"a server is suggested for the board and not accepted: {url}"
    assert installed.started("coord-install").code == 0
    assert said in installed.coord("wake", "--no-stagger").err
    assert said in installed.coord("doctor").out
    assert answer(installed, "store")["url"] is None

    done = installed.coord("store", "use", "--suggested")

    assert done.code == 0
    assert f".coord.toml suggests {url}, on 127.0.0.1:" in done.err
    assert "A Human <" in done.err or "of " in done.err.split("so says ")[1]
    assert "Suggest a board" in done.err
    assert answer(installed, "store")["url"] == url
    assert "suggested" not in installed.coord("wake", "--no-stagger").err


def test_what_no_commit_says_is_told_as_such(installed: Repo, url: str) -> None:
    """Whoever edits a file in a shared worktree is nobody that git knows."""
    installed.write(".coord.toml", f'[board]\nstore = "{url}"\n')
    assert "no commit yet" in installed.coord("store", "use", "--suggested").err


@pytest.mark.parametrize(
    "text",
    [
        '"../evil.git"',
        '"/tmp/board"',
        '"file:///tmp/board"',
        '"git+/tmp/board.git"',
        '"git+file:///tmp/board.git"',
        '"git+git://host/p"',
        '"git+http://host/p"',
        '"git+origin"',
        '"git+ext::sh -c id"',
        '"git+https://u:secret@host/p"',
        '"git+https://ghp_secret@host/p"',
        '"git+-oProxyCommand=x:p"',
        '"etcd://u:secret@host/p"',
        '"etcd://-oProxyCommand=x/p"',
        '"etcd://host/p\\u001b[2J\\u202e"',
        f'"etcd://host/{"x" * 5000}"',
    ],
)
def test_what_could_not_be_typed_cannot_be_suggested(installed: Repo, text: str) -> None:
    """Paths run a repository's hooks, secrets are seen by all; and a screen shows, not acts."""
    suggest(installed, text)
    done = installed.coord("store", "use", "--suggested")
    told = installed.coord("wake", "--no-stagger")

    assert done.code == 1
    assert "no-suggestion" in done.err
    assert "is none that can be" in told.err
    assert not installed.private("hooks/coord/store").exists()
    for said in (done.err, told.err):
        assert all(char == "\n" or char.isprintable() for char in said)
        assert len(said) < 2000
        assert "secret" not in said


@pytest.mark.parametrize("url", ["git+https://127.0.0.1:9/board", "git+ssh://127.0.0.1:9/board"])
def test_a_git_remote_is_shown_with_its_host_and_whose_commit_says_so(
    installed: Repo, url: str
) -> None:
    """Before anybody is asked there."""
    suggest(installed, f'"{url}"')

    done = installed.coord("store", "use", "--suggested")

    assert (done.code, done.out) == (3, "")
    assert f"suggests {url}, on 127.0.0.1:9 by {url[4:].partition(':')[0]}" in done.err
    assert "Suggest a board" in done.err
    assert not installed.private("hooks/coord/store").exists()


def test_nothing_suggested_is_said(installed: Repo) -> None:
    """Nor is there a guess."""
    done = installed.coord("store", "use", "--suggested")
    assert (done.code, "no server is suggested" in done.err) == (1, True)
    assert installed.coord("store", "use").code == 2
    assert "is suggested" not in installed.coord("doctor").out


def test_an_install_may_choose_the_board(repo: Repo, url: str) -> None:
    """As typed there, and checked before anything is installed."""
    wrong = repo.started("coord-install", "--board", "etcd://u:secret@host/p")
    assert wrong.code == 2
    assert not repo.private("hooks/coord").exists()
    assert repo.started("coord-install", "--board", url, "--dry-run").code == 0
    assert not repo.private("hooks/coord").exists()

    done = repo.started("coord-install", "--board", url)

    assert f"the board is at {url} from now on" in done.err
    assert answer(repo, "store")["url"] == url
