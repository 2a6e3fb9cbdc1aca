"""``<common git dir>/coord/identities``: the includeIf lines that join each worktree's own author.

For each line git resolves its git dir anew, some times a command: 15 µs. So a file holds a few;
more of them go into files below, ``identities-7`` for worktrees whose names end in a 7, and below
that ``identities-37``, each joined by a line whose pattern fits those names alone.

Hot path, as ``coord.identity.pin``: no import beyond ``os``.
"""

from __future__ import annotations

import os

from coord.base import gitconfig, peerfile, publish, sharing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

AUTHOR = "coord.config"  # in the private git dir
_NAME = "identities"
_MOST = 1024 * 1024  # bytes
ROOM = 16  # lines of a file, before files below tell them apart
_DEEPEST = 4  # files below each other: git follows ten includes
_TOLD_APART = frozenset("-.0123456789_abcdefghijklmnopqrstuvwxyz")
_LINKED = '[includeIf "gitdir:worktrees/'


def join(git_dir: str, common_dir: str) -> None:
    """Add this worktree's includeIf entry and drop those of removed worktrees beside it.

    The caller holds the lock, so a rewrite loses no entry.
    """
    _join(common_dir, "", entry_for(git_dir, common_dir))


def regroup(common_dir: str) -> None:
    """Lay out all entries as they would be now: an earlier version, or many worktrees, left others.

    The caller holds the lock. A file that nothing joins any more stays for a git that is reading.
    """
    _lay(common_dir, "", list(joined(common_dir)))


def joined(common_dir: str) -> dict[str, None]:
    """Return the entries that git reads, in its order, of worktrees that there are."""
    found: dict[str, None] = {}
    ends = [""]
    for end in ends:
        entries = _entries(checked(_text(common_dir, end), common_dir, _name(end)))
        found |= dict.fromkeys(entry for entry in entries if not _door_to(entry))
        ends += filter(None, map(_door_to, entries))
    return found


def foreign(git_dir: str, common_dir: str) -> list[str]:
    """Return what this worktree reads that joins nobody's author, as it begins.

    :func:`join` takes it out.

    Raises:
        OSError: a file may not be read.
    """
    return [
        entry.partition("\n")[0]
        for entries in _read(git_dir, common_dir)
        for entry in entries
        if not entry.endswith(f'/{AUTHOR}"\n') and not _door_to(entry)
    ]


def files(common_dir: str) -> list[str]:
    """Return the names of these files in ``coord``, whether anything joins them or not."""
    try:
        names = sorted(os.listdir(os.path.join(common_dir, "coord")))
    except OSError:
        names = []
    return [_NAME, *(name for name in names if is_below(name))]


def is_below(name: str) -> bool:
    """Tell whether a path that ``identities`` includes is that of a file below."""
    return _end(name) != ""


def checked(text: str, common_dir: str, name: str = _NAME) -> str:
    """Return what of a file is ours: one entry a worktree that there is, as we write it.

    Every git command of everybody obeys this file, and it lies where a sandbox may let others
    write: an alias or core.fsmonitor in here would run in the next ``git status``.
    """
    end = _end(name)
    kept = (
        entry
        for entry in _entries(text)
        if _is_next(_door_to(entry), end) or is_own(entry, common_dir)
    )
    return "".join(dict.fromkeys(kept))


def entry_for(git_dir: str, common_dir: str) -> str:
    """Return the includeIf section that makes git read a worktree's ``coord.config`` there.

    No ``./`` and no trailing slash: git then matches ``**/worktrees/NAME``, which holds after the
    repository moved, and which libgit2 agrees with.
    """
    if os.path.realpath(git_dir) == os.path.realpath(common_dir):
        # The main worktree: only its own git dir ends in the basename of the common dir.
        name = os.path.basename(os.path.realpath(common_dir))
        return gitconfig.block("includeIf", f"gitdir:{name}", [("path", f"../{AUTHOR}")])
    name = os.path.basename(git_dir)
    target = f"../worktrees/{name}/{AUTHOR}"
    return gitconfig.block("includeIf", f"gitdir:worktrees/{name}", [("path", target)])


