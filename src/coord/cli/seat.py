"""Where a verb of the board stands: the place, who acts there, the board, and who is above us."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from coord.base import publish
from coord.base.errors import Environment, Usage
from coord.base.names import quote
from coord.board import actors, beats, scopes
from coord.board.events import Place as Claim
from coord.board.roll import Roll
from coord.board.waiting import Watch
from coord.cli import roster, show, who
from coord.identity import whoami
from coord.identity.pin import now
from coord.repo import git, worktree
from coord.settings import config

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from coord.board.process import Process
    from coord.board.store import Store
    from coord.identity.whoami import Identity
    from coord.repo.worktree import Worktree

FIELD_LIMIT = 2000
_BEAT = 60.0
# Giving up under a name just made up would be a guess (design: identity).
_PIN_NOBODY = frozenset({"release", "sign-off"})


class Seat(NamedTuple):
    """What a verb of the board works with.

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
        head = git.ask("symbolic-ref", "--quiet", "--short", "HEAD", cwd=self.here.cwd)
        return head.text or None

    def roll(self) -> Roll:
        """Return the roll, by the declared expiry."""
        return Roll(self.store, self.here, config.load(self.here.top).expires)

    @property
    def beat_every(self) -> float:
        """Seconds between the beats of what lasts: often enough for the declared expiry."""
        return min(_BEAT, config.load(self.here.top).expires / 3)

    def beat(self, worker: Process | None = None) -> None:
        """Give a sign of life, in the name of `worker` (default: who started this command)."""
        beats.beat(self.here.git_dir, self.me.instance, worker or self.watch.worker)


def looking(asked: str | None, names: Sequence[str] = ()) -> Seat:
    """Take the seat of a verb that only reads; a contradicted pin is warned of.

    Raises:
        Usage: one of `names` is no scope.
    """
    watch = Watch()
    here = who.located()
    wanted = _parsed(names, here)
    who.lazily_pin(here, asked)
    me = whoami.resolve(here, asked, minting=here.in_use)
    if me.conflict is not None:
        show.note(f"--as or {whoami.VARIABLE} says {me.conflict}, but {me.actor} is pinned here")
    return Seat(here, me, roster.board_of(here), watch, wanted)


def acting(
    asked: str | None,
    verb: str,
    names: Sequence[str],
    options: Mapping[str, object],
    *,
    tail: Sequence[str] = (),
    guarded: bool = False,
) -> Seat:
    """Take the seat of a verb that owns or gives up: the identity has to be certain.

    Args:
        asked: ``--as``.
        verb: the verb, which with `names` and `options` is shown where it is to be run again.
        names: scopes as typed.
        options: what else was typed.
        tail: a command that was typed after ``--``.
        guarded: a leaked GIT_DIR would make it act for a peer.

    Raises:
        Usage: one of `names` is no scope.
        Refused: the identity is only inferred, contradicts the pin, or GIT_DIR leaked.
        Environment: the private git dir cannot hold an instance.
    """
    watch = Watch()
    here = who.located()
    wanted = _parsed(names, here)
    words = typed(verb, names, options, tail)
    if guarded:
        worktree.refuse_leaked(here, os.getcwd(), words, os.environ)
    if verb not in _PIN_NOBODY:
        who.lazily_pin(here, asked)
    me = whoami.resolve(here, asked)
    whoami.require_certain(me, here, words)
    seat = Seat(here, _with_instance(me, here), roster.board_of(here), watch, wanted)
    if beats.worker_of(here.git_dir, seat.instance) is None:
        seat.beat()  # the first command: at its start nobody knew the instance
    home = actors.home_of(here.git_dir, here.common_dir)
    host = os.uname().nodename
    actors.enrol(seat.store, actors.Actor(me.actor, seat.instance, home, host, now()))
    return seat


def _parsed(names: Sequence[str], here: Worktree) -> list[str]:
    return sorted({scopes.parse(name, here.top) for name in names})


def _with_instance(me: Identity, here: Worktree) -> Identity:
    if me.instance is not None:
        return me
    try:
        whoami.mint(here.private(f"coord-instances/{me.actor}"))
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


def claim(seat: Seat, branch: str | None) -> Claim:
    """Return the place that `seat` would take in a line."""
    tip = None if branch is None else _tip(seat, branch)
    return Claim(seat.me.actor, seat.instance, branch, now(), process=seat.watch.worker, tip=tip)


def _tip(seat: Seat, branch: str) -> str | None:
    query = ("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}^{{commit}}")
    return git.ask(*query, cwd=seat.here.cwd).text or None


def typed(
    verb: str, words: Iterable[str], options: Mapping[str, object], tail: Sequence[str]
) -> str:
    """Return a command after ``git coord`` as it can be pasted; unsaid options are left out."""
    said = [verb, *map(quote, words)]
    for option, text in options.items():
        if text is True:
            said.append(option)
        elif isinstance(text, tuple):
            said += [word for each in text for word in (option, quote(str(each)))]
        elif text:
            said += [option, quote(str(text))]
    return " ".join([*said, *(["--", *map(quote, tail)] if tail else [])])


def bounded(text: str | None, option: str) -> str | None:
    """Return `text` unless it is longer than a record should be.

    Raises:
        Usage: it is.
    """
    if text is None or len(text) <= FIELD_LIMIT:
        return text
    raise Usage(
        "too-long",
        f"{option} is too long",
        where=f"{len(text)} characters",
        why=f"a record keeps at most {FIELD_LIMIT} of each text",
        run="git coord -h",
    )
