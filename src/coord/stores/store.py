"""What a store of the board must do: create once, read, list, and delete what is one's own.

    StoreError (Environment, exit 3)
    ├── Unavailable      surely not applied
    ├── Unknown          may have been applied; the same call with the same bytes is safe
    └── Misconfigured    the store cannot keep its promises, and refuses to start

Every record's bytes hold a nonce, so equal bytes mean the same creation: that makes ``create``
idempotent, and a retry after a lost answer safe. tests/coord/stores/conformance holds each store to
the contract below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from coord.base.errors import Environment
from coord.base.frozen import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

    from coord.stores.probe import Probe


#: The rule of a refusal where another user keeps us out.
CLOSED = "not-permitted"


class Rec(NamedTuple):
    """One record.

    Attributes:
        key: ``folder/name`` or ``folder/name/name`` (coord.stores.keys).
        value: its bytes; empty where a record exists but cannot be read.
        at: seconds, stamped by the store's clock; None where the store has none.
        denied: who keeps us from reading it, where somebody does: it is whole for others, so
            nothing is decided on it, and nothing is written over or taken away.
        rev: the place of its writing in the one sequence of the store; None where there is none.
    """

    key: str
    value: bytes
    at: float | None = None
    denied: str | None = None
    rev: int | None = None


class Caps(NamedTuple):
    """What a store can do beyond the contract.

    Attributes:
        clock: records are stamped by one clock, which ``now`` reads.
        durable: an acknowledged record survives a power cut.
        hosts: several hosts see the same records.
        max_value: the longest value in bytes.
    """

    clock: bool
    durable: bool
    hosts: bool
    max_value: int


class Pending(NamedTuple):
    """An :meth:`Store.append` that was not answered, byte for byte."""

    key: str
    value: bytes
    after: str | None
    also: Sequence[tuple[str, bytes]]


class StoreError(Environment):
    """A store failed; raised through its three branches.

    Attributes:
        pending: what was to be written, where another store would have it later as well.
    """

    pending: Pending | None = None


class Unavailable(StoreError):
    """The store cannot be reached or written: surely nothing was applied."""


class Unknown(StoreError):
    """The answer was lost: the record may stand."""


class Misconfigured(StoreError):
    """The store's settings would lose or double acknowledged records."""


#: Rule of what another user keeps us from: of one record, and the others go on.
CLOSED = "not-permitted"


def not_permitted(what: str, where: str, why: str) -> Unavailable:
    """Return why another user's permissions keep us out; nothing is broken, and nothing changed."""
    return Unavailable(CLOSED, what, where=where, why=why, run="git coord doctor")


