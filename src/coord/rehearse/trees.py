"""Raw trees: which declarations differ between two of them, and one with a file replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Level = Mapping[bytes, bytes]
    Reader = Callable[[Sequence[str]], Mapping[str, Level]]
    Writer = Callable[[str, bytes], str]

_FOLDER, _FILES = b"40000", (b"100644", b"100755", b"100664")  # the last one is of old gits
# Git reads the first in every folder, the drivers and git's submodules the others at the top.
_EVERYWHERE = b".gitattributes"
_AT_TOP = (_EVERYWHERE, b".coord.toml", b".gitmodules")
NAMES = _AT_TOP  # how the path of a declaration ends


class Entry(NamedTuple):
    """One entry of a tree: its mode and object."""

    mode: bytes
    id: str


def entries(data: bytes, digits: int) -> dict[bytes, bytes]:
    """Return {``MODE NAME``: raw id} of a raw tree, in its order; an id has `digits` hex digits."""
    found: dict[bytes, bytes] = {}
    at, width = 0, digits // 2
    while at < len(data):  # MODE SP NAME NUL ID
        nul = data.index(b"\0", at)
        end = nul + 1 + width
        found[data[at:nul]] = data[nul + 1 : end]
        at = end
    return found


def is_declaration(path: bytes) -> bool:
    """Tell whether git, or a driver, reads `path` before it merges; false where it leads out."""
    folder, slash, name = path.rpartition(b"/")
    if name not in _AT_TOP:
        return False
    inside = all(part not in {b"", b".", b".."} for part in folder.split(b"/"))
    return not slash or (name == _EVERYWHERE and inside)


def is_file(mode: bytes) -> bool:
    """Tell whether an entry is a regular file: nobody reads declarations through a symlink."""
    return mode in _FILES


def declarations(read: Reader, old: str, new: str) -> Iterator[tuple[bytes, str | None]]:
    """Yield (path, blob) of each declaration that differs in tree `new`; blob None: it is gone.

    Only the folders that differ are read.
    """
    left: list[tuple[bytes, str | None, str | None]] = [(b"", old, new)]
    while left:  # all folders of a depth at once: a question to git costs more than its answer
        levels = read([tree for _, *sides in left for tree in sides if tree])
        below = []
        for folder, one, other in left:
            for name, (was, now) in _changes(
                levels.get(one or "", {}), levels.get(other or "", {})
            ):
                if is_declaration(folder + name):
                    yield folder + name, now.id if now and is_file(now.mode) else None
                if _is_folder(was) or _is_folder(now):
                    below.append((folder + name + b"/", _folder_id(was), _folder_id(now)))
        left = below


def replaced(read: Reader, write: Writer, tree: str, path: bytes, entry: Entry) -> str:
    """Return the tree in which `path`, a file of `tree`, is `entry`."""
    way: list[tuple[Level, bytes]] = []
    at = tree
    for name in path.split(b"/"):
        level = read([at])[at]
        head = next(head for head in level if head.partition(b" ")[2] == name)
        way.append((level, head))
        at = level[head].hex()
    for level, known in reversed(way):
        fresh = b"%s %s\0" % (entry.mode, known.partition(b" ")[2]) + bytes.fromhex(entry.id)
        lines = (fresh if head == known else head + b"\0" + raw for head, raw in level.items())
        entry = Entry(_FOLDER, write("tree", b"".join(lines)))
    return entry.id


def _changes(
    before: Level, after: Level
) -> Iterable[tuple[bytes, tuple[Entry | None, Entry | None]]]:
    """Return (name, (entry before, entry after)) of what differs between two levels."""
    met: dict[bytes, tuple[Entry | None, Entry | None]] = {}
    for head, raw in before.items() ^ after.items():
        mode, _, name = head.partition(b" ")
        entry = Entry(mode, raw.hex())
        one, other = met.get(name, (None, None))
        met[name] = (one, entry) if after.get(head) == raw else (entry, other)
    return met.items()


def _is_folder(entry: Entry | None) -> bool:
    return entry is not None and entry.mode == _FOLDER


def _folder_id(entry: Entry | None) -> str | None:
    return entry.id if entry is not None and entry.mode == _FOLDER else None
