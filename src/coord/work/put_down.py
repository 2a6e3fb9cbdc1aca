"""``put-down``: a scope that was considered and left, with the reason; and the list of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.fleet.ledger import PutDown, stamped
from coord.fleet.ledgerfile import Ledger
from coord.settings import config
from coord.stores import scopes
from coord.work import ledgerentry, where
from coord.work.call import bounded

if TYPE_CHECKING:
    from coord.work.call import Call
    from coord.work.ledgerentry import Writer


class Left(NamedTuple):
    """A record of what was put down, who wrote it, and whether its ledger had to be made."""

    entry: PutDown
    path: str
    writer: Writer
    made: bool


class Listing(NamedTuple):
    """What was put down, oldest first: of one scope, or of all (None)."""

    scope: str | None
    entries: list[PutDown]


def put_down(
    call: Call, name: str, reason: str, *, revisit: str | None = None, note: str | None = None
) -> Left:
    """Record that a scope was considered and left.

    Args:
        call: who calls.
        name: the scope.
        reason: one of ``coord.fleet.ledger.REASONS``.
        revisit: when it is worth another look.
        note: anything else.

    Raises:
        Usage: no scope, or a text is too long for a record.
        Refused: who acts here is only inferred; or a merge of the ledger is open, or it is none.
    """
    for option, text in {"--reason": reason, "--revisit": revisit, "--note": note}.items():
        bounded(text, option, "put-down")
    writer = ledgerentry.writer_of(call)
    entry = PutDown(
        scope=scopes.parse(name, writer.top),
        reason=reason,
        revisit=revisit or "",
        note=note or "",
        **stamped(writer.me),
    )
    path = writer.declared.put_down
    ledgerentry.require_merged(call, writer, path)
    made = Ledger(writer.top, path, PutDown).append(entry)
    return Left(entry, path, writer, made)


def left(call: Call, done: Left) -> None:
    """Say what is left to do. It comes after the answer: what was recorded stands."""
    ledgerentry.tell(call, done.writer, done.path, made=done.made)
    ledgerentry.warn_of_claim(call, done.writer, done.entry.scope)


def listed(call: Call, name: str | None = None) -> Listing:
    """Return what was put down, of one scope or of all.

    Raises:
        Usage: no scope.
        Environment: there is no worktree, or its ledger cannot be read.
    """
    top = ledgerentry.worktree_of(where.located(call))
    wanted = scopes.parse(name, top) if name else None
    newest = Ledger(top, config.load(top).fleet.put_down, PutDown).newest(limit=None)
    return Listing(wanted, [entry for entry in newest if wanted in {None, entry.scope}][::-1])
