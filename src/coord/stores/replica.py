"""A board on other hosts with a copy of it here: reads cost no request, and a refresh one or two.

The copy is what was there at one revision of the cluster. A create brings along, in its own step,
whatever was written since; so a decision that was made on the copy is proved on what is true now.
What was deleted shows in the number of records, and costs the second request. The copy is rebuilt
whenever it cannot be, so nothing of it needs to survive.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from coord.base import duration, publish
from coord.stores import about, answers, copyfile, keys, moved, retired, setback
from coord.stores.copyfile import LAST, below, path_of
from coord.stores.news import Since
from coord.stores.store import Misconfigured, Pending, Rec, StoreError, Unavailable, Unknown
from coord.stores.transacting import BATCH

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from contextlib import AbstractContextManager

    from coord.stores.firstseen import Sightings
    from coord.stores.news import Delta
    from coord.stores.probe import Probe
    from coord.stores.transacting import Transacting

FRESH = 1.0  # seconds: what one command reads, it reads off one copy
_AGAIN = 5.0  # seconds until a server that could not be reached is asked again
_TRIES = 8
_ALONG = (
    20  # records forgotten with a write; of a transaction's 128 operations, the rest is its own
)
_NEVER = float("-inf")


class Unreached(NamedTuple):
    """That the copy could not be brought up to date.

    Attributes:
        where: the board.
        error: why.
        at: when it last was, in seconds since the epoch by the clock of this machine.
    """

    where: str
    error: Unavailable
    at: float

    @property
    def told(self) -> str:
        """That in one line, with the age that the copy has now."""
        age = duration.told(time.time() - self.at)
        why = f"the board at {self.where} cannot be reached: {self.error.why}"
        return f"{why}; what is shown of it is {age} old"


class Replica:
    """A :class:`coord.stores.store.Store` on a cluster, read from a copy; one a command and thread.

    It keeps the contract but for this: a read sees every create that ended :data:`FRESH` seconds
    before it, and every one that this process made or met. Where the cluster cannot be reached, it
    sees what the copy has: nothing can be written then, so nothing false can be decided on it.
    Where the board has no clock, a record is stamped with when this copy first saw it as it is.

    Attributes:
        unreached: since when, where the last read was such a one.
        unsettled: folders of which this worker has records that are not published yet: what is read
            of them is not what it has said, and nothing may overtake that.
        epoch: which board it has to be; empty for any.
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
        self._path = path
        self._url = url
        self._fresh = fresh
        self._as_of = _NEVER  # by the monotonic clock
        self._as_it_is = False
        self._time_kept = False
        self._alone_since: int | None = None
        self._going: list[tuple[int, str]] = []
        self.unreached: Unreached | None = None
        self.unsettled: Collection[str] = ()
        self._open: tuple[int, sqlite3.Connection] | None = None
        self._seen: Sightings | None = None

    def close(self) -> None:
        """Close the copy and the connections; a later call opens them again."""
        with suppress(StoreError):
            self.settle()
        if self._open is not None and self._open[0] == os.getpid():
            self._open[1].close()
        self._open = None
        self._cluster.close()

    @property
    def where(self) -> str:
        """The server, and the prefix of the board's keys there."""
        return self._cluster.where

    def create(self, key: str, value: bytes) -> Rec:
        """See :meth:`.Store.create`: one request, and the news with it."""
        with self._to_be(Pending(key, value, None, ())):
            for _ in range(_TRIES):
                rec = self._put([(key, value)])
                if rec is not None:
                    return rec
                self.refresh()  # which tells if this is another board by now
            raise self._cluster.unsettled

    def append(
        self, key: str, value: bytes, after: str | None, also: Sequence[tuple[str, bytes]]
    ) -> Rec | None:
        """See :meth:`.Store.append`: one request, and the news with it.

        A folder is empty only if nothing was swept since, either: what begins there begins above.
        """
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

    def unload(self) -> None:
        """Write what no write has carried, if anything: one request, and the news with it."""
        if not self._cluster.is_laden:
            return
        self._require_reached()
        asked, base = self._asking(), self._rev()
        self._learned(asked, base, self._cluster.unload(self._since(base)))

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
        """Create all of `wanted`, if this is still the board that was chosen; write the news.

        Only if `after` is still there for the key `follows`, where that is given.
        """
        keys.require(wanted[0][0])
        self._require_reached()
        base, without = self._begun(), self._leaving()
        asked = self._asking()
        if after is None and 0 < keys.seq_of(follows) <= self._swept():
            return None  # another command has brought that into the copy since it was decided on
        held: list[Any] = []
        if self.epoch:
            self._require_same()
            held.append(self._cluster.follows("", about.KEY, self._rev_of(about.KEY)))
        if follows and after is None:
            # Not that it is empty: what is none of ours may stand there.
            folders = (follows.rpartition("/")[0], retired.FOLDER)
            held += [self._cluster.is_still(folder, base) for folder in folders]
        elif after is not None:
            held.append(self._cluster.follows(follows, after, self._rev_of(after)))
        try:
            rec, news = self._cluster.put(wanted, held, since=self._since(base), without=without)
        except (Unavailable, Unknown) as error:
            self._away(error)
            raise
        self._learned(asked, base, news)
        self._left(without)
        return rec if rec is None or self.caps.clock else rec._replace(at=None)

    def _learned(self, asked: float, base: int, news: Delta | None) -> None:
        """Write what came with an answer, of `asked`; without it the next read refreshes."""
        self._as_of, self.unreached, self._as_it_is = _NEVER, None, False
        self._remember()
        try:
            if news is not None and self._applied(base, news):
                self._require_same()
                self._looked(asked if news.at is None else news.at)
        except Misconfigured:
            return  # what was written stands; the next read says it

    def _begun(self) -> int:
        """Return up to where the copy has the board's sequence of writes; there has to be one."""
        base = self._rev()
        if not base:
            self.refresh()
            base = self._rev()
        return base

    def _rev_of(self, key: str) -> int | None:
        rows = self._run("SELECT rev FROM rec WHERE path = ?", path_of(key))
        return int(rows[0][0]) if rows else None

    def _value_of(self, key: str) -> bytes | None:
        rows = self._run("SELECT value FROM rec WHERE path = ?", path_of(key))
        return bytes(rows[0][0]) if rows else None

    def _swept(self) -> int:
        """Return the mark above which scopes begin, as the copy has it."""
        asked = "SELECT key FROM rec WHERE path > ? AND path < ?"
        return retired.highest(key for (key,) in self._run(asked, *below(retired.FOLDER)))

    def _leaving(self) -> list[str]:
        """Return the keys that are to be forgotten with the next request."""
        return [key for pid, key in self._going if pid == os.getpid()][:_ALONG]

    def _left(self, found: Sequence[str]) -> None:
        """Have keys, of which the board knows by now or with its next write, wait no more."""
        if found:
            gone = [(path_of(key),) for key in found]
            self._copy().executemany("UPDATE rec SET ours = 0 WHERE path = ?", gone)
            self._going = [one for one in self._going if one[1] not in found]

    def read(self, key: str) -> Rec | None:
        """See :meth:`.Store.read`."""
        keys.require(key)
        for rec in self._rows("path = ? AND ours", path_of(key)):
            return rec
        return None

    def list(self, prefix: str, *, values: bool = True) -> Sequence[Rec]:
        """See :meth:`.Store.list`."""
        recs = self._rows("path > ? AND path < ? AND ours ORDER BY path", *below(prefix))
        return recs if values else [rec._replace(value=b"") for rec in recs]

    def last(self, prefix: str, *, but: Callable[[Rec], bool] | None = None) -> Sequence[Rec]:
        """See :meth:`.Store.last`."""
        del but
        tops = f"SELECT {LAST} FROM rec WHERE path > ? AND path < ? AND ours AND folder <> ?"  # noqa: S608
        where = f"path IN ({tops} GROUP BY folder) ORDER BY path"
        return self._rows(where, *below(prefix), prefix)

    def folders(self, prefix: str) -> Sequence[str]:
        """See :meth:`.Store.folders`."""
        recs = self._rows(
            "path > ? AND path < ? AND ours AND folder <> ? ORDER BY path",
            *below(prefix),
            prefix,
        )
        return list(dict.fromkeys(rec.key.rpartition("/")[0] for rec in recs))

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
        before, self._alone_since = self._alone_since, self._rev()
        gone = "SELECT key FROM rec WHERE path > ? AND path < ? AND value = ?"
        spent = self._run(f"{gone} LIMIT {BATCH}", *below("notices"), answers.FORGOTTEN)
        if len(spent) == BATCH:
            self.take([[key] for (key,) in spent])
        try:
            yield True
        finally:
            self._alone_since = before

    def take(self, found: Sequence[Sequence[str]]) -> int:
        """See :meth:`.Store.take`: so many in one step, all or none of them."""
        self._require_reached()
        since = self._alone_since
        held = [] if since is None else [self._cluster.is_still("claims", since)]
        every, taken = [key for some in found for key in some], 0
        for at in range(0, len(every), BATCH):
            some = every[at : at + BATCH]
            if not self._cluster.drop(some, held):
                break
            self._dropped(some)
            taken += len(some)
        return taken

    def forget(self, found: Sequence[Rec]) -> None:
        """See :meth:`.Store.forget`: with the next request, or at the end."""
        self._going += [(os.getpid(), rec.key) for rec in found]

    def settle(self) -> None:
        """Have the server know now of what is to be forgotten.

        Raises:
            StoreError: it does not; so it is there for the next command.
        """
        while gone := self._leaving():
            self._require_reached()
            self._cluster.mark_forgotten(gone)
            self._left(gone)

    def _dropped(self, found: Sequence[str]) -> None:
        self._copy().executemany(
            "DELETE FROM rec WHERE path = ?", [(path_of(key),) for key in found]
        )

    def delete(self, key: str, expect: bytes) -> bool:
        """See :meth:`.Store.delete`: one request, if the copy knows the record."""
        rec = self.read(key)
        if rec is None or rec.value != expect:
            self.refresh()
            rec = self.read(key)
        if rec is None or rec.value != expect:
            return False
        self._require_reached()
        done = self._cluster.delete_at(key, rec.rev or 0)
        self._run("DELETE FROM rec WHERE path = ? AND rev = ?", path_of(key), rec.rev)
        return done

    def now(self) -> float | None:
        """Return the time by the clock that stamps records; by ours where that cannot be asked."""
        self._copy()
        if self._seen is not None:
            return self._seen.now()
        if self._cluster.ahead is not None or self._reaches():
            return self._cluster.now()
        return time.time()

    def _require_same(self) -> None:
        """Insist that this is the board that was chosen.

        Raises:
            Moved: it is elsewhere by now.
            Misconfigured: it was emptied, set back, or is another's by now.
        """
        left = self._value_of(moved.KEY)
        goal = None if left is None else moved.decode(left)
        if goal is not None:
            raise moved.Moved(goal, self._cluster.where)
        if not self.epoch:
            return
        said = self._value_of(about.KEY)
        found = None if said is None else about.decode(said)
        if found is None or found.epoch != self.epoch:
            raise answers.another(
                self._cluster.where,
                self._url,
                "what it says of itself is gone"
                if said is None
                else "it calls itself by another epoch",
            )

    def knows(self, prefix: str) -> bool:
        """Tell whether the copy, as it is, has anything below `prefix`."""
        where = "SELECT 1 FROM rec WHERE path > ? AND path < ? AND ours LIMIT 1"
        return bool(self._run(where, *below(prefix)))

    @contextmanager
    def unrefreshed(self) -> Iterator[None]:
        """See :meth:`.Store.unrefreshed`."""
        before = self._as_it_is
        self._as_it_is = self._is_old()
        try:
            yield
        finally:
            self._as_it_is = self._as_it_is and before

    def has(self, key: str) -> bool:
        """Tell whether the copy, as it is, has a record."""
        return self._rev_of(key) is not None

    def fresh(self) -> bool:
        """See :meth:`.Store.fresh`."""
        for folder in self.unsettled:
            self._require_settled(folder)
        self._require_reached()
        if not (self._as_it_is or (self._fresh and self._is_old())):
            return True
        try:
            self.refresh()
        except Unavailable as error:
            if self._rev():  # what is read next is the copy, and waits for nobody once more
                self._away(error)
            raise
        return False

    def _is_old(self) -> bool:
        # Away it is old, however lately that was found: what is asked again later has to be asked.
        return self.unreached is not None or time.monotonic() - self._as_of > self._fresh

    def refresh(self) -> None:
        """Bring the copy up to date: one request, and one more where something was deleted.

        Raises:
            StoreError: the cluster cannot be reached.
        """
        for _ in range(_TRIES):
            asked, base = self._asking(), self._rev()
            without = self._leaving() if base else []
            news = self._cluster.since(self._since(base) or Since(0), without)
            is_applied = self._applied(base, news)
            self._left(without)
            if is_applied:
                self._require_same()  # at each read, until it is
                self.unreached, self._as_it_is = None, False
                self._looked(asked if news.at is None else news.at)
                self._remember()
                return

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
        return self._rev()

    def watch(self, prefix: str, since: int, seconds: float) -> bool:
        """Wait until something below `prefix` is written after `since`; False if not in time.

        A hint (:meth:`coord.stores.transacting.Transacting.watch`), for a thread of its own.
        """
        return self._cluster.watch(prefix, since, seconds)

    def heard(self) -> None:
        """Have the next read bring the copy up to date."""
        self._as_of = _NEVER

    def _applied(self, base: int, news: Delta) -> bool:
        """Write the news after revision `base`; False where the copy is still not up to date."""
        try:
            (cluster,) = self._copy().execute("SELECT cluster FROM upto").fetchone()
            if base and (news.rev < base or news.cluster != cluster):
                # The cluster was set back, or restored: its revisions mean other writes.
                self._require_kept(self._standing(), base)
                self._copy().execute("UPDATE upto SET rev = 0")
                return False
            there = {} if news.stands else self._cluster.revisions()
            if not news.stands:  # it was deleted; or this is another history, that has caught up
                self._require_kept(there, base)
            if self._seen is not None:
                news = news._replace(recs=self._seen.stamped(news.recs))
            if base and (news.whole or any(map(setback.matters, news.gone))):
                self._require_kept(self._after(news), base)
            if not copyfile.written(self._copy(), base, news):
                return False
            if news.total is None:
                return True
            (count,) = self._copy().execute("SELECT count(*) FROM rec").fetchone()
            if count == news.total and news.stands:
                return True
            there = there or self._cluster.revisions()
            self._require_kept(there, base)
            return copyfile.kept(self._copy(), there)
        except sqlite3.Error as error:
            self._broken(error)
            return False

    def _standing(self) -> dict[str, int]:
        """Return what there is in another history, key → revision, 0 where the copy has another."""
        sql = "SELECT key, value FROM rec WHERE ours"
        known = dict(self._copy().execute(sql).fetchall())
        recs = self._cluster.everything()
        return {
            rec.key: rec.rev or 0 if known.get(rec.key, rec.value) == rec.value else 0
            for rec in recs
        }

    def _after(self, news: Delta) -> dict[str, int]:
        """Return what there is by the news, key → the revision that wrote it."""
        there: dict[str, int] = {}
        if not news.whole:
            there = dict(self._copy().execute("SELECT key, rev FROM rec").fetchall())
        for key in news.gone:
            there.pop(key, None)
        return there | {rec.key: rec.rev or 0 for rec in news.recs}

    def _require_kept(self, there: dict[str, int], base: int) -> None:
        """Insist that what the copy had of scopes and series is `there`, or was followed by more.

        Only of what it had at `base`: another command may have written what came after `there`.

        Raises:
            Misconfigured: the board was set back.
        """
        sql = "SELECT key, rev FROM rec WHERE ours AND rev <= ?"
        gone = setback.lost(dict(self._copy().execute(sql, (base,)).fetchall()), there, base)
        if gone:
            raise setback.error(gone, self._cluster.where, self._url)

    def _rows(self, where: str, *values: object) -> Sequence[Rec]:
        self._copy()  # after a fork it is another, of which nothing is known
        if self._is_old() and not (self._as_it_is and self._rev()):
            self._reaches()
        at, given = ("at", ()) if self._seen is None else self._seen.column()
        rows = self._run(f"SELECT key, value, {at}, rev FROM rec WHERE {where}", *given, *values)  # noqa: S608
        gone = {key for pid, key in self._going if pid == os.getpid()}
        return [Rec(key, value, at, rev=rev) for key, value, at, rev in rows if key not in gone]

    def _reaches(self) -> bool:
        """Bring the copy up to date, or go on with it as it is: then return False.

        Raises:
            Unavailable: there is none.
        """
        if self._is_away():
            return False
        try:
            self.refresh()
        except Unavailable as error:
            if not self._rev():
                raise
            self._away(error)
            return False
        return True

    def _away(self, error: Unavailable | Unknown) -> None:
        """Go on with the copy for a while."""
        ((at,),) = self._run("SELECT at FROM upto")
        self.unreached = Unreached(self.where, _unavailable(error), at)
        self._as_of = time.monotonic() + _AGAIN

    def _is_away(self) -> bool:
        return self.unreached is not None and time.monotonic() < self._as_of

    def _require_reached(self) -> None:
        """End at once what would have to wait for a server that has just not answered.

        Raises:
            Unavailable: that is so.
        """
        if self.unreached is not None and self._is_away():
            raise _unavailable(self.unreached.error)

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

    def _since(self, base: int) -> Since | None:
        """Return from where news are asked for; None where all is asked for.

        An event tells the history: other records are forgotten, or written over, all the time.
        """
        if not base:
            return None
        newest = "SELECT max(rev), key FROM rec WHERE path > ? AND path < ? AND ours"
        ((at, key),) = self._run(newest, *below("claims"))
        ((cluster,),) = self._run("SELECT cluster FROM upto")
        return Since(base, key or "", at if key else 0, cluster)

    def _rev(self) -> int:
        return int(self._run("SELECT rev FROM upto")[0][0])

    def _run(self, sql: str, *values: object) -> Sequence[tuple[Any, ...]]:
        try:
            return self._copy().execute(sql, values).fetchall()
        except sqlite3.Error as error:
            self._broken(error)
            self.refresh()
            return self._copy().execute(sql, values).fetchall()

    def _broken(self, error: sqlite3.Error) -> None:
        """Go on with a copy in memory; a file that is no copy any more is dropped."""
        copy = self._copy()
        copy.close()
        if copyfile.is_no_copy(error):
            publish.forget(self._path)
        self._use(copyfile.opened(copyfile.MEMORY))

    def _copy(self) -> sqlite3.Connection:
        """Return this process's connection to the copy; none is carried over a fork."""
        if self._open is None or self._open[0] != os.getpid():
            try:
                made = self._use(copyfile.opened(self._path))
            except (sqlite3.Error, OSError) as error:
                if isinstance(error, sqlite3.Error) and copyfile.is_no_copy(error):
                    publish.forget(self._path)
                made = self._use(copyfile.in_memory(self._path))
            if self.caps.clock and self._cluster.ahead is None:
                self._cluster.ahead = copyfile.remembered(made)
            return made
        return self._open[1]

    def _use(self, made: sqlite3.Connection) -> sqlite3.Connection:
        if not self.caps.clock:
            from coord.stores.firstseen import Sightings  # noqa: PLC0415  # for these boards alone

            self._seen = Sightings(made)
        self._open, self._as_of = (os.getpid(), made), _NEVER
        return made

    def _asking(self) -> float:
        """Return when the board is asked, by the monotonic clock."""
        if self._seen is not None:
            self._seen.ask()
        return time.monotonic()

    def _looked(self, asked: float) -> None:
        """Take it that what the copy has was so when the board was asked."""
        self._as_of = asked
        if self._seen is not None:
            self._seen.look()

    def _remember(self) -> None:
        if not self._time_kept and self._cluster.ahead is not None:
            self._time_kept = True
            copyfile.remember(self._copy(), self._cluster.ahead)


def _unavailable(error: Unavailable | Unknown) -> Unavailable:
    """Return an error of its own that nothing can be asked now, for the reason of `error`."""
    return Unavailable(
        "store-unavailable",
        "the board cannot be read or written",
        where=error.where,
        why=error.why,
        run=error.run,
    )
