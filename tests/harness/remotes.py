"""A repository that keeps a board, as servers give it, and a clone's cache of it."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

from coord.remote import address, transport

if TYPE_CHECKING:
    from pathlib import Path

REF = transport.REF
_WHO = {
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.c",
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b.c",
}  # fmt: skip
_PLAIN = {"GIT_DEFAULT_HASH": "sha1", "GIT_DEFAULT_REF_FORMAT": "files"}  # not so in git 3.0


class Bare:
    """The repository, on this machine.

    Attributes:
        path: its folder.
    """

    def __init__(self, path: Path, *options: str) -> None:
        self.path = path
        argv = ["git", "init", "-q", "--bare", *options, str(path)]
        subprocess.run(argv, env={**os.environ, **_PLAIN}, check=True)

    @property
    def tip(self) -> str:
        """The commit that the board is at; empty for none."""
        return _git(self.path, "for-each-ref", "--format=%(objectname)", REF)

    @property
    def refs(self) -> list[str]:
        """The names of all its refs."""
        return _git(self.path, "for-each-ref", "--format=%(refname)").split()

    def move(self, tip: str) -> None:
        """Put the board there, whatever it was at."""
        _git(self.path, "update-ref", REF, tip)

    def hook(self, name: str, script: str) -> None:
        """Give it a hook."""
        file = self.path / "hooks" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def set(self, key: str, value: str) -> None:
        """Set a variable of its config."""
        _git(self.path, "config", key, value)


class Cache:
    """A clone's cache, in a common dir of its own, and what it asks of a URL."""

    def __init__(self, folder: Path, url: str) -> None:
        self.common = folder / "common.git"
        if not self.common.exists():
            folder.mkdir(exist_ok=True)
            Bare(self.common)
        self.path = self.common / "coord" / "board-0-1.git"
        self.where = address.parsed(f"git+{url}")

    def fetch(self, within: float = 20) -> str:
        """See :func:`coord.remote.transport.fetch`."""
        return transport.fetch(str(self.path), self.where, time.monotonic() + within)

    def push(self, old: str, new: str, within: float = 20) -> bool:
        """See :func:`coord.remote.transport.push`."""
        return transport.push(str(self.path), self.where, old, new, time.monotonic() + within)

    def write(self, data: bytes) -> str:
        """Put a blob into the cache."""
        return _git(self.path, "hash-object", "-w", "--stdin", stdin=data)

    def tag(self, name: str, commit: str) -> None:
        """Make an annotated tag in the cache."""
        _git(self.path, "tag", "-a", "-m", name, name, commit)

    def history(self, tip: str) -> list[str]:
        """Return the commits that the cache has up to a tip, newest first."""
        return _git(self.path, "rev-list", tip).split("\n")

    def commit(self, message: str, *parents: str, data: bytes = b"") -> str:
        """Make a commit in the cache, with a file if there is `data` for it."""
        tree = b""
        if data:
            tree = f"100644 blob {self.write(data)}\tfile\n".encode()
        above = [word for parent in parents for word in ("-p", parent)]
        found = _git(self.path, "mktree", stdin=tree)
        return _git(self.path, "commit-tree", "-m", message, *above, found)


def _git(folder: Path, *args: str, stdin: bytes = b"") -> str:
    argv = ["git", f"--git-dir={folder}", *args]
    env = {**os.environ, **_WHO}
    done = subprocess.run(argv, input=stdin, stdout=subprocess.PIPE, env=env, check=True)
    return done.stdout.decode().strip()
