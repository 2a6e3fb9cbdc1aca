"""``clone-id``: which clone this is, and the two answers where that is not proved.

Whoever copied a repository has its board too, with the claims and pins of workers elsewhere. Only
a person knows whether the one that is here now is the original, moved or restored, or another.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from coord.base import publish, sharing
from coord.base.errors import Refused
from coord.identity import includeif, pin
from coord.liveness import beats, clone, copied, sessionfile
from coord.repo import worktree
from coord.stores import chosen
from coord.work import where

if TYPE_CHECKING:
    from coord.repo.worktree import Worktree
    from coord.work.call import Call

# What says in a private git dir who works there; refusals belong to its merge, and stay.
_SIGNS = (beats.SEEN, beats.BEATS, beats.MINTED, sessionfile.FOLDER)


class Known(NamedTuple):
    """Which clone this is.

    Attributes:
        common_dir: its common git dir.
        id: its id, empty where it has none that can be read.
        proved: it is where that id was made, or has none yet.
        original: the common git dir of the clone it was copied from, where that is to be found.
        set_aside: where the board that was copied lies now, None where none was moved.
    """

    common_dir: str
    id: str
    proved: bool
    original: str | None = None
    set_aside: str | None = None


def show(call: Call) -> Known:
    """Return which clone this is; nothing is changed.

    Raises:
        Environment: no repository.
    """
    return _known(where.located(call).common_dir)


def keep(call: Call) -> Known:
    """Settle that this is the same clone, moved or restored: its board goes on.

    Raises:
        Refused: the original is there as well.
        OSError: the common git dir cannot be written.
    """
    here = where.located(call)
    worktree.require_own(here, call.cwd, call.words, call.environ)
    with clone.lock(here.common_dir):
        found = _known(here.common_dir)
        if found.original is not None:
            raise Refused(
                "clone-copied",
                "this is not the same clone: its original is there",
                where=found.original,
                why="two boards that go by one id would take each other's workers for their own",
                run="git coord clone-id new",
            )
        if found.proved:
            return found
        return found._replace(id=clone.settle(here.common_dir, found.id), proved=True)


def new(call: Call) -> Known:
    """Settle that this is a clone of its own: what came along of its original's is set aside.

    The board is moved, not deleted. Pins of worktrees that are this clone's become other owners of
    the same name; those of the original's worktrees go.

    Raises:
        Refused: this is proved to be no copy.
        OSError: the common git dir cannot be written.
    """
    here = where.located(call)
    worktree.require_own(here, call.cwd, call.words, call.environ)
    with clone.lock(here.common_dir):
        if not copied.is_copied(here.common_dir):
            raise Refused(
                "clone-proved",
                "this is no copy: its board was made here",
                where=here.common_dir,
                why="a new id would set aside claims that are at work",
                run="git coord clone-id",
            )
        aside = _set_aside(here)
        for git_dir in (here.common_dir, *sharing.private_dirs(here.common_dir)):
            _part(git_dir, here.common_dir)
        return Known(here.common_dir, clone.settle(here.common_dir), proved=True, set_aside=aside)


def _known(common_dir: str) -> Known:
    found = clone.read(common_dir)
    if found is None:
        return Known(common_dir, "", proved=True)
    return Known(common_dir, found.id, found.proved, copied.original(common_dir))


def _set_aside(here: Worktree) -> str | None:
    board = chosen.folder(here.common_dir)
    aside = f"{board}.copied-{os.urandom(4).hex()}"
    try:
        os.rename(board, aside)
    except FileNotFoundError:
        return None
    return aside


def _part(git_dir: str, common_dir: str) -> None:
    """Part a private git dir from the worker of the one that it was copied from."""
    for name in _SIGNS:
        publish.drop(os.path.join(git_dir, name))
    if git_dir != common_dir and worktree.owner(git_dir, common_dir) is not None:
        for name in (pin.PIN, includeif.AUTHOR):
            publish.drop(os.path.join(git_dir, name))
        return
    try:
        pin.renew(git_dir, common_dir)
    except pin.Unreadable:
        publish.drop(os.path.join(git_dir, pin.PIN))
