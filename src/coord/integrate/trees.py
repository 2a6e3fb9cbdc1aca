"""Raw trees: which declarations differ between two of them, and one with a file replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDER, _FILES = b"40000", (b"100644", b"100755", b"100664")  # the last one is of old gits
# Git reads the first in every folder, the drivers and git's submodules the others at the top.
_EVERYWHERE = b".gitattributes"
_AT_TOP = (_EVERYWHERE, b".coord.toml", b".gitmodules")


class Store(Protocol):
    """Where trees are read and written."""

    def read(self, name: str) -> bytes:
        """Return the bytes of an object."""

    def write(self, kind: str, data: bytes, like: str) -> str:
        """Store an object and return its id."""


class Entry(NamedTuple):
    """One entry of a tree: its mode and object."""

    mode: bytes
    id: str


def entries(data: bytes, digits: int) -> dict[bytes, Entry]:
    """Return {name: entry} of a raw tree, in its order; its ids have `digits` hex digits."""
    found: dict[bytes, Entry] = {}
    at, width = 0, digits // 2
    while at < len(data):  # MODE SP NAME NUL ID
        nul = data.index(b"\0", at)
        mode, _, name = data[at:nul].partition(b" ")
        at = nul + 1 + width
        found[name] = Entry(mode, data[nul + 1 : at].hex())
    return found


def is_declaration(path: bytes) -> bool:
    """Tell whether git, or a driver, reads `path` before it merges; false where it leads out."""
    folder, _, name = path.rpartition(b"/")
    if not folder:
        return name in _AT_TOP
    inside = all(part not in {b"", b".", b".."} for part in folder.split(b"/"))
    return name == _EVERYWHERE and inside


def is_file(mode: bytes) -> bool:
    """Tell whether an entry is a regular file: nobody reads declarations through a symlink."""
    return mode in _FILES


def declarations(store: Store, old: str, new: str) -> Iterator[tuple[bytes, str | None]]:
    """Yield (path, blob) of each declaration that differs in tree `new`; blob None: it is gone.

    Only the folders that differ are read.
    """
    left: list[tuple[bytes, str | None, str | None]] = [(b"", old, new)]
    while left:  # no recursion: a path may be deeper than Python's stack
        folder, *sides = left.pop()
        before, after = (entries(store.read(tree), len(new)) if tree else {} for tree in sides)
        for name in before.keys() | after.keys():
            one, other = before.get(name), after.get(name)
            if one == other:
                continue
            if is_declaration(folder + name):
                yield folder + name, other.id if other and is_file(other.mode) else None
            if _is_folder(one) or _is_folder(other):
                left.append((folder + name + b"/", _folder_id(one), _folder_id(other)))


def replaced(store: Store, tree: str, path: bytes, entry: Entry) -> str:
    """Return the tree in which `path`, a file of `tree`, is `entry`."""
    way: list[tuple[dict[bytes, Entry], bytes]] = []
    at = tree
    for name in path.split(b"/"):
        level = entries(store.read(at), len(tree))
        way.append((level, name))
        at = level[name].id
    for level, name in reversed(way):
        level[name] = entry
        data = b"".join(
            b"%s %s\0" % (mode, known) + bytes.fromhex(blob)
            for known, (mode, blob) in level.items()
        )
        entry = Entry(_FOLDER, store.write("tree", data, tree))
    return entry.id


def _is_folder(entry: Entry | None) -> bool:
    return entry is not None and entry.mode == _FOLDER


def _folder_id(entry: Entry | None) -> str | None:
    return entry.id if entry is not None and entry.mode == _FOLDER else None
