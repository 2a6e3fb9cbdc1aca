"""A store whose writes are transactions: compare and change in one step, and be told what is new.

:class:`coord.stores.cluster.Cluster` is one, :class:`coord.stores.chain.Chain` another; a copy
(:class:`coord.stores.replica.Replica`) stands on either.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import nullcontext
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from coord.stores import answers, keys, moved
from coord.stores.store import in_turn, one_by_one

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

    from coord.stores.news import Delta, Since
    from coord.stores.probe import Probe
    from coord.stores.store import Caps, Rec, StoreError

#: A comparison, as the store makes it.
Held = TypeVar("Held")

MAX_VALUE = 1 << 20  # bytes of a record; etcd takes requests of 1.5 MiB
BATCH = 100  # records in one step; etcd's own limit for a transaction is 128 operations
_TRIES = 16


class Put(NamedTuple, Generic[Held]):
    """What is to be created in one step.

    Attributes:
        wanted: keys and values, not more than :data:`BATCH` beside the first.
        held: comparisons (:meth:`Transacting.follows` and :meth:`Transacting.is_still`).
        since: what else is new after this revision is told too: in the same step, so that what was
            decided on can be proved without another request.
        without: keys that are marked as forgotten with it, whether it is created or not.
    """

    wanted: Sequence[tuple[str, bytes]]
    held: Sequence[Held] = ()
    since: Since | None = None
    without: Sequence[str] = ()


class Transacting(ABC, Generic[Held]):
    """What such a store does by its transactions, as :class:`coord.stores.store.Store` asks for.

    Attributes:
        caps: what it can do.
        ahead: how far the server's time is ahead of our monotonic clock; None where it has none, or
            it was not heard. What was heard by an earlier command may be given.
    """

    caps: Caps
    ahead: float | None

    def __init__(self) -> None:
        self._along: tuple[str, bytes] | None = None

    @property
    @abstractmethod
    def where(self) -> str:
        """What the board is called in a message."""

    @abstractmethod
    def put(self, asked: Put[Held]) -> tuple[Rec | None, Delta | None]:
        """Create all that is wanted, if nothing of it is there and all that is held holds.

        Returns:
            The record that owns the first key, None if nobody's does; and the news, None where they
            are too many.
        """

    @abstractmethod
    def follows(self, key: str, after: str | None, at: int | None = None) -> Held:
        """Return what holds while `after` is there, where known as revision `at` wrote it.

        Where there is none, while the folder of `key` is empty.
        """

    @abstractmethod
    def is_still(self, folder: str, rev: int) -> Held:
        """Return what holds while nothing below `folder` was written after revision `rev`."""

    @abstractmethod
    def since(self, since: Since, without: Sequence[str] = ()) -> Delta:
        """Return what was created after a revision, in one request unless it is too much.

        The keys `without` are marked as forgotten with it.
        """

    @abstractmethod
    def unload(self, since: Since | None = None) -> Delta | None:
        """Write what no write has carried; return what else is new after `since`."""

    @abstractmethod
    def revisions(self) -> dict[str, int]:
        """Return what there is, key → the revision that wrote it."""

    @abstractmethod
    def everything(self) -> Iterable[Rec]:
        """Return all records there are, as of one revision."""

    @abstractmethod
    def adopt(self, recs: Sequence[Rec]) -> None:
        """Create records as they are elsewhere, stamps and all; what is there already stays."""

    @abstractmethod
    def read(self, key: str) -> Rec | None:
        """See :meth:`.Store.read`."""

    @abstractmethod
    def list(self, prefix: str, *, values: bool = True) -> Sequence[Rec]:
        """See :meth:`.Store.list`."""

    @abstractmethod
    def last(self, prefix: str, *, but: Callable[[Rec], bool] | None = None) -> Iterable[Rec]:
        """See :meth:`.Store.last`; a folder's last is its last of three parts."""

    @abstractmethod
    def delete_at(self, key: str, rev: int) -> bool:
        """Delete `key` if it is as revision `rev` wrote it; of racing callers one is told True."""

    @abstractmethod
    def drop(self, found: Sequence[str], held: Sequence[Held] = ()) -> bool:
        """Delete at most :data:`BATCH` keys in one step, if all of `held` holds."""

    @abstractmethod
    def mark_forgotten(self, found: Sequence[str]) -> None:
        """Have at most :data:`BATCH` keys stand for nothing any more."""

    @abstractmethod
    def watch(self, prefix: str, rev: int, seconds: float) -> bool:
        """Wait until something below `prefix` changes after revision `rev`; False if not in time.

        A hint, that may come too often and too late: what is so is read.

        Raises:
            StoreError: nobody keeps watch.
        """

    @abstractmethod
    def probe(self) -> Probe:
        """See :meth:`.Store.probe`."""

    @abstractmethod
    def now(self) -> float | None:
        """See :meth:`.Store.now`."""

    @abstractmethod
    def close(self) -> None:
        """Close what is open; a later call opens it again."""

    def create(self, key: str, value: bytes) -> Rec:
        """See :meth:`.Store.create`."""
        for _ in range(_TRIES):
            rec, _news = self.put(Put([(key, value)]))
            if rec is not None:
                return rec
        raise self.unsettled

    @property
    def unsettled(self) -> StoreError:
        """That a record is neither created nor there, however often it is tried."""
        return answers.unsettled(self.where)

    def append(
        self, key: str, value: bytes, after: str | None, also: Sequence[tuple[str, bytes]]
    ) -> Rec | None:
        """See :meth:`.Store.append`: one step, unless `also` is more than that."""
        if len(also) > BATCH:
            return in_turn(self, key, value, also)
        return self.put(Put([(key, value), *also], [self.follows(key, after)]))[0]

    def together(self, made: Sequence[tuple[str, bytes]]) -> bool:
        """See :meth:`.Store.together`."""
        if len(made) > BATCH:
            return False
        there, _ = self.put(Put(made))
        return there is not None and there.value == made[0][1]

    def carry(self, key: str, value: bytes) -> None:
        """Have the next write overwrite `key` too, whether it wins what it is for or not.

        The one kind of record that changes is what a clone tells of its own: it decides nothing
        that could not be decided without it.
        """
        keys.require(key)
        self._along = (key, value)

    @property
    def is_laden(self) -> bool:
        """Whether something waits for a write to carry it."""
        return self._along is not None

    def _unloaded(self) -> tuple[tuple[str, bytes], ...]:
        """Return what is carried, which is then no more."""
        along, self._along = self._along, None
        return () if along is None else (along,)

    def folders(self, prefix: str) -> Sequence[str]:
        """See :meth:`.Store.folders`."""
        recs, depth = self.list(prefix, values=False), prefix.count("/") + 1
        found = {"/".join(rec.key.split("/")[: depth + 1]): rec.key for rec in recs}
        return [folder for folder, key in found.items() if folder != key]

    def prune(self, folder: str) -> None:
        """A folder is a part of its records' keys, and gone with them."""

    def writing(self) -> AbstractContextManager[object]:
        """See :meth:`.Store.writing`; there are no sweeps to keep away."""
        return nullcontext()

    def alone(self) -> AbstractContextManager[bool]:
        """See :meth:`.Store.alone`; there is no lock that ends with its holder."""
        return nullcontext(enter_result=False)

    def delete(self, key: str, expect: bytes) -> bool:
        """See :meth:`.Store.delete`."""
        rec = self.read(key)
        return rec is not None and rec.value == expect and self.delete_at(key, rec.rev or 0)

    def take(self, found: Sequence[Sequence[str]]) -> int:
        """See :meth:`.Store.take`."""
        return one_by_one(self, found)

    def forget(self, found: Sequence[Rec]) -> None:
        """See :meth:`.Store.forget`."""
        for at in range(0, len(found), BATCH):
            self.mark_forgotten([rec.key for rec in found[at : at + BATCH]])

    def leave(self, mark: bytes) -> None:
        """Let nobody create anything here any more; `mark` says where the board is."""
        self.create(moved.KEY, mark)

    def stay(self) -> None:
        """Take the mark of :meth:`leave` away."""
        rec = self.read(moved.KEY)
        if rec is not None:
            self.delete(moved.KEY, rec.value)

    def left_for(self) -> moved.Goal | None:
        """Return where the board has moved, if it has."""
        return moved.of(self.read(moved.KEY))

    def unrefreshed(self) -> AbstractContextManager[object]:
        """See :meth:`.Store.unrefreshed`: there is no copy."""
        return nullcontext()

    def fresh(self) -> bool:
        """See :meth:`.Store.fresh`: there is no copy."""
        return True