class Store(Protocol):
    """Create-only records under short keys.

    Every method may raise :class:`StoreError`, and ``ValueError`` for an ill-formed key or value.
    """

    @property
    def caps(self) -> Caps:
        """What this store can do."""

    def create(self, key: str, value: bytes) -> Rec:
        """Create `key` and return the record that now owns it: won iff its value is `value`.

        At most one value ever, until deleted; never seen empty or in part; after the return it
        survives SIGKILL of anybody.
        """

    def append(
        self, key: str, value: bytes, after: str | None, also: Sequence[tuple[str, bytes]]
    ) -> Rec | None:
        """Create `key` as :meth:`create` does, and with it what belongs to it: all, or nothing.

        Where the store can, in one step, and only if the record `after` is still there; or, where
        it is None, if the folder of `key` is empty: else None, and nothing is created. Where it
        cannot, `also` comes first and is taken back if `key` is another's, and whoever needs the
        predecessor proves it afterwards.
        """

    def read(self, key: str) -> Rec | None:
        """Return the record at `key`; None only if surely absent.

        Sees every create that ended before the call.
        """

    def list(self, prefix: str, *, values: bool = True) -> Iterable[Rec]:
        """Return the records below `prefix` (whole parts of a key), sorted by key, each once.

        Sees every create that ended before the call; no snapshot. Without `values` the values are
        empty and unread.
        """

    def last(self, prefix: str, *, but: Callable[[Rec], bool] | None = None) -> Iterable[Rec]:
        """Return the last record of every folder below `prefix`, by number or by key, sorted.

        One look a folder, where a list would bring every record of every log. Those of which `but`
        says that they say nothing may be left out; it says always the same of the same bytes.
        """

    def folders(self, prefix: str) -> Sequence[str]:
        """Return the folders below `prefix`, sorted, each as the prefix of its records."""

    def prune(self, folder: str) -> None:
        """Forget a folder that has no records left; any other stays."""

    def writing(self) -> AbstractContextManager[object]:
        """Keep sweeps away for a block: between a look at the board and what is decided on it."""

    def alone(self) -> AbstractContextManager[bool]:
        """Keep :meth:`writing` away for a block; False, at once, where somebody is at it.

        Where a file system has no locks it is never alone, and nothing is swept. A store without
        any may let both go on, as long as :meth:`take` takes nothing once somebody has written.
        """

    def delete(self, key: str, expect: bytes) -> bool:
        """Delete `key` if its value is `expect`; of racing callers one is told True.

        For compaction and for records of one's own only.
        """

    def together(self, made: Sequence[tuple[str, bytes]]) -> bool:
        """Create all of `made` in one step; False, and nothing is created, where that cannot be.

        None of them was there, or all were, with these bytes.
        """

    def take(self, found: Sequence[Sequence[str]]) -> int:
        """Delete what a sweep has found, of each folder in order and up to the first that stays.

        In :meth:`alone` nothing goes that a writer may stand on. Return how many went.
        """

    def forget(self, found: Sequence[Rec]) -> None:
        """Delete records that one alone writes and reads, by the end of the command at latest."""

    def unrefreshed(self) -> AbstractContextManager[object]:
        """Read what is known here, for a block or until the store is next asked for anything.

        Only what :meth:`append` proves may be decided so; for any other answer, :meth:`fresh`.
        """

    def fresh(self) -> bool:
        """Insist that what is read from now on is true now, where reads come from a copy.

        Return whether what was read before was so, too; else it is to be read again.

        Raises:
            Unavailable: it cannot be brought up to date; until then reads say what it has.
        """

    def probe(self) -> Probe:
        """Try what it promises, for a moment and on records of no meaning; raise nothing."""

    def close(self) -> None:
        """Let go of connections and files; a later call opens them again, in a fork its own."""

    def now(self) -> float | None:
        """Return the time by the clock that stamps ``Rec.at``; None where there is none."""


def in_turn(store: Store, key: str, value: bytes, also: Sequence[tuple[str, bytes]]) -> Rec:
    """Do what :meth:`Store.append` asks for in several steps.

    Raises:
        StoreError: `key` was surely not created, and `also` was taken back; or it may have been.
    """
    for name, text in also:
        store.create(name, text)
    try:
        there = store.create(key, value)
    except Unavailable:
        _taken_back(store, also)
        raise
    if there.value != value:
        _taken_back(store, also)
    return there


def _taken_back(store: Store, made: Sequence[tuple[str, bytes]]) -> None:
    for name, text in made:
        store.delete(name, text)


def one_by_one(store: Store, found: Sequence[Sequence[str]]) -> int:
    """Do what :meth:`Store.take` asks for, a record at a time."""
    return sum(_taken(store, keys) for keys in found)


def _taken(store: Store, keys: Sequence[str]) -> int:
    taken = 0
    for key in keys:
        went = _went(store, key)
        if went is None:
            break  # what is above it stands, and says whose the scope is
        taken += went
    return taken


def _went(store: Store, key: str) -> bool | None:
    """Take a record away; tell whether that was us, None where it is there all the same."""
    try:
        rec = store.read(key)
        if rec is not None and store.delete(key, rec.value):
            return True
        return None if store.read(key) is not None else False
    except Unavailable as error:
        if error.rule != CLOSED:
            raise
        return None
