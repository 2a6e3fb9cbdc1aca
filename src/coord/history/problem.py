"""One broken rule, as ``check`` reports it."""

from __future__ import annotations

import os
from dataclasses import dataclass

from coord.base.cquote import c_quoted


@dataclass(frozen=True)
class Problem:
    """One broken rule.

    Attributes:
        rule: rule id, shared with hooks, drivers and verbs.
        path: the path it is about, as git prints it; empty for a whole commit.
        commit: id of the commit that broke it; None for the tree as it stands.
        message: what is wrong, one line.
        run: one command that mends it, or leads there.
        line: where the text of `path` stands, or stood before it was lost, from 1; None where it
            is about the whole of it.
    """

    rule: str
    path: str
    commit: str | None
    message: str
    run: str
    line: int | None = None


def printed(path: bytes) -> str:
    """Return a path of the tree as git prints it."""
    return c_quoted(os.fsdecode(path))


def counted(number: int, noun: str) -> str:
    """Return ``1 record``, ``2 records``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
