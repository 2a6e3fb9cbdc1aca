"""Who is at a wait, or runs something, as its lock and its processes prove it.

A release goes first to who listens; and what a killed ``run`` has left is told from one at work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.frozen import NamedTuple
from coord.liveness import sessionfile, spent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.board.events import Place
    from coord.liveness.sessionfile import Declared, Session


class Attending(NamedTuple):
    """A wait that somebody began.

    Attributes:
        scope: what for.
        within: the runs it was started from, by nonce.
        lives: it is proved to be at work; else it is proved to have ended, or nothing is.
        ended: it is proved to have ended, by a kill: else nothing would be left of it.
        settled: it is sure to go on: it has closed no circle.
    """

    scope: str
    within: tuple[str, ...]
    lives: bool
    ended: bool
    settled: bool


def of(git_dir: str, instance: str) -> Iterator[Attending]:
    """Yield the waits of `instance` in a private git dir; none where it may not be read."""
    try:
        for found in sessionfile.every(git_dir):
            if found.kind == "wait" and found.instance == instance:
                lives, ended = sessionfile.lives(git_dir, found), _has_ended(git_dir, found)
                yield Attending(found.scope, found.within, lives, ended, found.settled)
    except OSError:
        return


def begin(git_dir: str, instance: str, scope: str, within: tuple[str, ...]) -> Session | None:
    """Begin a wait for all to see; None where nothing can be written.

    What killed waits have left is taken away.
    """
    spent.forget(git_dir)
    try:
        return sessionfile.begin(git_dir, "wait", instance, scope, within=within)
    except OSError:
        return None


def is_settled(git_dir: str, place: Place) -> bool:
    """Tell whether a run in line is sure to go on: it has closed no circle, or nobody can tell."""
    try:
        found = sessionfile.read(git_dir, place.nonce or "")
    except OSError:
        return True
    return found is None or found.settled


def run_has_ended(git_dir: str, place: Place) -> bool:
    """Tell whether a run whose recorded processes have ended is proved to be over by its lock too.

    Its command inherits the lock, and so holds the scope also before it is on the record. Where no
    lock can be asked, what is on the record has to do.
    """
    try:
        found = sessionfile.read(git_dir, place.nonce or "")
        free = True if found is None else sessionfile.is_free(git_dir, found)
    except OSError:
        free = None
    return place.command is not None if free is None else free


def _has_ended(git_dir: str, found: Declared) -> bool:
    ended = (found.command or found.keeper).has_ended
    return ended and sessionfile.is_free(git_dir, found) is True
