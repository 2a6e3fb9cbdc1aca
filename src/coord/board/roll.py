"""The roll: which workers there are, and what is known of each, looked up once a command."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base.frozen import NamedTuple
from coord.board import actors, attending, claims, done, keys, renamed
from coord.board.actors import Actor
from coord.board.store import StoreError
from coord.identity import pin
from coord.liveness import clone, presence
from coord.repo import worktree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from coord.board.attending import Attending
    from coord.board.events import Place, State
    from coord.board.store import Store
    from coord.liveness.presence import Status
    from coord.liveness.process import Process
    from coord.repo.worktree import Sibling

# As long as history is kept: who has been silent for longer and holds nothing is of the past.
_REMEMBERED = 7 * 86400
_NOBODY = presence.Status(presence.UNKNOWN, why="the board has no record of it")


class Member(NamedTuple):
    """One worker on the roll; branch and worktree as git lists them now, None where gone."""

    actor: Actor
    status: Status
    branch: str | None
    worktree: str | None


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
        self.now = store.now()
        self.names = renamed.Names(here)
        self._expires = expires
        self._here()

    def _here(self) -> None:
        """Look which clone this is: whoever comes first to its board gives it an id."""
        self._judge = presence.Judge(self._place.common_dir, self.now, self._expires)
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
        """
        if self._clone is not None and not self._clone.proved:
            return True
        return bool(recorded) and (self._clone is None or recorded != self._clone.id)

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
                found.append(_member(actor, status, facts.get(self.home(actor) or "")))
        return sorted(found, key=lambda member: (member.actor.actor, member.actor.instance))

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
            pinned = [
                Actor(found.actor, found.instance, actors.home_of(git_dir, common), "", "")
                for git_dir, found in pin.live_pins(common)
            ]
            return [*pinned, *actors.every(self._store)]
        if self._clone is None:
            self._here()
        return list(actors.every(self._store))

    def _is_recent(self, actor: Actor, status: Status) -> bool:
        signs = [sign for sign in (status.seen, actor.at) if sign is not None]
        return self.now is None or any(self.now - sign < _REMEMBERED for sign in signs)

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
        return self.names.now(place.branch, *renamed.said_of(place))

    def branch_of(self, name: str, state: State) -> str:
        """Return what the branch is called now that the scope ``branch:NAME`` stands for."""
        return self.names.now(name, *renamed.said_of_scope(state))

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
        return self._judge.of(actor.home, actor.instance)

    def _seen_from_afar(self, actor: Actor) -> Status:
        if self.now is not None and actor.at is not None and self.now - actor.at < self._expires:
            return presence.Status(presence.PRESENT, actor.at)
        return presence.Status(presence.UNKNOWN, actor.at, f"{presence.ELSEWHERE}, on {actor.host}")

    def _git_dir(self, actor: Actor) -> str:
        return os.path.normpath(os.path.join(self._place.common_dir, actor.home))


def _pinned(git_dir: str) -> str | None:
    try:
        found = pin.read(git_dir)
    except (pin.Unreadable, OSError):
        return None
    return None if found is None else found.instance


def _member(actor: Actor, status: Status, sibling: Sibling | None) -> Member:
    if sibling is None or status.gone:
        return Member(actor, status, None, None)
    return Member(actor, status, sibling.branch, sibling.path)
