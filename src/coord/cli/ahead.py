"""Records of ledgers that are dated beyond the present: whose clock was wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.cli import show
from coord.fleet.text import ahead_lines

if TYPE_CHECKING:
    from coord.fleet.ledger import Entry
    from coord.work.moves import Read


def warn(read: Read[Entry]) -> None:
    """Say once which records of a ledger are dated beyond the present."""
    for line in ahead_lines(read.ledger, read.until.ahead):
        show.note(line)
