"""What a log would lose, as a value."""

from __future__ import annotations

from coord.base.frozen import NamedTuple


class Loss(NamedTuple):
    """A record that a log would lose: `line` is where it begins in the parent that has it."""

    line: int
    record: bytes
    more: int
