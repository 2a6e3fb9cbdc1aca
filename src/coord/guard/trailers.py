"""The trailers by which a commit says how a refusal was settled, written into its message."""

from __future__ import annotations

import os

from coord.guard import refusal
from coord.repo import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.guard.refusal import Record
    from coord.repo.worktree import Worktree

# The user's ``trailer.*`` adds lines of its own (``trailer.sign.command``) and ends a key with
# another character (``trailer.separators``); what machines read is written without it.
_NO_CONFIG = {
    "GIT_DIR": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def add(here: Worktree, message: str, settled: Sequence[Record]) -> None:
    """Add one trailer a path, above the scissors and inside a trailer block that stands there.

    ``--no-divider``: a body line ``---`` would otherwise pull the trailers above it.
    """
    if not settled:
        return
    trailers = [f"--trailer={refusal.trailer(record)}" for record in settled]
    how = ("--in-place", "--no-divider", "--if-exists=addIfDifferent")
    words = (*_comments(here), "interpret-trailers", *how, *trailers, message)
    git.tell(*words, cwd=here.cwd, env={**git.elsewhere(), **_NO_CONFIG})


def add_to_patch(here: Worktree, settled: Sequence[Record]) -> None:
    """Add them to the message of the patch that ``am`` or ``rebase --apply`` has stopped at.

    Going on asks no hook that could still change it: git has read it before.
    """
    message = here.private("rebase-apply/final-commit")
    if os.path.isfile(message) and not os.path.islink(message):
        add(here, message, settled)


def _comments(here: Worktree) -> tuple[str, ...]:
    """Return the options that tell git's comments in a message from its text."""
    keys = ("config", "-z", "--get-regexp", r"^core\.comment(char|string)$")
    found = git.ask(*keys, cwd=here.cwd, env=git.here()).fields
    return ("-c", f"core.commentChar={found[-1].partition(chr(10))[2]}") if found else ()