def is_own(entry: str, common_dir: str) -> bool:
    """Tell whether an entry is what :func:`entry_for` writes for a worktree that there is."""
    path = gitconfig.pairs("[at]\n" + entry.partition("\n")[2], "at").get("path", "")
    git_dir = os.path.normpath(os.path.join(common_dir, "coord", os.path.dirname(path)))
    try:
        return os.path.isdir(git_dir) and entry == entry_for(git_dir, common_dir)
    except ValueError:  # a NUL, a control character
        return False


def _join(common_dir: str, end: str, mine: str) -> None:
    old = _text(common_dir, end)
    entries = _entries(checked(old, common_dir, _name(end)))
    below = _below(mine, end)
    if below and any(map(_door_to, entries)):
        _join(common_dir, below, mine)
        mine = _door(below)
    _lay(common_dir, end, entries if mine in entries else [*entries, mine], old)


def _lay(common_dir: str, end: str, entries: list[str], old: str | None = None) -> None:
    """Write a file; what there is no room for goes into files below, before it names them."""
    if len(entries) > ROOM and not any(map(_door_to, entries)):
        told_apart: dict[str, list[str]] = {}
        for entry in entries:
            told_apart.setdefault(_below(entry, end), []).append(entry)
        entries = told_apart.pop("", [])
        for below, those in told_apart.items():
            _lay(common_dir, below, those)
            entries.append(_door(below))
    new = "".join(entries)
    if new != (_text(common_dir, end) if old is None else old):
        share = sharing.as_config(common_dir)
        publish.replace(_path(common_dir, end), new.encode(errors="surrogateescape"), share=share)


def _read(git_dir: str, common_dir: str) -> Iterator[list[str]]:
    """Yield the entries of each file that a worktree reads."""
    mine, end = entry_for(git_dir, common_dir), ""
    while True:
        entries = _entries(_text(common_dir, end))
        yield entries
        end = _below(mine, end)
        if not end or _door(end) not in entries:
            return


def _below(entry: str, end: str) -> str:
    """Return the file below in which the entry of a worktree would be; empty for none."""
    name = entry.partition("\n")[0].removeprefix(_LINKED).removesuffix('"]')
    if not entry.startswith(_LINKED) or len(name) <= len(end) or len(end) == _DEEPEST:
        return ""
    told = name[-len(end) - 1]
    known = told.isascii() and told.lower() in _TOLD_APART
    return told.lower() + end if known and not _door_to(entry) else ""


def _door(end: str) -> str:
    """Return the section that joins a file below, for worktrees whose names end so."""
    fits = "".join(f"[{one}{one.upper()}]" if one.isalpha() else one for one in end)
    return gitconfig.block("includeIf", f"gitdir:worktrees/*{fits}", [("path", _name(end))])


def _door_to(entry: str) -> str:
    """Return which file below an entry joins, as we write that; empty for another."""
    end = _end(entry.rpartition(' = "')[2].removesuffix('"\n'))
    return end if end and entry == _door(end) else ""


def _is_next(below: str, end: str) -> bool:
    return below != "" and below[1:] == end


def _name(end: str) -> str:
    return f"{_NAME}-{end}" if end else _NAME


def _end(name: str) -> str:
    """Return what the names of the worktrees of a file below end in; empty for another file."""
    end = name.removeprefix(f"{_NAME}-")
    return end if end != name and len(end) <= _DEEPEST and _TOLD_APART.issuperset(end) else ""


def _path(common_dir: str, end: str) -> str:
    return os.path.join(common_dir, "coord", _name(end))


def _text(common_dir: str, end: str) -> str:
    try:
        return peerfile.read(_path(common_dir, end), _MOST).decode(errors="surrogateescape")
    except (FileNotFoundError, peerfile.Unfit):  # what is none of ours is replaced
        return ""


def _entries(text: str) -> list[str]:
    entries: list[str] = []
    for line in text.split("\n")[:-1]:
        if line.startswith("["):
            entries.append(line + "\n")
        elif entries:
            entries[-1] += line + "\n"
    return entries
