"""The roll: which workers there are, and what is known of each, looked up once a command."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from coord.base.frozen import NamedTuple
from coord.board import actors, attending, claims, done, renamed
from coord.board.actors import Actor
from coord.identity import pin
from coord.liveness import clone, machine, presence
from coord.repo import worktree
from coord.stores import keys
from coord.stores.store import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from coord.board.attending import Attending
    from coord.board.events import Place, State
    from coord.liveness.presence import Status
    from coord.liveness.process import Process
    from coord.repo.worktree import Sibling
    from coord.stores.attendance import Attendance, Sign
    from coord.stores.store import Store

# As long as history is kept: who has been silent for longer and holds nothing is of the past.
_REMEMBERED = 7 * 86400
_NOBODY = presence.Status(presence.UNKNOWN, why="the board has no record of it")
_AHEAD = 300.0  # seconds; what is stamped further ahead of the store's clock says nothing


class Member(NamedTuple):
    """One worker on the roll.

    Attributes:
        actor: its record.
        status: what is known of it.
        branch: what git has checked out there, as its own clone has it; None where that is gone.
        worktree: the folder it works in, None where that is gone, or in another clone.
        away: where it is, in words, if that is in another clone.
        host: the machine that it was last seen on, as far as is known.
    """

    actor: Actor
    status: Status
    branch: str | None
    worktree: str | None
    away: str = ""
    host: str = ""


class Roll:
    """Looks workers up, each once; `expires` is how much silence ends presence, in seconds.

    Attributes:
        now: the store's clock, None where it has none.
        names: what branches are called now.
    """

    def __init__(self, store: Store, here: worktree.Worktree, expires: float) -> None:
        self._store = store
        self._place = here
        self._known: dict[str, Status] = {}
        self._waits: dict[str, Sequence[Attending]] = {}
        self._finished: dict[tuple[str | None, str | None, str], bool] = {}
        self._told: dict[str, Attendance] = {}
        self.now = store.now()
        self._hears = store.caps.hosts and not store.caps.clock
        # A server's clock stamps the records, and this machine's the signs of life.
        self._shift = self.now - time.time() if store.caps.hosts and self.now is not None else 0.0
        self.names = renamed.Names(here, self.is_afar)
        self._expires = expires
        self._here()

    def _here(self) -> None:
        """Look which clone this is: whoever comes first to its board gives it an id."""
        now = None if self.now is None else self.now - self._shift
        self._judge = presence.Judge(self._place.common_dir, now, self._expires)
        self._clone = clone.read(self._place.common_dir)

    def of(self, instance: str) -> Status:
        """Return what is known of an instance."""
        if instance not in self._known:
            actor = actors.find(self._store, instance)
            self._known[instance] = _NOBODY if actor is None else self._status(actor)
        return self._known[instance]

    def _of(self, actor: Actor) -> Status:
        """Return what is known of an actor whose record was read already."""
        if actor.instance not in self._known:
            self._known[actor.instance] = self._status(actor)
        return self._known[actor.instance]

    def is_dead(self, place: Place) -> bool:
        """Tell whether whoever took `place` is proved to have ended, or to be gone.

        A place of ``run`` ends with that very process and the command that it has started. Nobody
        has to come back to a branch that is finished.
        """
        return self._has_left(place) and not self.is_finished(place)

    def is_elsewhere(self, recorded: str | None) -> bool:
        """Tell whether a record is of another clone, or this one may be a copy of its own.

        Then nothing of it is to be seen here: worktrees and hosts have the same names everywhere.
        What does not say of which clone it is may be of any that comes to the board.
        """
        if self._clone is not None and not self._clone.proved:
            return True
        if not recorded:
            return self._store.caps.hosts
        return self._clone is None or recorded != self._clone.id

    def away(self, actor: Actor) -> str:
        """Return where a worker of another clone is, in words; empty for one of this clone.

        Machines may have the same name everywhere, as workers and worktrees have.
        """
        if not self.is_elsewhere(actor.clone):
            return ""
        host = self._host(actor)
        return f"on {host}" if host != machine.host() else f"in another clone, on {host}"

    def where(self, place: Place) -> str:
        """Return where the worker of a place is, as :meth:`away` does."""
        if not self.is_elsewhere(place.clone):
            return ""
        actor = actors.find(self._store, place.instance) if place.instance else None
        return (actor and self.away(actor)) or "in another clone"

    def dates(self, place: Place) -> bool:
        """Tell whether how old a place is can be told by what it says, so by a clock known here.

        That of another clone may be years apart, where the board has none.
        """
        return not (self._hears and self.is_elsewhere(place.clone))

    def dates_of(self, instance: str | None) -> bool:
        """Tell likewise of what an instance has written."""
        if not self._hears:
            return True
        actor = actors.find(self._store, instance) if instance else None
        return actor is not None and not self.is_elsewhere(actor.clone)

    def is_afar(self, place: Place) -> bool:
        """Tell whether a place is of another clone on a board that both have come to."""
        return self._store.caps.hosts and self.is_elsewhere(place.clone)

    def members(self, holding: Iterable[str]) -> list[Member]:
        """Return the workers seen lately and those `holding` a place, by name.

        Whoever acted in a worktree before it was pinned to another acts there no more: it is the
        main worktree's person under another name, and is listed only while it holds something.
        """
        listed = {actor.instance: actor for actor in self.everyone()}
        facts = {sibling.git_dir: sibling for sibling in worktree.siblings(self._place)}
        kept, followed = set(holding), self._followed(listed.values())
        found = []
        for actor in listed.values():
            status = self._of(actor)
            if actor.instance in kept or (
                self._is_recent(actor, status) and actor.instance not in followed
            ):
                found.append(self._member(actor, status, facts))
        return sorted(found, key=lambda member: (member.actor.actor, member.actor.instance))

    def _member(self, actor: Actor, status: Status, facts: Mapping[str, Sibling]) -> Member:
        if self.is_elsewhere(actor.clone):
            sign = self._sign_of(actor)
            branch = None if sign is None else sign.branch
            return Member(actor, status, branch, None, self.away(actor), self._host(actor))
        sibling = None if status.gone else facts.get(self._git_dir(actor))
        if sibling is None:
            return Member(actor, status, None, None, host=actor.host)
        return Member(actor, status, sibling.branch, sibling.path, host=actor.host)

    def _followed(self, listed: Iterable[Actor]) -> set[str]:
        """Return the instances whose worktree is pinned to another one by now."""
        homes: dict[str, list[str]] = {}
        for actor in listed:
            if not self.is_elsewhere(actor.clone):
                homes.setdefault(self._git_dir(actor), []).append(actor.instance)
        found: set[str] = set()
        for git_dir, instances in homes.items():
            pinned = _pinned(git_dir) if len(instances) > 1 else None
            if pinned is not None:
                found |= set(instances) - {pinned}
        return found

    def everyone(self) -> list[Actor]:
        """Return all recorded actors, after recording those that hooks have pinned."""
        common = self._place.common_dir
        try:
            actors.enrol_pinned(self._store, common)
        except StoreError:  # read-only: the pins themselves can still be read
            mine = self._clone.id if self._clone is not None else ""
            pinned = [
                Actor(found.actor, found.instance, actors.home_of(git_dir, common), "", "", mine)
                for git_dir, found in pin.live_pins(common)
            ]
            return [*pinned, *actors.every(self._store)]
        if self._clone is None:
            self._here()
        return list(actors.every(self._store))

    def _is_recent(self, actor: Actor, status: Status) -> bool:
        if self._is_passed_over(actor):
            return False
        signs = [sign for sign in (status.seen, actor.at) if sign is not None]
        return self.now is None or any(self.now - sign < _REMEMBERED for sign in signs)

    def is_here(self, actor: Actor) -> bool:
        """Tell whether a worker is present, and its clone has not ceased to tell of it."""
        return self.of(actor.instance).present and not self._is_passed_over(actor)

    def _is_passed_over(self, actor: Actor) -> bool:
        """Tell whether another clone tells of its workers, and of this one no more.

        Without a clock, a copy that is new would list all who ever were on the board for a week.
        """
        if not self._hears or not self.is_elsewhere(actor.clone):
            return False
        told = self._attendance(actor.clone)
        return (
            told is not None
            and told.rev is not None
            and actor.instance not in told.signs
            and told.rev > (actor.rev or 0)
        )

    def _has_left(self, place: Place) -> bool:
        if place.instance is None or self.is_elsewhere(place.clone):
            return False
        if not place.run:
            status = self.of(place.instance)
            return status.gone or status.dead
        return self._was_killed(place) and self._is_unlocked(place)

    def lingers(self, place: Place) -> bool:
        """Tell whether the processes of a run have ended, and not all that they have started.

        What that is nobody wrote down: it has the lock, or nobody can ask for that.
        """
        return self._was_killed(place) and not self._is_unlocked(place)

    def _was_killed(self, place: Place) -> bool:
        """Tell whether the processes of a run that are on record are proved to have ended."""
        if not place.run or place.process is None or self.is_elsewhere(place.clone):
            return False
        return not self.works_on(place) and self._has_ended(place.process)

    def _is_unlocked(self, place: Place) -> bool:
        home = self._home(place.instance)
        return home is None or attending.run_has_ended(home, place)

    def waits(self, instance: str) -> Sequence[Attending]:
        """Return the waits of an instance that are at work, or were killed."""
        if instance not in self._waits:
            home = self._home(instance)
            self._waits[instance] = [] if home is None else list(attending.of(home, instance))
        return self._waits[instance]

    def is_settled(self, place: Place) -> bool:
        """Tell whether a run in line is sure to go on, as :func:`attending.is_settled` does."""
        home = self._home(place.instance)
        return home is None or attending.is_settled(home, place)

    def rank(self, scope: str) -> Callable[[Place], int]:
        """Return in which order those in the line for `scope` are called, the least first.

        First who is known to listen: its own ``run`` or ``wait`` is at work. Then who is present,
        and has not been killed at a wait.
        """
        return lambda place: self._rank(scope, place)

    def _rank(self, scope: str, place: Place) -> int:
        waits = [one for one in self.waits(place.instance or "") if one.scope == scope]
        if place.run or any(one.lives for one in waits):
            return 0
        if place.instance is None:
            return 3
        if self.is_finished(place):  # nobody has to come back for it
            return 1
        if self.is_elsewhere(place.clone):  # whether it listens is not to be seen from here
            return 0 if self.of(place.instance).present else 3
        if not self.of(place.instance).present:
            return 3
        return 2 if any(one.ended for one in waits) else 1

    def home(self, actor: Actor) -> str | None:
        """Return the private git dir of a worker of this clone."""
        return None if self.is_elsewhere(actor.clone) else self._git_dir(actor)

    def _home(self, instance: str | None) -> str | None:
        actor = actors.find(self._store, instance) if instance else None
        return None if actor is None else self.home(actor)

    def works_on(self, place: Place) -> bool:
        """Tell whether the command that a place of ``run`` guards is still there."""
        command = place.command
        if command is None or self.is_elsewhere(place.clone):
            return False
        return command.is_here and not self._has_ended(command)

    def _has_ended(self, process: Process) -> bool:
        return self._judge.has_ended(process)

    def is_gone(self, place: Place) -> bool:
        """Tell whether the worktree of whoever took `place` was removed."""
        return place.instance is not None and self.of(place.instance).gone

    def is_finished(self, place: Place) -> bool:
        """Tell whether `place` was taken for a branch that its worker has finished.

        It may have been called otherwise, then or since.
        """
        branch = self.branch(place)
        if branch is None or place.run:
            return False
        key = (place.instance, place.branch, branch)
        if key not in self._finished:
            names = {*self.names.borne(branch), keys.normal(place.branch or "")}
            self._finished[key] = any(self._has_finished(place, name, branch) for name in names)
        return self._finished[key]

    def branch(self, place: Place) -> str | None:
        """Return what the branch is called now that `place` was taken for."""
        if place.branch is None:
            return None
        return self.names.of(place)

    def branch_of(self, name: str, state: State) -> str:
        """Return what the branch is called now that the scope ``branch:NAME`` stands for."""
        return self.names.of_scope(name, state)

    def _has_finished(self, place: Place, name: str, branch: str) -> bool:
        """Tell whether the worker of `place` has finished `branch` when that was called `name`."""
        state = claims.state(self._store, done.scope_of(name))
        if state.holder is None or state.holder.instance != place.instance:
            return False
        now = self.branch_of(name, state)
        return state.finished_at is not None and keys.normal(now) == keys.normal(branch)

    def _status(self, actor: Actor) -> Status:
        if self.is_elsewhere(actor.clone):
            return self._seen_from_afar(actor)
        found = self._judge.of(actor.home, actor.instance)
        found = found if found.seen is None else found._replace(seen=found.seen + self._shift)
        return self._kept(actor, found) if self._hears else found

    def _kept(self, actor: Actor, found: Status) -> Status:
        """Return what is known of a worker of this clone, whose clock may have been set since.

        By the files it is silent then; its clone's own word was kept by another clock.
        """
        sign = None if found.present or found.dead or found.gone else self._sign_of(actor)
        if sign is None or (self.now or 0.0) - sign.seen >= self._expires:
            return found
        return presence.Status(presence.PRESENT, sign.seen)

    def _seen_from_afar(self, actor: Actor) -> Status:
        """Return what is known of a worker of another clone: that it is there, or was, and where.

        It may have given a sign after its clone has told of the last one: that is no silence yet.
        """
        sign = self._sign_of(actor)
        late = self._late()
        seen = self._last(actor, sign)
        if self.now is not None and seen is not None and self.now - seen < self._expires + late:
            return presence.Status(presence.PRESENT, seen, heard=self._hears)
        why = f"{presence.ELSEWHERE}, on {self._host(actor)}"
        why += f", which says: {sign.over}" if sign is not None and sign.over else ""
        return presence.Status(presence.UNKNOWN, seen, why, heard=self._hears)

    def _last(self, actor: Actor, sign: Sign | None) -> float | None:
        """Return when a worker of another clone gave its last sign, or came to the board.

        Without a clock that it came is news to whoever looks for the first time, so it counts only
        where its clone has told nothing of it.
        """
        if self._hears and sign is not None:
            return sign.seen
        given = (actor.at, None if sign is None else sign.seen)
        return max((at for at in given if at is not None and self._is_past(at)), default=None)

    def _is_past(self, at: float) -> bool:
        return self.now is None or self._hears or at <= self.now + _AHEAD

    def _late(self) -> float:
        """Return how many seconds old what is told of other clones may be."""
        if not self._store.caps.hosts:
            return 0.0
        from coord.stores import attendance  # noqa: PLC0415  # 1 ms; most boards are of one host

        return attendance.EVERY

    def _sign_of(self, actor: Actor) -> Sign | None:
        told = self._attendance(actor.clone)
        return None if told is None else told.signs.get(actor.instance)

    def _host(self, actor: Actor) -> str:
        told = self._attendance(actor.clone)
        return actor.host if told is None else told.host or actor.host

    def _attendance(self, made: str) -> Attendance | None:
        """Return what a clone tells of its workers; boards of one host hold no such record."""
        if not self._store.caps.hosts:
            return None

        if made not in self._told:
            self._told[made] = self._read(made)
        return self._told[made]

    def _read(self, made: str) -> Attendance:
        from coord.stores import attendance  # noqa: PLC0415  # as above

        if self._hears and self._clone is not None and made == self._clone.id:
            return attendance.own(self._store, made, self.now or 0.0)[0]
        return attendance.read(self._store, made)

    def _git_dir(self, actor: Actor) -> str:
        return os.path.normpath(os.path.join(self._place.common_dir, actor.home))


def _pinned(git_dir: str) -> str | None:
    try:
        found = pin.read(git_dir)
    except (pin.Unreadable, OSError):
        return None
    return None if found is None else found.instance
