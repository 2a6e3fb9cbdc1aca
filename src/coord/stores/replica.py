"""A board on other hosts with a copy of it here: reads cost no request, and a refresh one or two.

The copy is what was there at one revision of the cluster. A create brings along, in its own step,
whatever was written since; so a decision that was made on the copy is proved on what is true now.
What was deleted shows in the number of records, and costs the second request. The copy is rebuilt
whenever it cannot be, so nothing of it needs to survive.
"""

from __future__ import annotations

import time
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

from coord.stores import answers, copyfile, keys, proving
from coord.stores.copyfile import LAST, below, path_of
from coord.stores.keptcopy import TRIES, KeptCopy
from coord.stores.opencopy import NEVER
from coord.stores.store import Pending, Rec, StoreError, Unavailable, Unknown
from coord.stores.transacting import BATCH

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from contextlib import AbstractContextManager

    from coord.stores.probe import Probe
    from coord.stores.transacting import Transacting
    from coord.stores.unreached import Unreached

FRESH = 1.0  # seconds: what one command reads, it reads off one copy


class Replica:
    """A :class:`coord.stores.store.Store` on a cluster, read from a copy; one a command and thread.

    It keeps the contract but for this: a read sees every create that ended :data:`FRESH` seconds
    before it, and every one that this process made or met. Where the cluster cannot be reached, it
    sees what the copy has: nothing can be written then, so nothing false can be decided on it.
    Where the board has no clock, a record is stamped with when this copy first saw it as it is.

    Attributes:
        epoch: which board it has to be; empty for any.
        unsettled: folders of which this worker has records that are not published yet: what is read
            of them is not what it has said, and nothing may overtake that.
    """

    def __init__(
        self,
        cluster: Transacting[Any],
        path: str = copyfile.MEMORY,
        fresh: float = FRESH,
        epoch: str = "",
        url: str = "etcd://HOST/PREFIX",
    ) -> None:
        """Open the copy at `path`, which a file is for the commands to come.

        Args:
            cluster: the board itself.
            path: the copy.
            fresh: how old what is read may be, in seconds.
            epoch: which board it has to be (:mod:`coord.stores.about`); empty for any.
            url: what names it, for commands that are printed.
        """
        self._cluster = cluster
        self.caps = cluster.caps
        self.epoch = epoch
        self.unsettled: Collection[str] = ()
        self._copy = KeptCopy(cluster, path, fresh, epoch, url)
        self._alone_since: int | None = None
        self._brought: Rec | None = None

    def close(self) -> None:
        """Close the copy and the connections; a later call opens them again."""
        with suppress(StoreError):
            self.settle()
        self._copy.close()
        self._cluster.close()

    @property
    def where(self) -> str:
        """The server, and the prefix of the board's keys there."""
        return self._cluster.where

    @property
    def unreached(self) -> Unreached | None:
        """Since when the board is not reached, where what was read last is such a copy's."""
        return self._copy.unreached

    def create(self, key: str, value: bytes) -> Rec:
        """See :meth:`.Store.create`: one request, and the news with it."""
        with self._to_be(Pending(key, value, None, ())):
            for _ in range(TRIES):
                rec = self._put([(key, value)])
                if rec is not None:
                    return rec
                self.refresh()  # which tells if this is another board by now
            raise self._cluster.unsettled

    def append(
        self, key: str, value: bytes, after: str | None, also: Sequence[tuple[str, bytes]]
    ) -> Rec | None:
        """See :meth:`.Store.append`: one request, and the news with it."""
        with self._to_be(Pending(key, value, after, also)):
            early, also = also[BATCH:], also[:BATCH]
            for name, text in early:
                self.create(name, text)
            rec = self._put([(key, value), *also], key, after)
        if early and (rec is None or rec.value != value):
            self.take([[name] for name, _ in early])
        return rec

    def carry(self, key: str, value: bytes) -> None:
        """See :meth:`coord.stores.transacting.Transacting.carry`."""
        self._cluster.carry(key, value)

    def bring(self, key: str, value: bytes) -> None:
        """Have the next create make a record too that is not there yet, in its own step.

        It is read here from now on. It is one of the worker's own: another process of it may make
        it sooner, with other bytes, and no record of anybody else's stands in its way.
        """
        self._brought = Rec(key, value)

    def unload(self) -> None:
        """Write what no write has carried, if anything: one request, and the news with it."""
        if self._brought is not None:
            left, self._brought = self._brought, None
            self.create(left.key, left.value)
        if not self._cluster.is_laden:
            return
        self._copy.require_reached()
        asked, base = self._copy.asking(), self._copy.rev()
        try:
            news = self._cluster.unload(self._copy.since(base))
        except (Unavailable, Unknown) as error:
            if base:
                self._copy.away(error)
            raise
        self._copy.learned(asked, base, news)

    @contextmanager
    def _to_be(self, wanted: Pending) -> Iterator[None]:
        """Have an error of a block say what was to be created.

        Raises:
            StoreError: there is no answer, or something is to be published before it.
        """
        self._require_settled(wanted.key.rpartition("/")[0])
        try:
            yield
        except (Unavailable, Unknown) as error:
            error.pending = wanted
            raise

    def together(self, made: Sequence[tuple[str, bytes]]) -> bool:
        """See :meth:`.Store.together`."""
        if len(made) > BATCH:
            return False
        there = self._put(made)
        return there is not None and there.value == made[0][1]

    def _put(
        self, wanted: Sequence[tuple[str, bytes]], follows: str = "", after: str | None = None
    ) -> Rec | None:
        brought = self._brought
        if brought is None or self.has(brought.key):
            return proving.put(self._copy, wanted, follows, after)
        more = (brought.key, brought.value)
        rec = proving.put(self._copy, [*wanted, more], follows, after)
        if rec is not None and rec.value == wanted[0][1]:
            self._brought = None
        return rec

    def read(self, key: str) -> Rec | None:
        """See :meth:`.Store.read`."""
        keys.require(key)
        for rec in self._recs("path = ? AND ours", path_of(key)):
            return rec
        return self._brought if self._brought is not None and self._brought.key == key else None

    def list(self, prefix: str, *, values: bool = True) -> Sequence[Rec]:
        """See :meth:`.Store.list`."""
        recs = self._recs("path > ? AND path < ? AND ours ORDER BY path", *below(prefix))
        brought = self._brought
        if brought is not None and brought.key.startswith(f"{prefix}/"):
            named = {path_of(brought.key): brought, **{path_of(rec.key): rec for rec in recs}}
            recs = [named[path] for path in sorted(named)]
        return recs if values else [rec._replace(value=b"") for rec in recs]

    def last(self, prefix: str, *, but: Callable[[Rec], bool] | None = None) -> Sequence[Rec]:
        """See :meth:`.Store.last`."""
        del but
        tops = f"SELECT {LAST} FROM rec WHERE path > ? AND path < ? AND ours AND folder <> ?"  # noqa: S608
        where = f"path IN ({tops} GROUP BY folder) ORDER BY path"
        return self._recs(where, *below(prefix), prefix)

    def folders(self, prefix: str) -> Sequence[str]:
        """See :meth:`.Store.folders`."""
        recs = self._recs(
            "path > ? AND path < ? AND ours AND folder <> ? ORDER BY path",
            *below(prefix),
            prefix,
        )
        return list(dict.fromkeys(rec.key.rpartition("/")[0] for rec in recs))

    def _recs(self, where: str, *values: object) -> Sequence[Rec]:
        self._copy.bring()
        return self._copy.recs(where, *values)

    def prune(self, folder: str) -> None:
        """A folder is a part of its records' keys, and gone with them."""

    def writing(self) -> AbstractContextManager[object]:
        """See :meth:`.Store.writing`: what is written proves what it stands on."""
        return nullcontext()

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """See :meth:`.Store.alone`: as long as nobody changes a claim."""
        try:
            self.fresh()
        except Unavailable:
            yield False
            return
        before, self._alone_since = self._alone_since, self._copy.rev()
        gone = "SELECT key FROM rec WHERE path > ? AND path < ? AND value = ?"
        spent = self._copy.run(f"{gone} LIMIT {BATCH}", *below("notices"), answers.FORGOTTEN)
        if len(spent) == BATCH:
            self.take([[key] for (key,) in spent])
        try:
            yield True
        finally:
            self._alone_since = before

    def take(self, found: Sequence[Sequence[str]]) -> int:
        """See :meth:`.Store.take`: so many in one step, all or none of them."""
        self._copy.require_reached()
        since = self._alone_since
        held = [] if since is None else [self._cluster.is_still("claims", since)]
        every, taken = [key for some in found for key in some], 0
        for at in range(0, len(every), BATCH):
            some = every[at : at + BATCH]
            if not self._cluster.drop(some, held):
                break
            self._copy.drop(some)
            taken += len(some)
        return taken

    def forget(self, found: Sequence[Rec]) -> None:
        """See :meth:`.Store.forget`: with the next request, or at the end."""
        self._copy.forget([rec.key for rec in found])

    def settle(self) -> None:
        """Have the server know now of what is to be forgotten.

        Raises:
            StoreError: it does not; so it is there for the next command.
        """
        while gone := self._copy.leaving():
            self._copy.require_reached()
            self._cluster.mark_forgotten(gone)
            self._copy.left(gone)

    def delete(self, key: str, expect: bytes) -> bool:
        """See :meth:`.Store.delete`: one request, if the copy knows the record."""
        rec = self.read(key)
        if rec is None or rec.value != expect:
            self.refresh()
            rec = self.read(key)
        if rec is None or rec.value != expect:
            return False
        self._copy.require_reached()
        done = self._cluster.delete_at(key, rec.rev or 0)
        self._copy.run("DELETE FROM rec WHERE path = ? AND rev = ?", path_of(key), rec.rev)
        return done

    def now(self) -> float | None:
        """Return the time by the clock that stamps records; by ours where that cannot be asked."""
        self._copy.connection()
        if self._copy.seen is not None:
            return self._copy.seen.now()
        if self._cluster.ahead is not None or self._copy.reaches():
            return self._cluster.now()
        return time.time()

    def knows(self, prefix: str) -> bool:
        """Tell whether the copy, as it is, has anything below `prefix`."""
        return self._copy.has_below(prefix)

    def has(self, key: str) -> bool:
        """Tell whether the copy, as it is, has a record."""
        return self._copy.rev_of(key) is not None

    @contextmanager
    def unrefreshed(self) -> Iterator[None]:
        """See :meth:`.Store.unrefreshed`."""
        before = self._copy.as_it_is
        self._copy.as_it_is = self._copy.is_old()
        try:
            yield
        finally:
            self._copy.as_it_is = self._copy.as_it_is and before

    def fresh(self) -> bool:
        """See :meth:`.Store.fresh`."""
        for folder in self.unsettled:
            self._require_settled(folder)
        return self._copy.insist()

    def refresh(self) -> None:
        """Bring the copy up to date: one request, and one more where something was deleted.

        Raises:
            StoreError: the cluster cannot be reached.
        """
        self._copy.refresh()

    def probe(self) -> Probe:
        """See :meth:`.Store.probe`; it has to be the chosen board, too."""
        found = self._cluster.probe()
        if found.troubles:
            return found
        try:
            self.refresh()
        except StoreError as error:
            return found._replace(troubles=(answers.trouble(error),))
        return found

    def place(self) -> int:
        """Return up to where the copy has the board's sequence of writes."""
        return self._copy.rev()

    def watch(self, prefix: str, since: int, seconds: float) -> bool:
        """Wait until something below `prefix` is written after `since`; False if not in time.

        A hint (:meth:`coord.stores.transacting.Transacting.watch`), for a thread of its own.
        """
        return self._cluster.watch(prefix, since, seconds)

    def heard(self) -> None:
        """Have the next read bring the copy up to date."""
        self._copy.as_of = NEVER

    def _require_settled(self, folder: str) -> None:
        """Let nothing overtake what this worker has not published yet.

        Raises:
            Unavailable: there is such a thing in `folder`.
        """
        if folder in self.unsettled:
            raise Unavailable(
                "unpublished-before",
                "this was not written down, and is to be repeated later",
                where=self.where,
                why="what this worker has said before is written down here and not published yet; "
                "what is said now would overtake it",
                run="git coord store",
            )
