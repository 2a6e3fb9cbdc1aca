"""Show something again whenever it is another, until the reader has seen enough."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TYPE_CHECKING

import click

from coord.base.columns import cut
from coord.base.names import shown

if TYPE_CHECKING:
    from collections.abc import Callable

_CLEAR = "\x1b[H\x1b[2J\x1b[3J"
_SHARE = 20  # of one processor, at most a twentieth: a fleet has many boards open
_SOONEST, _LATEST = 1.0, 60.0


def again(show: Callable[[], None]) -> None:
    """Call `show` for ever, as often as its cost allows; ends with Ctrl-C or a lost reader."""
    while True:
        begun = time.process_time()
        show()
        cost = time.process_time() - begun
        time.sleep(min(_LATEST, max(_SOONEST, cost * _SHARE)))


def screen(lines: Callable[[], list[str]]) -> Callable[[], None]:
    """Return what draws `lines` when they are others than before.

    On a terminal they take the place of those before them, cut to its size; elsewhere they follow,
    a blank line between.
    """
    before: list[str] = []

    def draw() -> None:
        found = [shown(line) for line in lines()]
        fitted = _fitted(found) if sys.stdout.isatty() else [*found, ""]
        if fitted == before:
            return
        before[:] = fitted
        text = "\n".join(fitted)
        click.echo(_CLEAR + text if sys.stdout.isatty() else text)
        sys.stdout.flush()

    return draw


def _fitted(lines: list[str]) -> list[str]:
    size = shutil.get_terminal_size()
    room = max(2, size.lines - 1)
    if len(lines) > room:
        lines = [*lines[: room - 1], f"… and {len(lines) - room + 1} lines more: git coord board"]
    return [cut(line, size.columns) for line in lines]
