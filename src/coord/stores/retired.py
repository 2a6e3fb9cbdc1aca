"""The board's high-water mark: above the number of every record that was swept off it.

    retired/<number>   {"schema": 1, "nonce"}

A scope without records begins above it, its number and its generation both, so that none is ever
given twice. It is raised before the first record goes; the highest one counts. Whoever can write
the board can raise it: one so high that scopes would have no numbers left is none.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from coord.stores import keys

if TYPE_CHECKING:
    from collections.abc import Iterable

    from coord.stores.store import Rec, Store

FOLDER = "retired"
#: Of a mark, and so of a scope that is swept; above it there are nine times as many numbers.
MOST = keys.MOST // 10


def marker() -> bytes:
    """Return a record that says nothing but that it is there."""
    return json.dumps({"schema": 1, "nonce": os.urandom(8).hex()}).encode() + b"\n"


def mark(store: Store) -> int:
    """Return the mark; 0 where nothing was ever swept."""
    return highest(rec.key for rec in store.list(FOLDER, values=False))


def highest(marks: Iterable[str]) -> int:
    """Return the highest of some marks, by their keys; what no sweep of ours reaches is none."""
    found = map(keys.number_of, marks)
    return max((one for one in found if 0 <= one < MOST), default=0)


def first(store: Store) -> Rec | None:
    """Return the mark of the first sweep; None where none ever was."""
    return next(iter(_marks(store)), None)


def is_before(store: Store, mark: Rec, rec: Rec) -> bool:
    """Tell whether a sweep began before a record was written.

    A scope that began at number 1 after the first was begun by a version that knows no mark.
    """
    if not store.caps.clock:  # to a new copy both are of today
        return (mark.rev or 0) < (rec.rev or 0)
    return mark.at is not None and rec.at is not None and mark.at < rec.at


def lift(store: Store, number: int) -> None:
    """Lift the mark to `number` at least; the first one stays, and those between go."""
    if mark(store) < number:
        store.create(keys.number(FOLDER, number), marker())
    between = _marks(store)[1:-1]
    if between:
        store.take([[rec.key] for rec in between])


def _marks(store: Store) -> list[Rec]:
    """Return the marks by number: as a name, one of nine digits comes before one of eight."""
    found = (rec for rec in store.list(FOLDER) if 0 <= keys.number_of(rec.key) < MOST)
    return sorted(found, key=lambda rec: keys.number_of(rec.key))
