"""``git+NAME``: where a push to that remote would go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from coord.remote import named
from coord.remote.address import parsed

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo


def test_a_remote_is_where_git_pushes_to(repo: Repo) -> None:
    """``pushurl`` before ``url``, and ``pushInsteadOf`` rewrites that."""
    repo.git("remote", "add", "origin", "https://host/code.git")
    assert named.resolved("git+origin", str(repo.path)) == "git+https://host/code.git"

    repo.git("config", "url.git@host:.pushInsteadOf", "https://host/")
    assert named.resolved("git+origin", str(repo.path)) == "git+git@host:code.git"

    repo.git("config", "remote.origin.pushurl", "ssh://other/code")
    assert named.resolved("git+origin", str(repo.path)) == "git+ssh://other/code"


@pytest.mark.parametrize("text", ["git+https://h/p", "git+h:p", "git+/p", "etcd://h/p", "local"])
def test_what_is_no_name_stays_as_it_is(repo: Repo, text: str) -> None:
    """No child of git's is asked."""
    assert named.resolved(text, str(repo.path)) == text


def test_a_name_that_no_remote_has_is_refused(repo: Repo) -> None:
    """``git+board`` is no folder either: those are named by their whole path."""
    with pytest.raises(ValueError, match="no remote"):
        named.resolved("git+board", str(repo.path))


def test_the_remote_that_pushes_to_a_repository_is_found(repo: Repo, tmp_path: Path) -> None:
    """By any of its push URLs, by whatever protocol; a folder by whatever way leads there."""
    cwd = str(repo.path)
    assert not named.naming(parsed("git+https://host/code.git"), cwd)
    repo.git("remote", "add", "far", "https://host/else.git")
    repo.git("remote", "add", "origin", "https://host/code.git")
    repo.git("remote", "add", "here", f"{tmp_path}/code.git")
    repo.git("config", "--add", "remote.far.pushurl", "https://host/1")
    repo.git("config", "--add", "remote.far.pushurl", "https://host/2")
    (tmp_path / "code.git").mkdir()
    (tmp_path / "way").symlink_to(tmp_path / "code.git")

    for text, name in (
        ("git+https://host/code.git", "origin"), ("git+git@HOST:code", "origin"),
        ("git+ssh://me@host/code/", "origin"), ("git+https://host/2", "far"),
        (f"git+file://{tmp_path}/way", "here"), ("git+https://host/code-board.git", ""),
        ("git+https://other/code.git", ""), ("git+https://host/else.git", ""),
    ):  # fmt: skip
        assert named.naming(parsed(text), cwd) == name, text


def test_where_git_is_led_by_a_url_is_where_it_comes_to(repo: Repo, tmp_path: Path) -> None:
    """A path leads to no server, and a server's name to no path: git is let go by neither."""
    where = parsed("git+https://host/board.git")
    assert named.led(where, str(repo.path)) == where

    repo.git("config", "url.ssh://me@other/.insteadOf", "https://host/")
    assert named.led(where, str(repo.path)) == parsed("git+ssh://me@other/board.git")

    for elsewhere in (f"{tmp_path}/", "ext::sh -c true ", "https://me:pw@host/"):
        repo.git("config", f"url.{elsewhere}.insteadOf", "https://host/board")
        assert named.led(where, str(repo.path)) is None
        repo.git("config", "--remove-section", f"url.{elsewhere}")
