"""``<common git dir>/coord/identities``: the includeIf lines that join each worktree's own author.

Hot path, as ``coord.identity.pin``: no import beyond ``os``.
"""

from __future__ import annotations

import os

from coord.base import gitconfig, peerfile, publish, sharing

AUTHOR = "coord.config"  # in the private git dir
_MOST = 1024 * 1024  # bytes: of some ten thousand worktrees


def join(git_dir: str, common_dir: str) -> None:
    """Add this worktree's includeIf entry and drop those of removed worktrees.

    The caller holds the lock, so a rewrite loses no entry. One entry costs every git command
    about 25 µs; without the pruning a thousand dead ones cost 15 ms.
    """
    old = _text(common_dir)
    kept = checked(old, common_dir)
    mine = entry_for(git_dir, common_dir)
    new = kept if mine in _entries(kept) else kept + mine
    if new != old:
        share = sharing.as_config(common_dir)
        publish.replace(_path(common_dir), new.encode(errors="surrogateescape"), share=share)


def foreign(common_dir: str) -> list[str]:
    """Return what in the file joins nobody's author, as it begins: :func:`join` takes it out.

    Raises:
        OSError: it may not be read.
    """
    found = (entry.partition("\n") for entry in _entries(_text(common_dir)))
    return [head for head, _, rest in found if not rest.endswith(f'/{AUTHOR}"\n')]


def _path(common_dir: str) -> str:
    return os.path.join(common_dir, "coord", "identities")


def _text(common_dir: str) -> str:
    try:
        return peerfile.read(_path(common_dir), _MOST).decode(errors="surrogateescape")
    except (FileNotFoundError, peerfile.Unfit):  # what is none of ours is replaced
        return ""


def checked(text: str, common_dir: str) -> str:
    """Return what of the file is ours: one entry a worktree that there is, as we write it.

    Every git command of everybody obeys this file, and it lies where a sandbox may let others
    write: an alias or core.fsmonitor in here would run in the next ``git status``.
    """
    kept = (entry for entry in _entries(text) if is_own(entry, common_dir))
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


def _entries(text: str) -> list[str]:
    entries: list[str] = []
    for line in text.split("\n")[:-1]:
        if line.startswith("["):
            entries.append(line + "\n")
        elif entries:
            entries[-1] += line + "\n"
    return entries


def is_own(entry: str, common_dir: str) -> bool:
    """Tell whether an entry is what :func:`entry_for` writes for a worktree that there is."""
    path = gitconfig.pairs("[at]\n" + entry.partition("\n")[2], "at").get("path", "")
    git_dir = os.path.normpath(os.path.join(common_dir, "coord", os.path.dirname(path)))
    try:
        return os.path.isdir(git_dir) and entry == entry_for(git_dir, common_dir)
    except ValueError:  # a NUL, a control character
        return False
