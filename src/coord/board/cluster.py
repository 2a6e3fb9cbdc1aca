"""The store on several hosts: keys of an etcd cluster below a prefix, one key a record.

etcd acknowledges what a majority of its members has on disk, and gives every write the next number
of one sequence; a transaction compares and writes in one step. It has no clock that it stamps by:
each writer adds its estimate of the server's time, to a second, and nothing is decided by it but
what age may decide. It sorts keys by their bytes, and we by their parts.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from coord.board import keys
from coord.board.store import Caps, Misconfigured, Rec, StoreError, Unavailable, Unknown
from coord.etcd import pairs, wire
from coord.etcd.client import PATIENCE, Client
from coord.etcd.failures import Absent, Denied, Failure, Lost, Refused, TooLarge, Unfit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from coord.etcd.address import Address
    from coord.etcd.pairs import Done, Pair
    from coord.etcd.wire import End

    Document = Mapping[str, object]
T = TypeVar("T")

MAX_VALUE = 1 << 20  # etcd takes requests of 1.5 MiB
_PAGE = 2000  # records; etcd's own limit for a transaction is 128 operations
_BATCH = 100
_LISTING = 30.0  # seconds
_MARK = b"at "
_TRIES = 16
_STRANGE = "the answer is not etcd's"
_COMPACTED = 11  # gRPC's OUT_OF_RANGE


class Cluster:
    """A :class:`coord.board.store.Store` on etcd."""

    caps = Caps(clock=True, durable=True, hosts=True, max_value=MAX_VALUE)

    def __init__(
        self, address: Address, *, cache: str = "", cwd: str = "/", patience: float = PATIENCE
    ) -> None:
        """Prepare; nothing is opened before the first call.

        Args:
            address: the cluster, and the prefix of this board's keys.
            cache: file that keeps the token from one command to the next; empty for none.
            cwd: where ``git credential`` is asked.
            patience: seconds within which any call but a list ends.
        """
        self._client = Client(address, cache=cache, cwd=cwd)
        self._prefix = f"{address.prefix}/".encode()
        self._patience = patience

    def close(self) -> None:
        """Close the connections; a later call opens them again."""
        self._client.close()

    def create(self, key: str, value: bytes) -> Rec:
        """See :meth:`coord.board.store.Store.create`."""
        name = self._name(key)
        if not 0 < len(value) <= self.caps.max_value:
            raise ValueError(len(value))
        end = wire.within(self._patience)
        at = self._time(end)
        asked = pairs.transaction(
            [pairs.is_absent(name)],
            [pairs.put(name, _wrapped(value, at))],
            [pairs.get(pairs.one(name))],
        )
        for _ in range(_TRIES):
            done, _ = self._done(asked, end)
            if done.held:
                return Rec(key, value, at, rev=done.rev)
            for pair in done.ranges[0].pairs if done.ranges else ():
                return self._rec(pair)
        raise _failed(Absent(self._where, "a record comes and goes"))

    def read(self, key: str) -> Rec | None:
        """See :meth:`coord.board.store.Store.read`."""
        asked = pairs.one(self._name(key))
        found = self._look("range", asked, wire.within(self._patience), pairs.of_range).pairs
        return self._rec(found[0]) if found else None

    def list(self, prefix: str, *, values: bool = True) -> Iterable[Rec]:
        """See :meth:`coord.board.store.Store.list`."""
        return self._below(prefix, wire.within(_LISTING), values=values)

    def last(self, prefix: str) -> Iterable[Rec]:
        """See :meth:`coord.board.store.Store.last`; a folder's last is its last of three parts."""
        end = wire.within(_LISTING)
        tops: dict[str, str] = {}
        for rec in self._below(prefix, end, values=False):
            if rec.key.count("/") > prefix.count("/") + 1:
                tops[rec.key.rpartition("/")[0]] = rec.key
        names = [self._name(key) for key in tops.values()]
        batches = [names[at : at + _BATCH] for at in range(0, len(names), _BATCH)]
        return [rec for batch in batches for rec in self._read(batch, end)]

    def delete(self, key: str, expect: bytes) -> bool:
        """See :meth:`coord.board.store.Store.delete`."""
        name, end = self._name(key), wire.within(self._patience)
        found = self._look("range", pairs.one(name), end, pairs.of_range).pairs
        if not found or self._rec(found[0]).value != expect:
            return False
        asked = pairs.transaction([pairs.is_at(name, found[0].rev)], [pairs.delete(name)])
        done, again = self._done(asked, end)
        if again and not done.held:
            raise _failed(Lost(self._where, "this call or another's has deleted it"))
        return done.held

    def now(self) -> float | None:
        """Return the server's time, as the first answer to this client gave it, to a second."""
        return self._time(wire.within(self._patience))

    def _time(self, end: End) -> float:
        if self._client.ahead is None:
            self._look("range", pairs.count(self._prefix), end, pairs.of_range)
        if self._client.ahead is None:
            raise _failed(Unfit(self._where, "its answers have no date"))
        return round(time.monotonic() + self._client.ahead, 6)

    def _read(self, names: Sequence[bytes], end: End) -> Iterable[Rec]:
        """Return the records of several keys, in one request or, if too large for one, in more."""
        asked = pairs.transaction([], [pairs.get(pairs.one(name)) for name in names])
        try:
            done = self._look("txn", asked, end, pairs.of_transaction)
        except TooLarge as error:
            if len(names) == 1:
                raise _failed(error) from error
            half = len(names) // 2
            return [*self._read(names[:half], end), *self._read(names[half:], end)]
        return [self._rec(pair) for found in done.ranges for pair in found.pairs]

    def _below(self, prefix: str, end: End, *, values: bool) -> Sequence[Rec]:
        keys.require(f"{prefix}/x")
        for _ in range(_TRIES):
            try:
                found = self._pages(self._prefix + f"{prefix}/".encode(), end, values=values)
            except _Compacted:
                continue
            recs = [self._rec(pair) for pair in found if self._is_ours(pair.key)]
            return sorted(recs, key=lambda rec: rec.key.split("/"))
        raise _failed(Absent(self._where, "it is compacted faster than it can be listed"))

    def _pages(self, prefix: bytes, end: End, *, values: bool) -> Sequence[Pair]:
        """Return all below `prefix`, as of the revision of the first page."""
        found: list[Pair] = []
        limit, start, at = _PAGE, prefix, 0
        while True:
            asked = pairs.below(prefix, start, keys_only=not values, limit=limit)
            if at:
                asked["revision"] = str(at)
            try:
                page = self._look("range", asked, end, pairs.of_range)
            except TooLarge as error:
                if limit == 1:
                    raise _failed(error) from error
                limit = max(1, limit // 8)
                continue
            found += page.pairs
            if not page.more or not page.pairs:
                return found
            start, at = page.pairs[-1].key + b"\0", at or page.rev

    def _is_ours(self, name: bytes) -> bool:
        try:
            keys.require(name[len(self._prefix) :].decode("ascii"))
        except ValueError:
            return False
        return True

    def _rec(self, pair: Pair) -> Rec:
        key = pair.key[len(self._prefix) :].decode("ascii", "replace")
        value, at = _unwrapped(pair.value)
        return Rec(key, value, at, rev=pair.rev)

    def _name(self, key: str) -> bytes:
        keys.require(key)
        return self._prefix + key.encode()

    @property
    def _where(self) -> str:
        return self._prefix.decode()

    def _done(self, request: Document, end: End) -> tuple[Done, bool]:
        """Send a transaction that may change something; tell too whether it was sent before."""
        try:
            reply = self._client.call("/v3/kv/txn", request, end)
            return pairs.of_transaction(reply.document), reply.again
        except Failure as error:
            raise _failed(error) from error
        except ValueError as error:
            raise _failed(Lost(self._where, _STRANGE)) from error

    def _look(self, verb: str, request: Document, end: End, parse: Callable[[Document], T]) -> T:
        """Send what changes nothing, of which a lost answer leaves nothing unknown.

        Raises:
            TooLarge: the answer is too large for one.
        """
        try:
            return parse(self._client.call(f"/v3/kv/{verb}", request, end).document)
        except TooLarge:
            raise
        except Refused as error:
            raise (_Compacted() if error.code == _COMPACTED else _failed(error)) from error
        except Lost as error:
            raise _failed(Absent(error.where, error.why)) from error
        except Failure as error:
            raise _failed(error) from error
        except ValueError as error:
            raise _failed(Absent(self._where, _STRANGE)) from error


class _Compacted(Exception):
    """The revision that a list began with is gone."""


def _wrapped(value: bytes, at: float) -> bytes:
    return b"%s%d\n%s" % (_MARK, round(at * 1_000_000), value)


def _unwrapped(data: bytes) -> tuple[bytes, float | None]:
    """Return a record's value and stamp; what is no record of ours comes as it is, unstamped."""
    head, found, value = data.partition(b"\n")
    digits = head.removeprefix(_MARK)
    if not found or len(digits) == len(head) or not digits.isdigit() or len(digits) > len("1" * 18):
        return data, None
    return value, int(digits) / 1_000_000


def _failed(error: Failure) -> StoreError:
    """Return a failure of the client as what it means for a record."""
    kind: type[StoreError] = Unavailable
    rule, what = "store-unavailable", "the board cannot be read or written"
    if isinstance(error, Lost):
        kind, what = Unknown, "the answer was lost: the record may stand, or come to stand"
    elif isinstance(error, Denied):
        rule, what = "not-permitted", "the board's server does not let us in"
    elif isinstance(error, Unfit):
        kind, what = Misconfigured, "the board's server is not what was asked for"
    return kind(rule, what, where=error.where, why=error.why, run="git coord doctor")
