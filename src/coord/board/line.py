"""What a scope's log is made of: places in a line, the state they make, the events that change it.

Data alone; ``coord.board.events`` decides, ``coord.board.eventjson`` reads and writes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.frozen import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coord.board.offer import Offer
    from coord.liveness.process import Process

UNKNOWN = "unknown"
_NOTHING: Mapping[str, object] = {}


class Place(NamedTuple):
    """A place in a scope's line.

    Attributes:
        actor: readable name; ``unknown`` for a record that could not be read.
        instance: the owner; None only for an unknown one.
        branch: branch it is claimed for, None when detached.
        since: when the place was taken, RFC 3339.
        issue: number or key of the issue, if said.
        session: session of the worker, if said.
        intent: what is meant to be done, if said.
        paths: globs of files meant to be touched.
        process: the worker's process; the command's own under ``run``.
        run: the place belongs to ``git coord run`` and is dead when that is.
        on_behalf: claimed for another branch, whose worker may take it up.
        tip: the branch's commit when it was claimed, or something new last said of it.
        renewed: when that was said, if ever.
        command: what ``run`` has started: while it works, its place is not dead.
        nonce: the place of ``run`` itself, and the name of its lock; None of any other.
        within: the runs, by nonce, whose commands this one was started from.
        words: what ``run`` runs, as far as it is told to others.
        clone: id of the clone its worker is in; None where that was not written down.
        by: the session of the worker that made it (:func:`coord.liveness.others.mark`).
    """

    actor: str
    instance: str | None
    branch: str | None
    since: str
    issue: int | str | None = None
    session: str | None = None
    intent: str | None = None
    paths: tuple[str, ...] = ()
    process: Process | None = None
    run: bool = False
    on_behalf: bool = False
    tip: str | None = None
    renewed: str | None = None
    command: Process | None = None
    nonce: str | None = None
    within: tuple[str, ...] = ()
    words: str | None = None
    clone: str | None = None
    by: str | None = None


class State(NamedTuple):
    """All that is true of a scope now.

    Attributes:
        generation: how often the scope has changed its holder; the fencing token of a claim.
        line: the places; the first one holds.
        paused_at: when the holder paused, None while at work.
        finished_at: when the holder said that its branch is done (``branch:`` scopes).
        finished_tip: the branch's commit then.
        offers: what the holder offers, at this generation only.
        paused_why: why the holder has paused, in its words, if said.
    """

    generation: int = 0
    line: tuple[Place, ...] = ()
    paused_at: str | None = None
    finished_at: str | None = None
    finished_tip: str | None = None
    offers: tuple[Offer, ...] = ()
    paused_why: str | None = None

    @property
    def holder(self) -> Place | None:
        """The first place in the line."""
        return self.line[0] if self.line else None

    def places_of(self, instance: str) -> list[Place]:
        """Return the places an instance has here."""
        return [place for place in self.line if place.instance == instance]

    def has_turn(self, index: int) -> bool:
        """Tell whether whoever has the place at `index` may go to work: the first, and its runs.

        A run stands on its worker's own claim, and on the runs it was started from; all others
        before it, another run of its worker too, have to leave first.
        """
        mine = self.line[index]
        return index == 0 or (mine.run and all(carries(one, mine) for one in self.line[:index]))

    def at_work(self) -> list[Place]:
        """Return the runs that have their turn, in order."""
        return [one for at, one in enumerate(self.line) if one.run and self.has_turn(at)]


def is_own(place: Place, mine: Place) -> bool:
    """Tell whether both are one worker's, and for one branch where that counts."""
    if place.instance != mine.instance:
        return False
    return place.branch == mine.branch or not (place.on_behalf or mine.on_behalf)


def carries(place: Place, run: Place) -> bool:
    """Tell whether `run` may go to work before `place` is given up: it stands on it."""
    if place.run:
        return place.instance == run.instance and place.nonce in run.within
    return is_own(place, run)


class Change(NamedTuple):
    """The next event, not yet published.

    Attributes:
        kind: ``claim wait adopt update release take-over offer ack pause resume finish land``.
        state: the state it leads to.
        details: what the log shows of it besides.
        nonce: the event's, where the state names it already.
    """

    kind: str
    state: State
    details: Mapping[str, object] = _NOTHING
    nonce: str | None = None


class Part(NamedTuple):
    """Neighbours in a line, as one record holds them.

    Attributes:
        seq: the record's number; 0 where it is away or cannot be read, which one place stands for.
        start: the first of them, of the places that the record holds itself.
        stop: behind the last of them.
        held: how many places the record holds itself.
        nonce: the record's.
    """

    seq: int = 0
    start: int = 0
    stop: int = 1
    held: int = 0
    nonce: str = ""

    @property
    def size(self) -> int:
        """How many places they are."""
        return self.stop - self.start


class Event(NamedTuple):
    """A published event.

    Attributes:
        seq: its number in the scope's log, from 1.
        nonce: random; for an unreadable record, made from its bytes.
        after: nonce of the event it was decided on, None for the first.
        kind: as in :class:`Change`; ``unreadable`` for a record that is none.
        scope: canonical scope.
        actor: who acted.
        instance: who acted, for certain.
        at: when, by the actor's clock.
        state: what is true from here on.
        details: kind-specific.
        parts: where the places of its line stand, as it was read; empty where all are its own.
    """

    seq: int
    nonce: str
    after: str | None
    kind: str
    scope: str
    actor: str
    instance: str | None
    at: str
    state: State
    details: Mapping[str, object] = _NOTHING
    parts: tuple[Part, ...] = ()

    def is_whole(self) -> bool:
        """Tell whether it could be read, and its line with it."""
        return self.kind != "unreadable" and all(part.seq for part in self.parts)
