"""All that exists in the folders of some repositories, line by line, wherever git keeps it."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

#: What people and peers write in a git dir, beside refs and objects.
_WRITTEN = ("config", "config.worktree", "info/", "coord", "hooks/", "description", "worktrees/")
#: What we or git make there, and may take away or make anew.
_OURS = (
    "hooks/coord/",
    "coord-seen",
    "coord-refused",
    "coord-beats",
    "coord-sessions",
    "rebase-merge/",
    "reftable/",
)
_OF_GIT = ("index", "gitdir", "/logs/", "HEAD", "ORIG_HEAD", "_MSG", "AUTO_MERGE", ".lock", "_MODE")
_CONFIG = (
    "info/attributes",
    "config",
    "config.worktree",
    "identities",
    "coord.config",
    "coord-identity.toml",
)
_WORD = re.compile(r'[^\s"=\[\]]+')
_EVERY = ("rev-list", "--objects", "--all", "--reflog", "--indexed-objects", "--no-object-names")


def taken(folder: Path, env: Mapping[str, str]) -> dict[str, str]:
    """Return what there is below `folder` → one place where it stands.

    That is each line of a file, of a blob, of a commit or tag that git still reaches from any ref,
    reflog or index; each name of a ref and of a file.
    """
    found: dict[str, str] = {}
    for where, text in _texts(str(folder), env):
        for line in text.split(b"\n"):
            found.setdefault(line.strip().decode("utf-8", "replace"), where)
    return found


def lost(before: Mapping[str, str], after: Mapping[str, str], said: str) -> dict[str, str]:
    """Return what is gone, but for what was named in what was said: then a reader has seen it."""
    gone = {line: at for line, at in before.items() if line not in after and line not in said}
    return {line: at for line, at in gone.items() if not (_is_config(at) and _is_told(line, said))}


def _is_config(where: str) -> bool:
    return where.partition(": ")[0] == "state" and where.endswith(_CONFIG)


def _is_told(line: str, said: str) -> bool:
    """Tell whether each word of a setting was said: no message has the tabs of git's config."""
    return all(word in said.casefold() for word in _WORD.findall(line.casefold()))


def _texts(folder: str, env: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    for root, folders, files in os.walk(folder):
        if "HEAD" in files and "objects" in folders:
            folders[:] = []
            yield from _objects(root, env)
            yield from _state(root)
            continue
        for name in files:
            path = os.path.join(root, name)
            if name != ".git":
                where = os.path.relpath(path, folder)
                yield "a file", os.fsencode(where.partition("/")[2])
                yield where, _read(path)


def _objects(git_dir: str, env: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    def git(*args: str, feed: bytes = b"") -> bytes:
        words = ("git", f"--git-dir={git_dir}", *args)
        return subprocess.run(words, env=env, input=feed, capture_output=True, check=False).stdout

    yield "a ref", git("for-each-ref", "--format=%(refname)")
    form = "--batch=%(objecttype) %(objectsize) %(objectname)"
    out = git("cat-file", form, feed=git(*_EVERY))
    while out:
        head, _, out = out.partition(b"\n")
        kind, size, name = head.decode().split()
        text, out = out[: int(size)], out[int(size) + 1 :]
        if kind != "tree":
            yield f"{kind} {name[:8]}", text


def _state(git_dir: str) -> Iterator[tuple[str, bytes]]:
    for root, _, files in os.walk(git_dir):
        for name in files:
            path = os.path.join(root, name)
            inside = os.path.relpath(path, git_dir)
            made = any(part in inside for part in _OURS) or inside.endswith(_OF_GIT)
            if inside.startswith(_WRITTEN) and not made and "/logs/" not in inside:
                yield f"state: {inside}", _read(path)


def _read(path: str) -> bytes:
    """Return the content of a file; a symlink's is where it leads, a FIFO has none."""
    if os.path.islink(path):
        return os.fsencode(os.readlink(path))
    if not os.path.isfile(path):
        return b""
    with open(path, "rb") as file:
        return file.read()
