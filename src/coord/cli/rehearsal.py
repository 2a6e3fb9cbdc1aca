"""What ``merge-order --rehearse`` says while it goes on; the verb itself is in ``merge_order``."""

from __future__ import annotations

import math
import sys
import time
from typing import TYPE_CHECKING

import click

from coord.base.names import shown
from coord.cli import show
from coord.rehearse.run import rehearse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coord.rehearse.report import Rehearsal
    from coord.repo.worktree import Worktree

_PATIENCE = 1.0


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
    tick = _progress() if command is None else _heading
    return rehearse(here, onto, branches, command, tick=tick, base=base, tips=tips)


def _heading(branch: str, number: int, total: int) -> None:
    """Say whose test is about to print: what it prints goes to stderr too."""
    show.note(f"testing {number} of {total}: {branch}")


def _progress() -> Callable[[str, int, int], None]:
    """Return what shows progress on a terminal, once it takes a while."""
    shown_from = time.monotonic() + _PATIENCE if sys.stderr.isatty() else math.inf

    def tick(branch: str, number: int, total: int) -> None:
        if time.monotonic() > shown_from:
            end = "\n" if number == total else "\r"
            click.echo(
                f"coord: {number} of {total}: {shown(branch)}\x1b[K{end}",
                nl=False,
                err=True,
            )

    return tick
