"""A worktree that is not where git lists it: where it is now, and who works there meanwhile.

Git writes down the one place of a worktree, and ``mv`` tells it nothing. ``git worktree remove`` or
``prune`` would take pin, index and what is staged from under whoever works in the moved folder.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from coord.base import peerfile, sharing
from coord.base.names import quote
from coord.liveness import beats, presence, signs
from coord.settings import config

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST = 500  # folders looked into beside each worktree


class Stray(NamedTuple):
    """What is known of it.

    Attributes:
        folder: where its files are now, empty where that is not to be seen.
        present: whether its worker gave a sign of life within the expiry.
        run: the command that leads git to it; where `folder` is empty, for the folder it is in.
    """

    folder: str
    present: bool
    run: str


def sought(git_dir: str, common_dir: str) -> Stray:
    """Look for the worktree of a private git dir, where its worker is and beside all worktrees.

    One that was copied as well is in two folders, and either may be the worker's: neither is named.
    """
    instance = beats.acting(git_dir, None) or ""
    at_work = {top for cwd in _cwds(git_dir, instance) if (top := _top(cwd, git_dir))}
    found = at_work or {one for one in _beside(common_dir) if leads(one, git_dir)}
    folder = found.pop() if len(found) == 1 else ""
    judge = presence.Judge(common_dir, time.time(), config.load(None).expires)
    present = judge.of(git_dir, instance).present
    return Stray(folder, present, way(folder, git_dir, common_dir))


def way(folder: str, git_dir: str, common_dir: str) -> str:
    """Return the command that tells git where a worktree is now.

    ``git worktree repair`` rewrites the link of every other one too, which is wrong where that is a
    worktree of the original of a copied repository, or stands in another's old place.
    """
    if _are_right(common_dir):
        return f"git -C {quote(folder)} worktree repair" if folder else "git worktree repair"
    link = quote(os.path.join(folder, ".git")) if folder else '"$PWD/.git"'
    return f"printf '%s\\n' {link} >{quote(os.path.join(git_dir, 'gitdir'))}"


def leads(folder: str, git_dir: str) -> bool:
    """Tell whether the `.git` of a folder names this private git dir."""
    named = _named(folder)
    return named != "" and os.path.realpath(named) == os.path.realpath(git_dir)


def is_taken(folder: str) -> bool:
    """Tell whether a folder is the worktree of some private git dir that is there."""
    named = _named(folder)
    return named != "" and os.path.isfile(os.path.join(named, "HEAD"))


def _named(folder: str) -> str:
    """Return the private git dir that the `.git` of a folder names, empty where it names none."""
    try:
        line = os.fsdecode(peerfile.read(os.path.join(folder, ".git")))
    except OSError:
        return ""
    begin, found, named = line.partition("gitdir: ")
    return os.path.join(folder, named.rstrip("\n")) if found and not begin else ""


def _are_right(common_dir: str) -> bool:
    """Tell whether every worktree that is where git lists it leads back."""
    return all(
        leads(place, git_dir) for git_dir, place in _listed(common_dir) if os.path.isdir(place)
    )


def _listed(common_dir: str) -> Iterator[tuple[str, str]]:
    for git_dir in sharing.private_dirs(common_dir):
        try:
            line = os.fsdecode(peerfile.read(os.path.join(git_dir, "gitdir"))).rstrip("\n")
        except OSError:
            continue
        yield git_dir, os.path.dirname(os.path.join(git_dir, line))


def _beside(common_dir: str) -> Iterator[str]:
    """Yield the folders beside every worktree, and those in the main one."""
    main = os.path.dirname(os.path.realpath(common_dir))
    places = [main, os.path.dirname(main)]
    places += [os.path.dirname(place) for _, place in _listed(common_dir)]
    for place in dict.fromkeys(places):
        try:
            names = sorted(os.listdir(place))[:_MOST]
        except OSError:
            continue
        yield from (os.path.join(place, name) for name in names)


def _cwds(git_dir: str, instance: str) -> Iterator[str]:
    """Yield the current folders of the processes that have given a worker's commands."""
    try:
        left = list(signs.every(git_dir, instance)) if instance else []
    except OSError:
        return
    for one in {link for sign in left for link in sign.chain.links}:
        try:
            if one.is_here and not one.has_ended:
                yield os.readlink(f"/proc/{one.pid}/cwd")
        except OSError:
            continue


def _top(cwd: str, git_dir: str) -> str:
    """Return the folder at or above `cwd` that leads to a private git dir, empty for none."""
    while not leads(cwd, git_dir):
        if cwd == os.path.dirname(cwd):
            return ""
        cwd = os.path.dirname(cwd)
    return cwd
