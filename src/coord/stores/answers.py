"""What a cluster keeps of a record, and what its failures mean for one."""

from __future__ import annotations

from coord.base.failures import Absent, Denied, Failure, Lost, Spoiled, Unfit
from coord.base.names import quote
from coord.stores.probe import Trouble
from coord.stores.store import Misconfigured, StoreError, Unavailable, Unknown

#: What stands for a record that its reader has done with, until a sweep takes it away: what is
#: deleted at once is found by others only in a list of all that is left.
FORGOTTEN = b"forgotten\n"
#: The rule of a refusal where something else was pushed to the ref of a board.
SPOILED = "store-spoiled"
_MARK = b"at "


def wrapped(value: bytes, at: float) -> bytes:
    """Return a record's value with the time by the server's clock, in seconds."""
    return b"%s%d\n%s" % (_MARK, round(at * 1_000_000), value)


def unwrapped(data: bytes) -> tuple[bytes, float | None]:
    """Return a record's value and stamp; what is no record of ours comes as it is, unstamped."""
    head, found, value = data.partition(b"\n")
    digits = head.removeprefix(_MARK)
    if not found or len(digits) == len(head) or not digits.isdigit() or len(digits) > len("1" * 18):
        return data, None
    return value, int(digits) / 1_000_000


def failed(error: Failure) -> StoreError:
    """Return a failure of the client as what it means for a record."""
    kind: type[StoreError] = Unavailable
    rule, what = "store-unavailable", "the board cannot be read or written"
    if isinstance(error, Lost):
        kind, what = Unknown, "the answer was lost: the record may stand, or come to stand"
    elif isinstance(error, Denied):
        rule, what = "not-permitted", "the board's server does not let us in"
    elif isinstance(error, Unfit):
        kind, what = Misconfigured, "the board's server is not what was asked for"
    if isinstance(error, Spoiled):
        rule, what = SPOILED, "something else stands where the board was kept"
    run = error.run or "git coord doctor"
    return kind(rule, what, where=error.where, why=error.why, run=run)


def unsettled(where: str) -> StoreError:
    """Return that a record is neither created nor there, however often it is tried."""
    return failed(Absent(where, "a record comes and goes"))


def another(where: str, url: str, why: str) -> Misconfigured:
    """Return that a board is not the one that was chosen."""
    return Misconfigured(
        "store-replaced",
        "this is not the board that this clone has chosen",
        where=where,
        why=f"{why}: it was emptied, or set back; what was claimed on it may be gone",
        run=f"git coord store use {quote(url)}",
    )


def trouble(error: StoreError) -> Trouble:
    """Return a failure as what is wrong with a board."""
    return Trouble(error.rule, error.where, f"{error.what}: {error.why}", error.run)
