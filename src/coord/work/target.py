"""What branches land on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.errors import Usage
from coord.order import branches

if TYPE_CHECKING:
    from coord.order.branches import Onto
    from coord.repo.worktree import Worktree


def target(here: Worktree, onto: str | None, verb: str) -> Onto:
    """Return what branches land on.

    Raises:
        Usage: it is no commit.
    """
    found = branches.target(here, onto)
    if found is not None:
        return found
    raise Usage(
        "revision-unknown",
        f"{verb} onto what is no commit",
        where="HEAD" if onto is None else onto or "--onto (empty)",
        why="git rev-parse knows no such branch or commit",
        run="git branch --all",
    )
