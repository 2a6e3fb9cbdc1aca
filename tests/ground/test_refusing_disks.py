"""File systems that refuse what ext4 does: links, and the sync of a folder; played by strace."""

from __future__ import annotations

import os
import re
from itertools import product
from typing import TYPE_CHECKING

import pytest

from harness.board import scope
from harness.kills import ROUNDS

if TYPE_CHECKING:
    from pathlib import Path

    from harness.repo import Done, Repo

# Each writes records, pins, identifiers or ledgers, and each can be given again.
WRITES = (
    "git coord claim x",
    "git coord announce --intent again",
    "git coord send help $OTHER again",
    "git coord pause",
    "git coord resume",
    "git coord run w -- true",
    "git coord id next adr",
    "git coord put-down later --reason weak",
    "git coord ship new again",
    "git coord worktree add ../more -b more && git worktree remove ../more && git branch -D more",
    "git coord claim x z && git coord release x z",
    "git coord sign-off",
    "git coord pin --replace",
)
# What of it syncs folders, in those that are there already.
SYNCED = (
    "git coord claim x && git coord release x",
    "git coord send help $OTHER again",
    "rm -rf coordination && git coord put-down later --reason weak",
    "rm -rf coordination && git coord id next adr",
    "git coord pin --replace",
)
_SIGNS = ("coord-seen", "coord-sessions", "clock", "/board/tmp", "index", "/logs/")


def refusing(tree: Repo, line: str, call: str, error: str, *only: str) -> Done:
    """Run a shell line where a system call fails with `error`, of the paths `only` if given."""
    paths = [word for path in only for word in ("-P", path)]
    inject = ("-e", f"trace={call}", "-e", f"inject={call}:error={error}")
    return tree.run(
        "strace", "-f", "--seccomp-bpf", "-qqq", "-o", os.devnull, *paths, *inject, "sh", "-c", line
    )


def synced(tree: Repo, line: str) -> list[str]:
    """Return the folders that a shell line syncs."""
    log = tree.path.parent / "strace.log"
    tree.run(
        "strace",
        "-f",
        "--seccomp-bpf",
        "-y",
        "-qqq",
        "-o",
        str(log),
        "-e",
        "trace=fsync",
        "sh",
        "-c",
        line,
    )
    return sorted({path for path in re.findall(r"<(.*)>", log.read_text()) if os.path.isdir(path)})


def standing(tree: Repo) -> dict[str, bytes]:
    """Return all files, but signs of life and what git keeps for itself."""
    return {
        str(file): file.read_bytes()
        for file in tree.path.parent.rglob("*")
        if file.is_file() and not any(sign in f"{file}" for sign in _SIGNS)
    }


@pytest.fixture
def tree(installed: Repo, tmp_path: Path) -> Repo:
    """A worktree among two, on a board that is there already."""
    one, two = (installed.worktree(tmp_path / name, name) for name in "ab")
    for worker in (one, two):
        worker.coord("claim", "old")
    return one.with_env(OTHER=two.coord("whoami").out.split()[0])


def test_without_links_everything_is_written_all_the_same(tree: Repo) -> None:
    """orbstack#1424, docker/for-mac#5036, bun#36853, pex#852; COORD_KILL_ROUNDS tries each pair."""
    errors = ("EPERM", "EINVAL", "EIO", "EACCES", "EXDEV")
    pairs = product(WRITES, errors) if ROUNDS > 1 else zip(WRITES, errors * 3, strict=False)
    for line, error in pairs:
        done = refusing(tree, line, "link,linkat", error)
        assert done.code == 0, (line, error, done)
    assert scope(tree, "task:old")["holder"]["actor"] == tree.env["OTHER"]


def test_a_folder_that_cannot_be_synced_hides_nothing_that_was_done(tree: Repo) -> None:
    """libgit2#5356, rocksdb#2929, syncthing#4432, WSL#2557: "nothing was changed", and it was.

    Where the system cannot, it is passed over; where the disk fails, the answer is what stands.
    """
    said = set()
    for line in SYNCED:
        folders = synced(tree, line)
        assert folders, line
        cannot = refusing(tree, line, "fsync", "EINVAL", *folders)
        assert cannot.code == 0, (line, cannot)
        before = standing(tree)
        fails = refusing(tree, line, "fsync", "EIO", *folders)
        assert standing(tree) != before, line
        said.add((fails.code, "the record stands, but the disk does not say" in fails.err))
        assert "nothing was changed" not in fails.err, line
    assert said == {(0, False), (3, True)}
