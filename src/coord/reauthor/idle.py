"""History is rewritten only where nothing else is half done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base import peerfile
from coord.base.errors import Refused
from coord.guard import refusal
from coord.repo import git

if TYPE_CHECKING:
    from coord.repo.worktree import Worktree

# What git leaves in the private git dir while it waits, and how the user goes on.
_OPERATIONS = (
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
)


def require(here: Worktree, verb: str) -> None:
    """Refuse `verb` while an operation or a refused merge waits for the user.

    Raises:
        Refused: naming what waits, and how to go on with it.
    """
    for name, operation in (*_OPERATIONS, *_sequence(here)):
        if here.has(name):
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


def _sequence(here: Worktree) -> list[tuple[str, str]]:
    """Return the entry for a sequence of picks or reverts that has stopped between two."""
    try:
        first = peerfile.head(here.private("sequencer/todo"), 6)
    except OSError:
        return []
    return [("sequencer", "revert" if first == b"revert" else "cherry-pick")]
