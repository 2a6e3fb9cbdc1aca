"""Who is there in other clones: a record a clone, which its own commands renew.

    present/<clone>   {"schema": 1, "host", "workers": {instance: {"seen", "branch", "over"}},
                       "written", "boot", "up"}

Unlike all others it is overwritten. Its law: a worker of another clone is present if, within the
expiry and the pause between two records, its own clone has told of a sign of life, by the server's
clock; else it is unknown, since when and where. Nothing that is told there, or missing there, makes
anybody ended or gone: whoever may write the board can write that.

Where the board has no clock, all that a record tells is how long before it was ``written`` a sign
was given, by one clock, whatever that showed; and a reader counts from when it first saw the record
as it is. So a sign looks younger than it is, by as long as nobody looked, and never older. The last
two, of a clock that cannot be set, tell the clone itself how old its word is.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from coord.base import peerjson
from coord.base.frozen import NamedTuple
from coord.liveness import clone, machine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.stores.store import Store

FOLDER = "present"
EVERY = 300.0
"""Seconds after which a record is renewed, at most: its clone may declare another expiry."""
_REMEMBERED = 7 * 86400.0
_MOST = 1 << 18  # bytes; etcd keeps every version of a record for a while
_WORKERS = 1000
_LONG = 300  # characters of a text
_MOMENTS = 1 << 40  # seconds; what is later is no moment
_NO_SIGNS: Mapping[str, Sign] = {}


class Sign(NamedTuple):
    """What a clone tells of a worker of its own.

    Attributes:
        seen: its last sign of life, in seconds by the server's clock; where there is none, by its
            clone's as it is told, and by the reader's, at the earliest, as it is read.
        branch: what it had checked out then, None when detached.
        over: what proves there that it has ended or is gone; empty where nothing does.
    """

    seen: float
    branch: str | None = None
    over: str = ""


class Attendance(NamedTuple):
    """What a clone tells of its workers, by instance, and the machine that told it last.

    Attributes:
        host: that machine.
        signs: what is told.
        written: when that was, by the clock that the signs are told by; None where the board's is.
        boot: which clock of that machine cannot be set.
        up: what that showed.
        rev: the place of its writing in the board's sequence; None of what is not written.
    """

    host: str = ""
    signs: Mapping[str, Sign] = _NO_SIGNS
    written: float | None = None
    boot: str = ""
    up: float = 0.0
    rev: int | None = None


def every(expires: float) -> float:
    """Return after how many seconds a record is renewed, where silence ends presence so."""
    return min(EVERY, expires / 3)


def key(made: str) -> str:
    """Return the key of the record of a clone."""
    return f"{FOLDER}/{made}"


def read(store: Store, made: str) -> Attendance:
    """Return what a clone tells; of one that tells nothing that can be read, that."""
    rec = store.read(key(made)) if clone.is_id(made) else None
    if rec is None:
        return Attendance()
    found = decode(rec.value)._replace(rev=rec.rev)
    return found if store.caps.clock else _counted(found, rec.at or 0.0)


def own(store: Store, made: str, now: float) -> tuple[Attendance, float | None]:
    """Return what this clone tells, and how old that is; None where it has to be told anew."""
    rec = store.read(key(made))
    if rec is None:
        return Attendance(), None
    found = decode(rec.value)
    if store.caps.clock:
        return found, None if rec.at is None else now - rec.at
    which, shows = machine.uptime()
    age = shows - found.up if which == found.boot and shows >= found.up else None
    return _counted(found, (rec.at or 0.0) if age is None else now - age), age


def _counted(found: Attendance, at: float) -> Attendance:
    """Return signs by the reader's clock, to which a record is of `at`."""
    if found.written is None:  # a version before, whose own last sign was given as it wrote
        written = max((one.seen for one in found.signs.values()), default=0.0)
    else:
        written = found.written
    before = {name: max(0.0, written - one.seen) for name, one in found.signs.items()}
    signs = {name: one._replace(seen=at - before[name]) for name, one in found.signs.items()}
    return found._replace(signs=signs)


def encode(found: Attendance, now: float) -> bytes:
    """Return the bytes of a record, of those who were seen lately."""
    lately = ((name, one) for name, one in found.signs.items() if now - one.seen < _REMEMBERED)
    newest = sorted(lately, key=lambda pair: pair[1].seen, reverse=True)[:_WORKERS]
    while True:
        workers = {name: _document(one) for name, one in newest}
        document = {"schema": 1, "host": found.host, "workers": workers, **_clock(found)}
        made = json.dumps(document).encode() + b"\n"
        if len(made) <= _MOST or not newest:
            return made
        newest = newest[: len(newest) // 2]


def _clock(found: Attendance) -> dict[str, object]:
    if found.written is None:
        return {}
    return {"written": round(found.written, 3), "boot": found.boot, "up": round(found.up, 3)}


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
    known = {name: one for name, one in signs.items() if one is not None}
    written, up = _moment(found.get("written")), _moment(found.get("up"))
    return Attendance(_name(host) or "", known, written, _name(found.get("boot")) or "", up or 0.0)


def _sign(found: Mapping[str, object]) -> Sign | None:
    seen, branch, over = _moment(found["seen"]), found["branch"], found["over"]
    return None if seen is None else Sign(seen, _name(branch), _name(over) or "")


def _moment(seen: object) -> float | None:
    if isinstance(seen, bool) or not isinstance(seen, int | float) or not 0 < seen < _MOMENTS:
        return None
    return float(seen)


def _name(text: object) -> str | None:
    return text if isinstance(text, str) and text.isprintable() and len(text) <= _LONG else None
