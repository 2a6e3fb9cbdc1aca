"""The store on several hosts: keys of an etcd cluster below a prefix, one key a record.

etcd acknowledges what a majority of its members has on disk, and gives every write the next number
of one sequence; a transaction compares and writes in one step. It has no clock that it stamps by:
each writer adds its estimate of the server's time, to a second, and nothing is decided by it but
what age may decide. It sorts keys by their bytes, and we by their parts.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from coord.base import deadline
from coord.base.failures import Absent, Failure, Lost, Refused, TooLarge, Unfit
from coord.etcd import pairs, wire
from coord.etcd.client import PATIENCE, Client
from coord.stores import answers, keys, moved
from coord.stores.answers import failed
from coord.stores.news import Delta, Since
from coord.stores.store import Caps, Rec
from coord.stores.transacting import BATCH, MAX_VALUE, Put, Transacting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from coord.etcd.address import Address
    from coord.etcd.pairs import Done, Header, Pair
    from coord.etcd.wire import End
    from coord.stores.probe import Probe

    Document = Mapping[str, object]
T = TypeVar("T")

_PAGE = 2000  # records; etcd's own limit for a transaction is 128 operations
_LISTING = 30.0  # seconds
_TRIES = 16
_NEWS = 3  # reads: what is new, the number of all, and whether the history is the same
_STRANGE = "the answer is not etcd's"
_COMPACTED = 11  # gRPC's OUT_OF_RANGE


class Cluster(Transacting["Document"]):
    """A :class:`coord.stores.store.Store` on etcd."""

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
        super().__init__()
        self._address = address
        self._cwd = cwd
        self._client = Client(address, cache=cache, cwd=cwd)
        self._first = address.endpoints[0]
        self._prefix = f"{address.prefix}/".encode()
        self._patience = patience

    def probe(self) -> Probe:
        """See :meth:`.Store.probe`."""
        from coord.stores import serverprobe  # noqa: PLC0415  # for the doctor alone

        return serverprobe.probe(self, self.where, self._address, self._cwd)

    def close(self) -> None:
        """Close the connections; a later call opens them again."""
        self._client.close()

    def unload(self, since: Since | None = None) -> Delta | None:
        """See :meth:`coord.stores.transacting.Transacting.unload`."""
        end = self._soon
        at = self._time(end)
        then = [*self._carried(at), *(() if since is None else self._news(since))]
        done, _ = self._done(pairs.transaction([], then), end)
        return None if since is None else self._delta(done, since)

    def _carried(self, at: float) -> Sequence[Document]:
        found = self._unloaded()
        return [pairs.put(self._name(key), answers.wrapped(value, at)) for key, value in found]

    def put(self, asked: Put[Document]) -> tuple[Rec | None, Delta | None]:
        """See :meth:`coord.stores.transacting.Transacting.put`."""
        for _, text in asked.wanted:
            if not 0 < len(text) <= self.caps.max_value:
                raise ValueError(len(text))
        end = self._soon
        (key, value), at = asked.wanted[0], self._time(end)
        left = self._name(moved.KEY)
        named = {self._name(name): text for name, text in asked.wanted}
        more = [*self._carried(at), *self._forgotten(asked.without)]
        more += [] if asked.since is None else self._news(asked.since)
        sent = pairs.transaction(
            [*map(pairs.is_absent, named), *asked.held, pairs.is_absent(left)],
            [*(pairs.put(name, answers.wrapped(text, at)) for name, text in named.items()), *more],
            [*(pairs.get(pairs.one(name)) for name in (self._name(key), left)), *more],
        )
        try:
            done, _ = self._done(sent, end)
        except TooLarge as error:
            if asked.since is None:
                raise failed(error) from error
            return self.put(asked._replace(since=None))  # it is created: asked again, it says so
        news = None if asked.since is None else self._delta(done, asked.since)
        if done.held:
            return Rec(key, value, at, rev=done.header.rev), news
        there, gone = (found.pairs for found in done.ranges[:2]) if done.ranges[1:] else ((), ())
        goal = moved.of(self._rec(gone[0])) if gone else None
        if goal is not None:
            raise moved.Moved(goal, self.where)
        return (self._rec(there[0]) if there else None), news

    def follows(self, key: str, after: str | None, at: int | None = None) -> Document:
        """See :meth:`coord.stores.transacting.Transacting.follows`."""
        if after is None:
            return pairs.is_empty(self._name(key).rpartition(b"/")[0] + b"/")
        name = self._name(after)
        return pairs.is_there(name) if at is None else pairs.is_at(name, at)

    def is_still(self, folder: str, rev: int) -> Document:
        """See :meth:`coord.stores.transacting.Transacting.is_still`."""
        return pairs.is_still(self._prefix + f"{folder}/".encode(), rev)

    def read(self, key: str) -> Rec | None:
        """See :meth:`.Store.read`."""
        asked = pairs.one(self._name(key))
        found = self._look("range", asked, self._soon, pairs.of_range).pairs
        return self._rec(found[0]) if found and found[0].value != answers.FORGOTTEN else None

    def list(self, prefix: str, *, values: bool = True) -> Sequence[Rec]:
        """See :meth:`.Store.list`."""
        return self._below(prefix, wire.within(_LISTING), values=values)

    def last(self, prefix: str, *, but: Callable[[Rec], bool] | None = None) -> Iterable[Rec]:
        """See :meth:`.Store.last`; a folder's last is its last of three parts."""
        del but
        end = wire.within(_LISTING)
        found: dict[str, list[str]] = {}
        for rec in self._below(prefix, end, values=False):
            if rec.key.count("/") > prefix.count("/") + 1:
                folder, _, name = rec.key.rpartition("/")
                found.setdefault(folder, []).append(name)
        names = [self._name(f"{folder}/{keys.newest(each)}") for folder, each in found.items()]
        batches = [names[at : at + BATCH] for at in range(0, len(names), BATCH)]
        return [rec for batch in batches for rec in self._read(batch, end)]

    def delete_at(self, key: str, rev: int) -> bool:
        """See :meth:`coord.stores.transacting.Transacting.delete_at`."""
        name = self._name(key)
        asked = pairs.transaction([pairs.is_at(name, rev)], [pairs.delete(name)])
        done, again = self._done(asked, self._soon)
        if again and not done.held:
            raise failed(Lost(self.where, "this call or another's has deleted it"))
        return done.held

    def everything(self) -> Iterable[Rec]:
        """See :meth:`coord.stores.transacting.Transacting.everything`."""
        recs, _ = self._whole(self._prefix, wire.within(_LISTING), values=True)
        return [rec for rec in recs if keys.is_key(rec.key) and rec.value != answers.FORGOTTEN]

    def adopt(self, recs: Sequence[Rec]) -> None:
        """See :meth:`coord.stores.transacting.Transacting.adopt`."""
        for batch in _batches(recs):
            if not self._adopted(batch):
                for rec in batch:
                    self._adopted([rec])

    def _adopted(self, recs: Sequence[Rec]) -> bool:
        end = self._soon
        now = self._time(end)
        named = [(self._name(rec.key), rec) for rec in recs]
        puts = [
            pairs.put(name, answers.wrapped(rec.value, now if rec.at is None else rec.at))
            for name, rec in named
        ]
        done, _ = self._done(
            pairs.transaction([pairs.is_absent(name) for name, _ in named], puts), end
        )
        return done.held

    def drop(self, found: Sequence[str], held: Sequence[Document] = ()) -> bool:
        """See :meth:`coord.stores.transacting.Transacting.drop`."""
        asked = pairs.transaction(held, [pairs.delete(self._name(key)) for key in found])
        return self._done(asked, self._soon)[0].held

    def mark_forgotten(self, found: Sequence[str]) -> None:
        """See :meth:`coord.stores.transacting.Transacting.mark_forgotten`."""
        asked = pairs.transaction([], self._forgotten(found))
        self._done(asked, self._soon)

    def _forgotten(self, found: Sequence[str]) -> Sequence[Document]:
        return [pairs.put(self._name(key), answers.FORGOTTEN) for key in found]

    def since(self, since: Since, without: Sequence[str] = ()) -> Delta:
        """See :meth:`coord.stores.transacting.Transacting.since`."""
        if since.rev:
            end = self._soon
            asked = pairs.transaction([], [*self._forgotten(without), *self._news(since)])
            try:
                found = self._delta(self._look("txn", asked, end, pairs.of_transaction), since)
            except TooLarge:
                found = None
            if found is not None:
                return found
        recs, header = self._whole(self._prefix, wire.within(_LISTING), values=True)
        return Delta(recs, len(recs), header.rev, header.cluster, whole=True)

    def revisions(self) -> dict[str, int]:
        """See :meth:`coord.stores.transacting.Transacting.revisions`."""
        recs, _ = self._whole(self._prefix, wire.within(_LISTING), values=False)
        return {rec.key: rec.rev or 0 for rec in recs}

    def watch(self, prefix: str, rev: int, seconds: float) -> bool:
        """See :meth:`coord.stores.transacting.Transacting.watch`."""
        keys.require(f"{prefix}/x")
        below = pairs.below(self._prefix + f"{prefix}/".encode())
        try:
            asked = {**below, "start_revision": str(rev + 1)}
            return self._client.watch(asked, wire.within(seconds))
        except Lost as error:
            raise failed(Absent(error.where, error.why)) from error
        except Failure as error:
            raise failed(error) from error

    def _news(self, since: Since) -> Sequence[Document]:
        after = {**pairs.below(self._prefix, limit=_PAGE), "min_mod_revision": str(since.rev + 1)}
        known = {**pairs.one(self._name(since.key or moved.KEY)), "keys_only": True}
        return pairs.get(after), pairs.get(pairs.count(self._prefix)), pairs.get(known)

    def _delta(self, done: Done, since: Since) -> Delta | None:
        """Return the news in the last answers of a transaction; None if too many for one."""
        asked = done.ranges[-_NEWS:]
        if len(asked) < _NEWS or asked[0].more:
            return None
        news, counted, known = asked
        recs = [self._rec(pair) for pair in news.pairs]
        stands = not since.key or any(pair.rev == since.at for pair in known.pairs)
        cluster, rev = done.header
        return Delta(recs, counted.total, rev, cluster, whole=False, stands=stands)

    def now(self) -> float | None:
        """Return the server's time, as the first answer to this client gave it, to a second."""
        return self._time(self._soon)

    @property
    def ahead(self) -> float | None:
        """How far the server's time is ahead of our monotonic clock; None where it was not heard.

        What was heard by an earlier command may be given, until the server says it anew.
        """
        return self._client.ahead

    @ahead.setter
    def ahead(self, seconds: float | None) -> None:
        self._client.ahead = seconds

    def _time(self, end: End) -> float:
        if self._client.ahead is None:
            self._look("range", pairs.count(self._prefix), end, pairs.of_range)
        if self._client.ahead is None:
            raise failed(Unfit(self.where, "its answers have no date"))
        return round(time.monotonic() + self._client.ahead, 6)

    def _read(self, names: Sequence[bytes], end: End) -> Iterable[Rec]:
        """Return the records of several keys, in one request or, if too large for one, in more."""
        asked = pairs.transaction([], [pairs.get(pairs.one(name)) for name in names])
        try:
            done = self._look("txn", asked, end, pairs.of_transaction)
        except TooLarge as error:
            if len(names) == 1:
                raise failed(error) from error
            half = len(names) // 2
            return [*self._read(names[:half], end), *self._read(names[half:], end)]
        return [self._rec(pair) for found in done.ranges for pair in found.pairs]

    def _below(self, prefix: str, end: End, *, values: bool) -> Sequence[Rec]:
        keys.require(f"{prefix}/x")
        recs, _ = self._whole(self._prefix + f"{prefix}/".encode(), end, values=values)
        ours = [rec for rec in recs if keys.is_key(rec.key) and rec.value != answers.FORGOTTEN]
        return sorted(ours, key=lambda rec: rec.key.split("/"))

    def _whole(self, prefix: bytes, end: End, *, values: bool) -> tuple[Sequence[Rec], Header]:
        """Return all below `prefix` as of one revision, keys of others among them."""
        for _ in range(_TRIES):
            try:
                found, header = self._pages(prefix, end, values=values)
            except _Compacted:
                continue
            return [self._rec(pair) for pair in found], header
        raise failed(Absent(self.where, "it is compacted faster than it can be listed"))

    def _pages(self, prefix: bytes, end: End, *, values: bool) -> tuple[Sequence[Pair], Header]:
        found: list[Pair] = []
        limit, start = _PAGE, prefix
        header: Header | None = None
        while True:
            asked = pairs.below(prefix, start, keys_only=not values, limit=limit)
            if header:
                asked["revision"] = str(header.rev)
            try:
                page = self._look("range", asked, min(end, self._soon), pairs.of_range)
            except TooLarge as error:
                if limit == 1:
                    raise failed(error) from error
                limit = max(1, limit // 8)
                continue
            found += page.pairs
            header = header or page.header
            if not page.more or not page.pairs:
                return found, header
            start = page.pairs[-1].key + b"\0"

    @property
    def _soon(self) -> End:
        """By when a server has to answer anything: a frozen one is not waited for as for a list."""
        return wire.within(deadline.left(self._patience))

    def _rec(self, pair: Pair) -> Rec:
        key = pair.key[len(self._prefix) :].decode("latin-1")
        value, at = answers.unwrapped(pair.value)
        return Rec(key, value, at, rev=pair.rev)

    def _name(self, key: str) -> bytes:
        keys.require(key)
        return self._prefix + key.encode()

    @property
    def where(self) -> str:
        """The first of its members, and the prefix of this board's keys."""
        return f"{self._first}/{self._prefix.decode()}".rstrip("/")

    def _done(self, request: Document, end: End) -> tuple[Done, bool]:
        """Send a transaction that may change something; tell too whether it was sent before.

        Raises:
            TooLarge: it was done, and the answer is too large for one.
        """
        try:
            reply = self._client.call("/v3/kv/txn", request, end)
            return pairs.of_transaction(reply.document), reply.again
        except TooLarge:
            raise
        except Failure as error:
            raise failed(error) from error
        except ValueError as error:
            raise failed(Lost(self.where, _STRANGE)) from error

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
            raise (_Compacted() if error.code == _COMPACTED else failed(error)) from error
        except Lost as error:
            raise failed(Absent(error.where, error.why)) from error
        except Failure as error:
            raise failed(error) from error
        except ValueError as error:
            raise failed(Absent(self.where, _STRANGE)) from error


def _batches(recs: Sequence[Rec]) -> Iterator[Sequence[Rec]]:
    """Yield records in portions that one transaction takes."""
    batch: list[Rec] = []
    size = 0
    for rec in recs:
        if batch and (len(batch) == BATCH or size + len(rec.value) > MAX_VALUE):
            yield batch
            batch, size = [], 0
        batch.append(rec)
        size += len(rec.value)
    if batch:
        yield batch


class _Compacted(Exception):
    """The revision that a list began with is gone."""
