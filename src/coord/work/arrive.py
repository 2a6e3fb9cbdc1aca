"""How a worker comes to the board: the worktree, who acts there, the board, who is above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base import publish, sharing
from coord.base.errors import Environment
from coord.base.frozen import NamedTuple
from coord.board import claims, done
from coord.board.events import Place
from coord.board.roll import Roll
from coord.identity import whoami
from coord.identity.pin import now
from coord.liveness import beats, clone, others, signs
from coord.repo import git, heads
from coord.settings import config
from coord.stores import chosen, scopes
from coord.work import enrolment, settling, where

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coord.identity.whoami import Identity
    from coord.liveness.others import Other
    from coord.liveness.process import Process
    from coord.repo.worktree import Worktree
    from coord.stores.store import Store
    from coord.stores.waiting import Watch
    from coord.work.call import Call

    Enrol = Callable[[Worktree, Store, str, str], None]

_BEAT = 60.0


class Worker(NamedTuple):
    """Who uses the board, and from where.

    Attributes:
        here: the worktree.
        me: who acts.
        store: the board.
        watch: the processes above this one.
        scopes: the scopes that were named, canonical, each once, in order.
    """

    here: Worktree
    me: Identity
    store: Store
    watch: Watch
    scopes: list[str]

    @property
    def instance(self) -> str:
        """The acting instance, after :func:`acting` has made sure that there is one."""
        return self.me.instance or ""

    @property
    def branch(self) -> str | None:
        """The branch that is checked out, None when detached."""
        return heads.checked_out(self.here.cwd) or None

    def roll(self) -> Roll:
        """Return the roll, by the declared expiry."""
        return Roll(self.store, self.here, config.load(self.here.top).expires)

    @property
    def beat_every(self) -> float:
        """Seconds between the beats of what lasts: often enough for the declared expiry."""
        return min(_BEAT, config.load(self.here.top).expires / 3)

    def others(self) -> list[Other]:
        """Return the other sessions of this worker that live in this worktree."""
        if self.me.instance is None:
            return []
        return others.living(self.here.git_dir, self.me.instance, self.watch.chain)

    def beat(self, process: Process | None = None) -> None:
        """Give a sign of life, in the name of `process` (default: who started this command)."""
        given = self.watch.chain if process is None else signs.alone(process)
        beats.beat(self.here.git_dir, self.me.instance, given)

    def attend(self) -> None:
        """Give a sign of life, and have other hosts know of it too."""
        self.beat()
        self.tell()

    def tell(self) -> None:
        """Have other hosts know of this clone's workers, where they share the board."""
        if self.store.caps.hosts:
            from coord.work import attend  # noqa: PLC0415  # threads, which a board of files lacks

            attend.tell(self.here, self.store, self.me.instance)

    def carry(self) -> None:
        """Have them know of it along with the next write, as :meth:`tell` does at once."""
        if self.store.caps.hosts:
            from coord.work import attend  # noqa: PLC0415  # likewise

            attend.carry(self.here, self.store, self.me.instance)


def looking(call: Call, names: Sequence[str] = ()) -> Worker:
    """Come to the board to read; a contradicted pin is warned of.

    Raises:
        Usage: one of `names` is no scope.
    """
    here = where.located(call)
    wanted = parsed(names, here)
    where.tell_of_clone(call, here)
    where.lazily_pin(call, here)
    me = whoami.resolve(here, call.actor, call.environ, minting=here.in_use)
    if me.conflict is not None:
        call.note(f"--as or {whoami.VARIABLE} says {me.conflict}, but {me.actor} is pinned here")
    store = chosen.board_of(here.common_dir)
    settling.settle(call, here, store, me)
    worker = Worker(here, me, store, call.watch, wanted)
    worker.tell()
    return worker


def acting(call: Call, names: Sequence[str], enrol: Enrol = enrolment.enrol) -> Worker:
    """Come to the board to own something: the identity has to be certain, and is pinned if it can.

    Args:
        call: the command.
        names: scopes as typed.
        enrol: puts who acts on the roll: at once, or by what it writes next.

    Raises:
        Usage: one of `names` is no scope.
        Refused: the identity is only inferred, contradicts the pin, or GIT_DIR would make it act
            for a peer.
        Environment: the private git dir cannot hold an instance.
    """
    here = where.located(call)
    wanted = parsed(names, here)
    where.require_own(call, here)
    where.lazily_pin(call, here)
    return _certain(call, here, wanted, enrol)


def leaving(call: Call, names: Sequence[str]) -> Worker:
    """Come to the board as :func:`acting`, to give up: a pin made up now would be a guess.

    Raises:
        Refused: as :func:`acting`.
    """
    here = where.located(call)
    wanted = parsed(names, here)
    where.require_own(call, here)
    return _certain(call, here, wanted, enrolment.enrol)


def parsed(names: Sequence[str], here: Worktree) -> list[str]:
    """Return scopes as typed, canonical, each once, in order.

    Raises:
        Usage: one is no scope.
    """
    return sorted({scopes.parse(name, here.top) for name in names})


def place(worker: Worker, branch: str | None) -> Place:
    """Return the place that `worker` would take in a line.

    What it is for is told by its time, which is later than that its branch was finished, if it was.
    """
    tip = None if branch is None else _tip(worker, branch)
    process = worker.watch.worker
    here = worker.here
    mine = clone.own(here.common_dir) or None
    by = others.mark(here.git_dir, worker.watch.chain)
    since = now() if branch is None else _later(worker, branch)
    return Place(
        worker.me.actor, worker.instance, branch, since, process=process, tip=tip, clone=mine, by=by
    )


def _later(worker: Worker, branch: str) -> str:
    with worker.store.unrefreshed():  # a worker has its own word that it has finished
        return done.later(now(), claims.state(worker.store, done.scope_of(branch)))


def _certain(call: Call, here: Worktree, wanted: list[str], enrol: Enrol) -> Worker:
    me = whoami.resolve(here, call.actor, call.environ)
    whoami.require_certain(me, here, call.words)
    me = _with_instance(me, here)
    worker = Worker(here, me, chosen.board_of(here.common_dir), call.watch, wanted)
    where.tell_of_clone(call, here)
    settling.settle(call, here, worker.store, me)
    if beats.is_new(here.git_dir, worker.instance):
        worker.beat()  # the first command: at its start nobody knew the instance
    enrol(here, worker.store, me.actor, worker.instance)
    tell_of_others(call, worker)
    worker.carry()
    return worker


def tell_of_others(call: Call, worker: Worker) -> None:
    """Say who else works here as this very worker: each would give up what the other has taken."""
    found = [one.told for one in worker.others()]
    if found:
        works = "works" if len(found) == 1 else "work"
        call.note(
            f"{' and '.join(found)} {works} in this worktree too, as {worker.me.actor}: "
            "a sign-off gives up what its own session has claimed, and no more"
        )


def _with_instance(me: Identity, here: Worktree) -> Identity:
    if me.instance is not None:
        return me
    try:
        share = sharing.of(here.common_dir)
        whoami.mint(here.private(f"coord-instances/{me.actor}"), share)
    except OSError as error:
        if publish.is_full(error):
            raise
    raise Environment(
        "not-writable",
        "no instance can be kept here",
        where=here.git_dir,
        why="claims are owned by an instance, which is kept in the private git dir; "
        f"add {here.common_dir} to the sandbox's writable roots",
        run="git rev-parse --path-format=absolute --git-common-dir",
    )


def _tip(worker: Worker, branch: str) -> str | None:
    query = ("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}^{{commit}}")
    return git.ask(*query, cwd=worker.here.cwd).text or None
