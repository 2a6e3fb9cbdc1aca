"""The error tree: every refusal is a rule, a what, a where, a why and one command.

    CoordError
    ├── Refused       exit 1: a rule says no, or the answer is negative
    ├── Usage         exit 2: the call itself is wrong
    └── Environment   exit 3: not a repository, locked, unreadable, config invalid, our own bug

Entries catch ``CoordError`` once, print :meth:`CoordError.lines` to stderr and leave with its
``exit_code``. Hooks import this module on the hot path, so it imports nothing but ``names``.
"""

from __future__ import annotations

from coord.base.names import shown


class CoordError(Exception):
    """Base of all foreseen failures; raised through its three branches, never directly.

    Attributes:
        rule: stable identifier, shared by hooks, drivers, verbs and ``check``.
        what: what was refused, in a few words.
        where: the path, worktree or scope it is about.
        why: one line of reason.
        run: exactly one command that resolves it, pasteable where the message was printed.
    """

    exit_code = 1

    def __init__(self, rule: str, what: str, *, where: str, why: str, run: str) -> None:
        super().__init__(rule, what, where, why, run)
        self.rule = rule
        self.what = what
        self.where = where
        self.why = why
        self.run = run

    def lines(self) -> str:
        """Return the three lines of the refusal (design: the command line), newline-terminated."""
        return (
            f"coord: {self.rule}: {shown(self.what)}: {shown(self.where)}\n"
            f"  why: {shown(self.why)}\n"
            f"  run: {self.run}\n"
        )

    def document(self) -> dict[str, object]:
        """Return what ``--json`` prints when this error ends a command."""
        keys = ("rule", "what", "where", "why", "run")
        return {"schema": 1, "error": {key: getattr(self, key) for key in keys}}

    def __str__(self) -> str:
        return self.lines().rstrip("\n")


class Refused(CoordError):
    """A rule says no, or the answer is negative."""

    exit_code = 1


class Usage(CoordError):
    """The call is wrong: an unknown option, an ill-formed name."""

    exit_code = 2


class Environment(CoordError):
    """The surroundings do not allow the command: no repository, no rights, a lock, bad config."""

    exit_code = 3
