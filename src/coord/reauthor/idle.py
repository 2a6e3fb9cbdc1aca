"""History is rewritten only where nothing else is half done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base import peerfile
from coord.base.errors import Refused
from coord.guard import refusal
from coord.repo import git, underway

if TYPE_CHECKING:
    from coord.repo.worktree import Worktree


def require(here: Worktree, verb: str) -> None:
    """Refuse `verb` while an operation or a refused merge waits for the user.

    Raises:
        Refused: naming what waits, and how to go on with it.
    """
    for operation in [*(one.verb for one in underway.going_on(here)), *_sequence(here)]:
        raise Refused(
            "operation-in-progress",
            f"{verb} refused in the middle of a {operation}",
            where=here.cwd,
            why=f"git's {operation} has noted commits that {verb} would replace",
            run=f"git {operation} --continue",
        )
    for record, facts in refusal.live(here, git.elsewhere()):
        if not refusal.is_settled(record, facts):
            raise Refused(
                "refusal-pending",
                f"{verb} refused before a refused merge is settled",
                where=record.path,
                why="the refusal is bound to the commit that it was met on, and would be forgotten",
                run=refusal.way_out(record),
            )


def _sequence(here: Worktree) -> list[str]:
    """Return the verb of a sequence of picks or reverts that has stopped between two."""
    try:
        first = peerfile.head(here.private("sequencer/todo"), 6)
    except OSError:
        return []
    return ["revert" if first == b"revert" else "cherry-pick"]
