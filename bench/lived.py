"""A year lived event by event, with the sweeps that verbs make: for ``bench/year.py``.

Workers come, claim in turn with a neighbour, write to it, read, sign off and are gone, in one
process and without waiting for the disk; the store's clock is the bench's, so a year is minutes.
"""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING, NamedTuple

from coord.board import actors, claims, events, inbox, letters, messages, notices
from coord.board.events import Place
from coord.board.messages import Message, Party
from coord.board.roll import Roll
from coord.identity import pin
from coord.identity.whoami import Identity
from coord.liveness import clone
from coord.repo import worktree
from coord.stores.directory import Directory
from coord.work import tidy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from coord.board.events import Change, State
    from coord.stores.store import Rec

EXPIRES = 7200.0
FLEET = 40  # at work at one time
TURNS = 4  # events of two workers at one scope: claim, wait, release, release
STEP = 365 * 86400 / 1_000_000  # seconds from one event to the next

SCOPES, EVENTS, MESSAGES, WORKERS = 50_000, 20, 100_000, 5_000
NAMES, SESSIONS, NUMBERS = 1_000, 10_000, 10_000


class Past(Directory):
    """A board of files whose clock is `moment`, and stamps what is written."""

    def __init__(self, root: str, moment: float) -> None:
        super().__init__(root)
        self.moment = moment

    def now(self) -> float:
        """Return the moment."""
        return self.moment

    def settle(self) -> None:
        """Let all that is there be as old as the board."""
        for rec in self.everything():
            os.utime(self._path(rec.key), (self.moment, self.moment))

    def create(self, key: str, value: bytes) -> Rec:
        """Create a record, as of now."""
        rec = super().create(key, value)
        if rec.value == value:
            os.utime(self._path(key), (self.moment, self.moment))
        return rec


class Worker(NamedTuple):
    """One worker: who it is, and what makes its worktree be there."""

    me: Identity
    git_dir: str


class Year(NamedTuple):
    """How much a board has lived through."""

    scopes: int
    events: int
    messages: int
    workers: int
    names: int = 0
    sessions: int = 0
    numbers: int = 0

    @classmethod
    def part(cls, scale: float) -> Year:
        """Return a part of the whole year."""
        scopes, *others = (
            max(2, round(n * scale)) for n in (SCOPES, MESSAGES, WORKERS, NAMES, SESSIONS, NUMBERS)
        )
        return cls(scopes, EVENTS, *others)


class Life:
    """What goes on in a repository; a part of a year is as busy, and shorter."""

    def __init__(self, common: str, top: str, year: Year) -> None:
        self.here = worktree.Worktree(common, common, top)
        self.made = clone.own(common)
        self.rounds = year.events // TURNS
        self.scopes = year.scopes // year.workers  # of each worker
        self.letters = year.messages // year.workers
        self.workers = year.workers
        self.store = Past(os.path.join(common, "coord", "board"), time.time() - self._lasts())
        self.store.settle()

    def _lasts(self) -> float:
        return self.workers * self.scopes * self.rounds * TURNS * STEP

    def pass_by(self, say: Callable[[str], object]) -> None:
        """Let all workers come and go, a fleet at a time; say every now and then how it stands."""
        for number in range(0, self.workers, FLEET):
            if number % (FLEET * 10) == 0:
                say(f"after {number} workers")
            fleet = [self._come(at) for at in range(number, min(number + FLEET, self.workers))]
            work = [self._work(one, fleet[at - 1]) for at, one in enumerate(fleet)]
            while work:
                work = [one for one in work if next(one, True) is None]
            for one in fleet:
                self._leave(one)

    def _come(self, number: int) -> Worker:
        name, instance = f"w-{number}", pin.uuid()
        git_dir = os.path.join(self.here.common_dir, "worktrees", name)
        os.makedirs(git_dir)
        with open(os.path.join(git_dir, "HEAD"), "w", encoding="ascii") as file:
            file.write(f"ref: refs/heads/{name}\n")
        made = actors.Actor(name, instance, f"worktrees/{name}", "h", pin.at(self.store.moment))
        actors.enrol(self.store, made, self.here.common_dir)
        return Worker(Identity(name, instance, "pinned", None), git_dir)

    def _leave(self, worker: Worker) -> None:
        self._hear(worker)
        tidy.portion(self.store, Roll(self.store, self.here, EXPIRES))
        shutil.rmtree(worker.git_dir)

    def _work(self, one: Worker, other: Worker) -> Iterator[None]:
        rounds = self.scopes * self.rounds
        for number in range(rounds):
            scope = f"task:{one.me.actor}-{number // self.rounds}"
            for act in (self._claim, _release):
                for worker in (one, other):
                    self.store.moment += STEP
                    claims.change(self.store, scope, worker.me, act(worker))
                    yield
            if number * self.letters % rounds < self.letters:
                self._write(one, other)
            if number % self.rounds == 0:
                self._hear(one)

    def _claim(self, one: Worker) -> Callable[[State], Change | None]:
        at = pin.at(self.store.moment)
        mine = Place(one.me.actor, one.me.instance, "feat", at, intent="why", clone=self.made)
        return lambda state: events.joined(state, mine, lambda _: False)

    def _write(self, one: Worker, other: Worker) -> None:
        made, at = messages.stamped(self.store)
        sender, to = (Party(x.me.actor, x.me.instance or "") for x in (one, other))
        words = Message(made, "help", sender, to, None, None, "words", at)
        letters.send(self.store, sender.instance, [words])

    def _hear(self, one: Worker) -> None:
        instance = one.me.instance or ""
        for notice in notices.unread(self.store, instance):
            notices.told(self.store, notice)
        found = inbox.unread(self.store, instance, tops=())
        if found:
            inbox.mark_read(self.store, instance, found)


def _release(one: Worker) -> Callable[[State], Change | None]:
    mine = one.me.instance
    return lambda state: events.left(state, lambda place: place.instance == mine, lambda _: False)
