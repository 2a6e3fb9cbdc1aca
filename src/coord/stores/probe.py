"""What trying a board gives, in whatever store it is: what it does as it should, and what not."""

from __future__ import annotations

from typing import NamedTuple


class Trouble(NamedTuple):
    """What is wrong, in one line, and the command that mends it or says more."""

    rule: str
    where: str
    message: str
    run: str


class Probe(NamedTuple):
    """A board that was tried.

    Attributes:
        where: its folder, or its server and prefix.
        right: what was proved, in one line; empty where nothing could be tried.
        facts: what else is known of it, a line each.
        notes: what its users should know, and nobody has to mend.
        troubles: what keeps it from being a board.
    """

    where: str
    right: str = ""
    facts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    troubles: tuple[Trouble, ...] = ()
