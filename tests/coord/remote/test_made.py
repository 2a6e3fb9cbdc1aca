"""A repository for a board is made whole, here and by ssh, and never over what is there."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from coord.remote import made
from coord.remote.address import parsed
from coord.remote.made import Made

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Repo

# What ssh does with a command line; the login is told to a file.
_SSH = """#!/bin/sh
while [ "$1" = -o ]; do shift 2; done
echo "$1" >"$0.login"
cd "$0.home" && shift && exec sh -c "$*"
"""


@pytest.fixture
def ssh(tmp_path: Path, env: dict[str, str]) -> Path:
    """A program in place of ssh, whose other side is a folder of this machine."""
    path = tmp_path / "ssh"
    path.write_text(_SSH)
    path.chmod(0o755)
    (tmp_path / "ssh.home").mkdir()
    env["GIT_SSH_COMMAND"] = str(path)
    return path


def config(repo: Repo, path: Path) -> dict[str, str]:
    """Return the settings of a repository."""
    lines = repo.git("--git-dir", str(path), "config", "--local", "--list").splitlines()
    return dict(line.partition("=")[::2] for line in lines)


def test_it_is_bare_synced_without_reflogs_and_hooks(repo: Repo, tmp_path: Path) -> None:
    """Whatever the user's templates and defaults are; what is there is left as it is."""
    path = tmp_path / "a b'c" / "board.git"
    (tmp_path / "templates" / "hooks").mkdir(parents=True)
    (tmp_path / "templates" / "hooks" / "pre-receive").write_text("#!/bin/sh\nexit 1\n")
    env = {**repo.env, "GIT_TEMPLATE_DIR": str(tmp_path / "templates")}
    env |= {"GIT_DEFAULT_HASH": "sha256", "GIT_DIR": str(repo.path / ".git")}
    where = parsed(f"git+{path}")

    assert made.create(where, "/", env) == Made(is_new=True)

    found = config(repo, path)
    assert (found["core.bare"], found["core.fsync"]) == ("true", "all")
    assert found["core.logallrefupdates"] == "false"
    assert not {"receive.denynonfastforwards", "extensions.objectformat"} & set(found)
    assert not (path / "hooks").exists()
    assert os.listdir(path.parent) == ["board.git"]
    before = sorted(path.rglob("*"))
    assert made.create(where, "/", env) == Made(is_new=False)
    assert sorted(path.rglob("*")) == before


def test_of_many_who_make_it_at_once_one_does_and_nothing_is_left_over(
    repo: Repo, tmp_path: Path
) -> None:
    """Those who come second find it."""
    where = parsed(f"git+{tmp_path}/at/board.git")

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: made.create(where, "/", repo.env), range(6)))

    assert not any(one.why for one in found)
    assert any(one.is_new for one in found)
    assert os.listdir(tmp_path / "at") == ["board.git"]
    assert not [name for name in os.listdir(tmp_path / "at" / "board.git") if "new" in name]


@pytest.mark.parametrize(
    ("text", "login", "path"),
    [
        ("git+me@host:boards/a.git", "me@host", "boards/a.git"),
        ("git+host:~/a b.git", "host", "a b.git"),
        ("git+ssh://me@host/~/a'b.git", "me@host", "a'b.git"),
        ("git+ssh://host:2222/{}/a.git", "ssh://host:2222", "ssh.home/a.git"),
    ],
)
def test_by_ssh_it_is_made_where_a_login_begins_or_by_its_whole_path(
    ssh: Path, repo: Repo, text: str, login: str, path: str
) -> None:
    """No prompt: git's own choice of ssh, in batch mode."""
    home = ssh.with_name("ssh.home")
    where = parsed(text.format(home))

    assert made.can(where)
    assert made.create(where, "/", repo.env) == Made(is_new=True)
    assert ssh.with_name("ssh.login").read_text() == f"{login}\n"
    there = home / path if "ssh.home" not in path else home.parent / path
    assert config(repo, there)["core.fsync"] == "all"


def test_a_host_that_makes_none_is_told_in_its_words(ssh: Path, env: dict[str, str]) -> None:
    """As hosted services answer a command that is not git's."""
    ssh.write_text("#!/bin/sh\nprintf 'Invalid command: \\033[31m%s\\n' sh >&2\nexit 128\n")

    found = made.create(parsed("git+git@host:team/board.git"), "/", env)

    assert not found.is_new
    assert found.why == "Invalid command: \\x1b[31msh"


@pytest.mark.parametrize(
    "text", ["git+https://h/p", "git+http://h/p", "git+git://h/p", "git+ssh://h/~other/p"]
)
def test_where_it_cannot_be_made_is_known_before(text: str) -> None:
    """Nobody is asked."""
    assert not made.can(parsed(text))
