"""Ledgers as text: a header line, then one record a line, tab-separated. Pure.

Time, actor, instance and a nonce are in each record, because the log driver keeps a record once:
two that are equal byte for byte would become one (docs/drivers.md). The time comes first, so that
joined records stand in the order of time whoever merges whom. A ledger may have further columns at
its end, of a later version or of somebody's own, and lines that lack the nonce.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from coord.fleet.escape import escaped, unescaped
from coord.identity import pin

if TYPE_CHECKING:
    from coord.identity.whoami import Identity

REASONS = ("taken", "herding", "stale", "unreachable", "weak", "deferred")
GRACE = 300.0  # seconds by which the clocks of two machines may differ
_SHORT = 8


class Move(NamedTuple):
    """What was shipped; the fields are the columns, empty where nothing was said.

    Attributes:
        at: when, RFC 3339 UTC with microseconds.
        actor: who shipped it.
        instance: the first eight digits of the actor's instance.
        kind: one of ``[moves] kinds``.
        lane: the lane that was tended with it.
        scope: what it was claimed as.
        summary: what it is.
        nonce: random.
    """

    at: str
    actor: str
    instance: str
    kind: str
    lane: str
    scope: str
    summary: str
    nonce: str


class PutDown(NamedTuple):
    """What was considered and rejected; as :class:`Move`.

    Attributes:
        at: when.
        actor: who put it down.
        instance: likewise.
        scope: what was put down.
        reason: one of ``REASONS``.
        revisit: when it is worth another look.
        note: anything else.
        nonce: random.
    """

    at: str
    actor: str
    instance: str
    scope: str
    reason: str
    revisit: str
    note: str
    nonce: str


Entry = TypeVar("Entry", Move, PutDown)


@dataclass(frozen=True)
class Until(Generic[Entry]):
    """The present, as which no record may be later.

    One with a wrong year would be the last tending of its lane, and the last line of every merge by
    time, for ever. It is kept, and counts from its time on.

    Attributes:
        now: seconds since the epoch.
        ahead: the records that were passed over, of all ledgers that were read, each once.
    """

    now: float
    ahead: dict[Entry, None] = field(default_factory=dict)

    def has(self, entry: Entry) -> bool:
        """Tell whether `entry` has happened; one that has not is noted."""
        if (seconds(entry.at) or 0.0) <= self.now + GRACE:
            return True
        self.ahead[entry] = None
        return False


def header(columns: type[Move | PutDown]) -> bytes:
    """Return the first line of a ledger."""
    return "\t".join(columns._fields).encode() + b"\n"


def line(entry: Move | PutDown) -> bytes:
    """Return an entry as the line that stands for it."""
    return "\t".join(map(escaped, entry)).encode() + b"\n"


def parsed(text: bytes, columns: type[Entry]) -> Entry | None:
    """Return the entry that a line without its end stands for; None when it is none."""
    fields = text.removesuffix(b"\r").decode("utf-8", "surrogateescape").split("\t")
    known = len(columns._fields)
    if len(fields) < known - 1 or _moment(fields[0]) is None:
        return None
    meant: list[str] = [unescaped(field) for field in fields] if b"\\" in text else fields
    return columns._make([*meant, ""][:known])


def names(first: bytes, columns: type[Move | PutDown]) -> bool:
    """Tell whether the first line of a file names the columns of a ledger."""
    wanted = "\t".join(columns._fields[:-1]).encode()
    return first == wanted or first.startswith(wanted + b"\t")


def stamped(me: Identity) -> dict[str, str]:
    """Return the columns that every new entry has: when, who, and what makes it one of a kind."""
    return {
        "at": pin.now(),
        "actor": me.actor,
        "instance": (me.instance or "")[:_SHORT],
        "nonce": os.urandom(4).hex(),
    }


def seconds(at: str) -> float | None:
    """Return a time of a ledger in seconds since the epoch; None when it is no time.

    Without an offset it is UTC, as the log driver takes it.
    """
    moment = _moment(at)
    if moment is None:
        return None
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except OverflowError:
        return None


def _moment(at: str) -> datetime | None:
    try:
        return datetime.fromisoformat(at)
    except ValueError:
        return None
