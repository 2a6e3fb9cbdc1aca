"""The store on a git remote: one ref, a chain of commits, each of them one transaction.

A write is a commit on the tip that it was decided on, and its push is refused where the tip is
another by then: so of two writers one wins, and whatever is taken away shows. There is no clock:
each stamp is its writer's, and age is how long a copy has had a record as it is.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from coord.base.failures import Absent, Failure, Lost
from coord.liveness import machine
from coord.remote import draft, objects, pushing, queue, tips
from coord.remote.draft import Ask, Change, Held
from coord.remote.share import Share
from coord.remote.tips import Place, Tip
from coord.stores import keys, moved
from coord.stores.answers import failed
from coord.stores.news import Delta, Since
from coord.stores.store import Caps, Rec, StoreError
from coord.stores.transacting import BATCH, MAX_VALUE, Put, Transacting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from coord.remote.address import Address
    from coord.remote.queue import Answer
    from coord.stores.probe import Probe

    T = TypeVar("T")

PATIENCE = 20.0  # seconds of one fetch or push; ssh alone may take three
RATE = 6.0  # pushes a minute that GitHub recommends at most for a repository
_EVERY, _OFTEN = 5.0, 1.0  # seconds between fetches of those who wait; where pushes have no price
_LOOK = 0.25  # seconds between looks at what others of this clone have fetched


class Chain(Transacting[Held]):
    """A :class:`coord.stores.store.Store` on a git remote."""

    caps = Caps(clock=False, durable=True, hosts=True, max_value=MAX_VALUE)
    ahead = None

    def __init__(
        self,
        where: Address,
        home: str,
        *,
        patience: float = PATIENCE,
        rate: float = 0.0,
        fresh: float = 0.0,
        tell: Callable[[str], object] = tips.mute,
    ) -> None:
        """Prepare; nothing is asked before the first call.

        Args:
            where: the repository.
            home: folder of what is kept of it here, which is made where there is none.
            patience: seconds within which one fetch or push ends.
            rate: how many pushes a minute all clones make together; 0 for no limit.
            fresh: how old, in seconds, what another process of this clone has fetched may be.
            tell: is told what is waited for.
        """
        super().__init__()
        self._place = Place(where, home, patience, machine.boot(), tell)
        self._share = Share(rate, tell)
        self._fresh = fresh
        self._owes = False
        self._heard = Tip()

    @property
    def where(self) -> str:
        """The repository, without a secret."""
        return self._place.where.text

    def probe(self) -> Probe:
        """See :meth:`.Store.probe`."""
        from coord.stores import remoteprobe  # noqa: PLC0415  # for the doctor alone

        return remoteprobe.probe(self, self._place, self._share)

    def close(self) -> None:
        """Push what waits for a push, where those have no price; nothing else is open."""
        if self._owes:
            self._owes = False
            with suppress(StoreError):  # it goes with the next push
                self._push_waiting()

    def now(self) -> float | None:
        """See :meth:`.Store.now`: there is no clock."""
        return None

    def put(self, asked: Put[Held]) -> tuple[Rec | None, Delta | None]:
        """See :meth:`coord.stores.transacting.Transacting.put`."""
        for key, text in asked.wanted:
            keys.require(key)
            if not 0 < len(text) <= self.caps.max_value:
                raise ValueError(len(text))
        at = round(time.time(), 6)
        free = [Held(draft.ABSENT, key) for key in (*(key for key, _ in asked.wanted), moved.KEY)]
        if asked.since is not None and asked.since.cluster:
            free.append(Held(draft.LINE, asked.since.cluster))
        then = tuple(Change(key, text, at) for key, text in asked.wanted)
        ask = Ask((*free, *asked.held), then, self._also(asked.without))
        return self._tried(lambda: self._put(ask, asked.since))

    def _put(self, ask: Ask, since: Since | None) -> tuple[Rec | None, Delta | None]:
        done = self._published(ask)
        tip = Tip(done.name, done.rev, done.line, done.began)
        news = None if since is None else self._news(since, tip)
        wanted = ask.then[0]
        if done.done:
            return Rec(wanted.key, wanted.value or b"", wanted.at, rev=tip.rev), news
        there = {rec.key: rec for rec in self._recs(tip, only=(wanted.key, moved.KEY))}
        goal = moved.of(there.get(moved.KEY))
        if goal is not None:
            raise moved.Moved(goal, self.where)
        return there.get(wanted.key), news

    def _also(self, without: Sequence[str]) -> tuple[Change, ...]:
        """Return what goes along with any write: what is carried, and what is forgotten."""
        at = time.time()
        carried = (Change(key, value, at) for key, value in self._unloaded())
        return (*carried, *(Change(key, None) for key in without))

    def follows(self, key: str, after: str | None, at: int | None = None) -> Held:
        """See :meth:`coord.stores.transacting.Transacting.follows`."""
        if after is None:
            return Held(draft.EMPTY, key.rpartition("/")[0])
        return Held(draft.THERE, after) if at is None else Held(draft.AT, after, at)

    def is_still(self, folder: str, rev: int) -> Held:
        """See :meth:`coord.stores.transacting.Transacting.is_still`."""
        return Held(draft.STILL, folder, rev)

    def since(self, since: Since, without: Sequence[str] = ()) -> Delta:
        """See :meth:`coord.stores.transacting.Transacting.since`; it pushes nothing."""
        self._later([Change(key, None) for key in without])
        found = self._tried(lambda: self._since(since))
        self._owes = self._owes or (bool(without) and not self._share.rate)
        return found

    def _since(self, since: Since) -> Delta:
        asked, heard, self._heard = tips.clock(), self._heard, Tip()
        begun = heard.began if asked - heard.began < 2 * _EVERY else asked - self._fresh
        tip = tips.fetched(self._place, begun)
        tip = heard if tip.began == heard.began else tip
        found = self._news(since, tip) if since.rev else None
        if found is not None:
            return found
        gone = queue.gone(self._place.home)
        recs = [rec for rec in self._recs(tip) if rec.key not in gone]
        return Delta(recs, None, tip.rev, tip.line, whole=True, at=_moment(tip))

    def _news(self, since: Since, tip: Tip) -> Delta | None:
        """Return what is new at `tip`; None where all has to be told."""
        changed = self._changes(since.rev, tip)
        if changed is None:
            return None
        found = draft.records(self._place, tip, changed.written)
        recs = [_rec(key, one) for key, one in found.items()]
        return Delta(recs, None, tip.rev, tip.line, False, changed.gone, at=_moment(tip))

    def _changes(self, rev: int, tip: Tip) -> objects.Changes | None:
        cache = self._place.cache
        if rev >= tip.rev:
            return objects.Changes({}, ())
        if tip.step and tip.step.rev == rev:
            return tip.step.changes
        if rev == tips.EMPTY:
            return objects.Changes(objects.files(cache, tip.name), ())
        old = objects.ancestor(cache, tip.name, tip.rev - rev)
        return None if old is None else objects.changes(cache, old, tip.name)

    def unload(self, since: Since | None = None) -> Delta | None:
        """See :meth:`coord.stores.transacting.Transacting.unload`; if there are pushes to spare."""
        self._later(self._also(()))
        if pushing.may_spare(self._place, self._share):
            self._push_waiting()
        return None if since is None else self.since(since)

    def _push_waiting(self) -> None:
        self._tried(lambda: pushing.push_waiting(self._place, self._share))

    def _later(self, found: Sequence[Change]) -> None:
        """Have changes go along with whatever is pushed next."""
        if found:
            self._tried(lambda: queue.later(self._place.home, found))

    def mark_forgotten(self, found: Sequence[str]) -> None:
        """See :meth:`coord.stores.transacting.Transacting.mark_forgotten`: with the next push."""
        self._later([Change(key, None) for key in found])
        if not self._share.rate:
            self._push_waiting()

    def delete_at(self, key: str, rev: int) -> bool:
        """See :meth:`coord.stores.transacting.Transacting.delete_at`."""
        ask = Ask((Held(draft.AT, key, rev),), (Change(key, None),))
        done = self._tried(lambda: self._published(ask))
        if done.again:
            raise failed(Lost(self.where, "this call or another's has deleted it"))
        return done.done

    def drop(self, found: Sequence[str], held: Sequence[Held] = ()) -> bool:
        """See :meth:`coord.stores.transacting.Transacting.drop`."""
        ask = Ask(tuple(held), tuple(Change(key, None) for key in found))
        return self._tried(lambda: self._published(ask)).done

    def adopt(self, recs: Sequence[Rec]) -> None:
        """See :meth:`coord.stores.transacting.Transacting.adopt`."""
        for at in range(0, len(recs), BATCH):
            some = recs[at : at + BATCH]
            if not self._adopted(some):
                for rec in some:
                    self._adopted([rec])

    def _adopted(self, recs: Sequence[Rec]) -> bool:
        now = time.time()
        free = tuple(Held(draft.ABSENT, rec.key) for rec in recs)
        made = (Change(rec.key, rec.value, now if rec.at is None else rec.at) for rec in recs)
        ask = Ask(free, tuple(made))
        return self._tried(lambda: self._published(ask)).done

    def _published(self, ask: Ask) -> Answer:
        return pushing.publish(self._place, self._share, ask)

    def read(self, key: str) -> Rec | None:
        """See :meth:`.Store.read`."""
        keys.require(key)
        found = self._tried(lambda: self._recs(self._now(), only=(key,)))
        return found[0] if found else None

    def list(self, prefix: str, *, values: bool = True) -> Sequence[Rec]:
        """See :meth:`.Store.list`."""
        keys.require(f"{prefix}/x")
        found = self._tried(lambda: self._recs(self._now(), prefix, values=values))
        ours = (rec for rec in found if keys.is_key(rec.key))
        return sorted(ours, key=lambda rec: rec.key.split("/"))

    def last(self, prefix: str, *, but: Callable[[Rec], bool] | None = None) -> Iterable[Rec]:
        """See :meth:`.Store.last`."""
        del but
        tops: dict[str, Rec] = {}
        for rec in self.list(prefix):
            folder = rec.key.rpartition("/")[0]
            if folder != prefix:
                known = tops.setdefault(folder, rec)
                name = keys.newest(sorted({known.key, rec.key}))
                tops[folder] = rec if name == rec.key else known
        return list(tops.values())

    def revisions(self) -> dict[str, int]:
        """See :meth:`coord.stores.transacting.Transacting.revisions`."""
        found = self._tried(lambda: self._recs(self._now(self._fresh)))
        return {rec.key: rec.rev or 0 for rec in found}

    def everything(self) -> Iterable[Rec]:
        """See :meth:`coord.stores.transacting.Transacting.everything`."""
        return [rec for rec in self._tried(lambda: self._recs(self._now())) if keys.is_key(rec.key)]

    def watch(self, prefix: str, rev: int, seconds: float) -> bool:
        """See :meth:`coord.stores.transacting.Transacting.watch`: one fetch serves all who wait."""
        keys.require(f"{prefix}/x")
        end = time.monotonic() + seconds
        every = _EVERY if self._share.rate else _OFTEN
        while (left := end - time.monotonic()) > 0:
            tip = tips.known(self._place)
            if tip.rev == rev and tips.clock() - tip.began >= every:
                tip = self._tried(lambda: tips.fetched(self._place, tips.clock() - every))
            self._heard = tip  # who keeps watch reads what that saw, and fetches nothing more
            if tip.rev != rev:
                return True
            time.sleep(min(_LOOK, left))
        return False

    def _now(self, fresh: float = 0.0) -> Tip:
        return tips.fetched(self._place, tips.clock() - fresh)

    def _recs(
        self, tip: Tip, below: str = "", only: Sequence[str] = (), *, values: bool = True
    ) -> Sequence[Rec]:
        """Return what stands at `tip`, below a folder or at some keys, files of others too."""
        found = objects.files(self._place.cache, tip.name, below) if tip.name else {}
        if only:
            found = {key: found[key] for key in only if key in found}
        recs = [_rec(*one) for one in draft.records(self._place, tip, found).items()]
        return recs if values else [rec._replace(value=b"") for rec in recs]

    def _tried(self, act: Callable[[], T]) -> T:
        """Do something with the cache, and once again with another where it is broken.

        Raises:
            StoreError: it cannot be done; what cannot be known then, its branches tell.
        """
        try:
            try:
                return act()
            except objects.Broken:
                tips.forget(self._place)
                return act()
        except objects.Broken as error:
            raise failed(Absent(error.where, error.why)) from error
        except Failure as error:
            raise failed(error) from error
        except OSError as error:
            why = f"what is kept of it here cannot be written: {error.strerror}"
            raise failed(Absent(str(error.filename or self._place.home), why)) from error


def _moment(tip: Tip) -> float:
    """Return when a tip was seen, by the monotonic clock."""
    return time.monotonic() - (tips.clock() - tip.began)


def _rec(key: str, found: draft.Record) -> Rec:
    return Rec(key, found.value, found.at, rev=found.rev)
