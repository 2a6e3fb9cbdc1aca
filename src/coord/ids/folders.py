"""One folder in many commits: three git children for any number of branches.

Each distinct tree is read once, whichever branches share it. git itself reads them, not libgit2:
loading that costs more than the children do, and it cannot open every repository.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from coord.history.door import Door

    Entries = list[tuple[bytes, bytes, bytes]]  # mode, name, id in bytes

_TREE, _FILE = b"40000", b"100"
# A raw tree is entries of ``MODE NAME NUL ID``, an id being 20 or 32 bytes, 40 or 64 digits.
_ENTRY = {
    2 * width: re.compile(rb"([0-7]+) ([^\0]+)\0(.{%d})" % width, re.DOTALL) for width in (20, 32)
}


def below(
    door: Door, commits: Sequence[str], folder: bytes, *, deep: bool
) -> dict[str, Mapping[bytes, str]]:
    """Return commit → {path: blob} of the regular files in `folder`.

    Commits without the folder are left out.

    Args:
        door: how objects are read.
        commits: anything that git takes for one; what it does not know is left out.
        folder: path from the top level, empty for that level itself.
        deep: whether files of subfolders count.

    Raises:
        GitError: git cannot read the repository.
    """
    tops = _tops(door, commits, folder)
    trees = _read(door, set(tops.values()), deep=deep)
    start = folder + b"/" if folder else b""
    files = {tree: _files(trees, tree, start) for tree in set(tops.values())}
    return {commit: files[tree] for commit, tree in tops.items()}


def _tops(door: Door, commits: Sequence[str], folder: bytes) -> dict[str, str]:
    """Return commit → id of the folder's tree."""
    asked = [commit.encode() + b":" + folder for commit in commits]
    feed = b"".join(request + b"\0" for request in asked)
    format_ = "--batch-check=%(objectname) %(objecttype)"
    answer = door.tell("cat-file", format_, "-z", stdin=feed).out if asked else b""
    found, at = {}, 0
    for commit, request in zip(commits, asked, strict=True):
        missing = request + b" missing\n"
        if answer.startswith(missing, at):  # the request may hold a newline
            at += len(missing)
            continue
        end = answer.index(b"\n", at)
        name, _, kind = answer[at:end].partition(b" ")
        if kind == b"tree":
            found[commit] = name.decode()
        at = end + 1
    return found


def _read(door: Door, wanted: set[str], *, deep: bool) -> dict[str, Entries]:
    """Return the entries of trees, and with `deep` of all below them, a level a child."""
    trees: dict[str, Entries] = {}
    while wanted:
        trees |= _batch(door, sorted(wanted))
        wanted = {
            tree.hex()
            for above in wanted
            for mode, _, tree in trees.get(above, ())
            if deep and mode == _TREE and tree.hex() not in trees
        }
    return trees


def _batch(door: Door, names: Iterable[str]) -> dict[str, Entries]:
    feed = "".join(f"{name}\n" for name in names).encode()
    answer = door.tell("cat-file", "--batch", stdin=feed).out
    trees, at = {}, 0
    while at < len(answer):
        end = answer.index(b"\n", at)
        name, _, rest = answer[at:end].partition(b" ")
        at = end + 1
        if rest.startswith(b"tree "):  # else it is missing, as in a partial clone
            size = int(rest[5:])
            # A loop over the entries of many big trees would take ten times as long.
            trees[name.decode()] = _ENTRY[len(name)].findall(answer, at, at + size)
            at += size + 1
    return trees


def _files(trees: Mapping[str, Entries], tree: str, start: bytes) -> dict[bytes, str]:
    entries = trees.get(tree, [])
    found = {start + name: blob.hex() for mode, name, blob in entries if mode.startswith(_FILE)}
    for mode, name, blob in entries:
        if mode == _TREE and blob.hex() in trees:
            found |= _files(trees, blob.hex(), start + name + b"/")
    return found
