"""What ``merge-order --rehearse`` says while it goes on; the verb itself is in ``merge_order``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.cli import progress, show
from coord.rehearse.run import rehearse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.rehearse.report import Rehearsal
    from coord.repo.worktree import Worktree


def rehearsed(
    here: Worktree,
    onto: str,
    branches: Sequence[str],
    command: str | None = None,
    *,
    base: str | None = None,
    tips: Sequence[str | None] | None = None,
) -> Rehearsal:
    """Rehearse, saying on stderr what goes on."""
    if command is not None:
        return rehearse(here, onto, branches, command, tick=_heading, base=base, tips=tips)
    with progress.going("rehearsing") as tick:
        return rehearse(here, onto, branches, tick=tick, base=base, tips=tips)


def _heading(branch: str, number: int, total: int) -> None:
    """Say whose test is about to print: what it prints goes to stderr too."""
    show.note(f"testing {number} of {total}: {branch}")
