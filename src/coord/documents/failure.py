"""What ``--json`` prints when a verb fails."""

from __future__ import annotations

from typing import TypedDict


class ErrorDocument(TypedDict):
    """A refusal, as stderr shows it in three lines.

    Attributes:
        rule: stable identifier, shared by hooks, drivers, verbs and ``check``.
        what: what was refused, in a few words.
        where: the path, worktree or scope it is about.
        why: one line of reason.
        run: one command that resolves it.
    """

    rule: str
    what: str
    where: str
    why: str
    run: str


class FailureDocument(TypedDict):
    """The answer of any verb that ends with an exit code above 0 and has nothing else to say."""

    error: ErrorDocument
