"""Something that is not in force, as ``coord-install --check`` and the doctor tell it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """Something that is not in force.

    Attributes:
        rule: stable identifier.
        worktree: folder in which it shows, the git dir for what all share.
        message: what is wrong.
        run: one command that mends it, or shows who overrides us.
    """

    rule: str
    worktree: str
    message: str
    run: str
