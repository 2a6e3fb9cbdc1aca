"""Who is there in other clones: a record a clone, which its own commands renew.

    present/<clone>   {"schema": 1, "host", "workers": {instance: {"seen", "branch", "over"}}}

Unlike all others it is overwritten. Its law: a worker of another clone is present if, within the
expiry and the pause between two records, its own clone has told of a sign of life, by the server's
clock; else it is unknown, since when and where. Nothing that is told there, or missing there, makes
anybody ended or gone: whoever may write the board can write that.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from coord.base.frozen import NamedTuple
from coord.board import peerjson
from coord.liveness import clone

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.board.store import Store

FOLDER = "present"
EVERY = 300.0
"""Seconds after which a record is renewed, at most: its clone may declare another expiry."""
_REMEMBERED = 7 * 86400.0
_MOST = 1 << 18  # bytes; etcd keeps every version of a record for a while
_WORKERS = 1000
_LONG = 300  # characters of a text
_NO_SIGNS: Mapping[str, Sign] = {}


class Sign(NamedTuple):
    """What a clone tells of a worker of its own.

    Attributes:
        seen: its last sign of life, in seconds by the server's clock.
        branch: what it had checked out then, None when detached.
        over: what proves there that it has ended or is gone; empty where nothing does.
    """

    seen: float
    branch: str | None = None
    over: str = ""


class Attendance(NamedTuple):
    """What a clone tells of its workers, by instance, and the machine that told it last."""

    host: str = ""
    signs: Mapping[str, Sign] = _NO_SIGNS


def every(expires: float) -> float:
    """Return after how many seconds a record is renewed, where silence ends presence so."""
    return min(EVERY, expires / 3)


def key(made: str) -> str:
    """Return the key of the record of a clone."""
    return f"{FOLDER}/{made}"


def read(store: Store, made: str) -> Attendance:
    """Return what a clone tells; of one that tells nothing that can be read, that."""
    rec = store.read(key(made)) if clone.is_id(made) else None
    return Attendance() if rec is None else decode(rec.value)


def encode(found: Attendance, now: float) -> bytes:
    """Return the bytes of a record, of those who were seen lately."""
    lately = ((name, one) for name, one in found.signs.items() if now - one.seen < _REMEMBERED)
    newest = sorted(lately, key=lambda pair: pair[1].seen, reverse=True)[:_WORKERS]
    while True:
        workers = {name: _document(one) for name, one in newest}
        made = json.dumps({"schema": 1, "host": found.host, "workers": workers}).encode() + b"\n"
        if len(made) <= _MOST or not newest:
            return made
        newest = newest[: len(newest) // 2]


def _document(sign: Sign) -> dict[str, object]:
    return {"seen": round(sign.seen, 3), "branch": sign.branch, "over": sign.over[:_LONG]}


def decode(value: bytes) -> Attendance:
    """Return what a record tells; what is none, or none of ours, is passed over."""
    try:
        found = peerjson.document(value) if len(value) <= _MOST else {}
        host, workers = found["host"], found["workers"]
        signs = {name: _sign(one) for name, one in workers.items()}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Attendance()
    return Attendance(
        _name(host) or "", {name: one for name, one in signs.items() if one is not None}
    )


def _sign(found: Mapping[str, object]) -> Sign | None:
    seen, branch, over = found["seen"], found["branch"], found["over"]
    if isinstance(seen, bool) or not isinstance(seen, int | float) or not 0 < seen < 1 << 40:
        return None
    return Sign(float(seen), _name(branch), _name(over) or "")


def _name(text: object) -> str | None:
    return text if isinstance(text, str) and text.isprintable() and len(text) <= _LONG else None
