"""Ledgers in tests: entries at chosen times, written as the product writes them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from coord.fleet.ledger import Move, header, line
from coord.fleet.ledgerfile import Ledger
from coord.identity import pin

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

LEDGER = "coordination/moves.tsv"


def moved(kind: str, days_ago: float = 0.0, *, lane: str = "", number: int = 0) -> Move:
    """Return a move that was shipped a while ago."""
    at = pin.at(time.time() - days_ago * 86400)
    return Move(at, "hopper-a71f", "0f25582c", kind, lane, "", "it", f"{number:08x}")


def text(moves: Iterable[Move]) -> str:
    """Return a ledger that holds `moves`."""
    return (header(Move) + b"".join(map(line, moves))).decode()


def ledger(top: Path, moves: Iterable[Move]) -> Ledger[Move]:
    """Write a ledger below `top`, and return it."""
    path = top / LEDGER
    path.parent.mkdir(exist_ok=True)
    path.write_text(text(moves), encoding="utf-8")
    return Ledger(str(top), LEDGER, Move)
