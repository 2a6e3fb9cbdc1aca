"""``wake``: begin a session. One screen, one suggestion, and no stampede."""

from __future__ import annotations

import gc
import itertools
import random
import time
from typing import TYPE_CHECKING, TypeVar

import click

from coord.base import duration
from coord.base.errors import CoordError
from coord.board import claims, inbox, view
from coord.board.roll import Roll
from coord.board.store import StoreError
from coord.cli import edge, habits, show
from coord.cli.ledgerentry import worktree_of
from coord.fleet import lanes, mirror, screen, suggestion
from coord.fleet.ledger import Move, PutDown, Until
from coord.fleet.ledgerfile import Ledger
from coord.fleet.screen import Screen
from coord.identity import whoami
from coord.settings import config
from coord.settings.config import Config
from coord.work import arrive, enrolment, where

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coord.board.events import Place
    from coord.board.messages import Message
    from coord.fleet.mirror import Mirror
    from coord.settings.config import Fleet
    from coord.work.arrive import Worker

_PUT_DOWNS = 6
T = TypeVar("T")


def _seconds(ctx: click.Context, param: click.Parameter, text: str | None) -> float | None:
    """Read ``--stagger``: a duration, or a plain number of seconds."""
    del ctx, param
    if text is None:
        return None
    found = duration.parse(text if text[-1:] in duration.UNITS else f"{text}s")
    if found is None:
        raise click.BadParameter("it takes a duration such as 5s or 2m, or a number of seconds")
    return found


@click.command()
@click.option("--stagger", metavar="S", callback=_seconds, help="Wait at most S; default: 5s.")
@click.option("--no-stagger", "at_once", is_flag=True, help="Do not wait at all.")
@show.json_option
@click.pass_obj
def wake(asked: str | None, *, stagger: float | None, at_once: bool, as_json: bool) -> None:
    """Begin a session: who is here, what is taken, what was shipped, and one suggestion."""
    gc.disable()  # as in `board`
    missing: dict[str, str] = {}
    call = edge.call(asked, "wake")
    top = where.located(call).top
    declared = _part(missing, "config", lambda: config.load(top)) or Config()
    _pause(0.0 if at_once else declared.fleet.stagger if stagger is None else stagger)
    worker = arrive.looking(call)
    worker.beat()
    _enrol(worker)
    found = gathered(worker, declared, missing)
    if as_json:
        show.document(screen.document(found))
    else:
        show.lines(screen.lines(found))


def gathered(worker: Worker, declared: Config, missing: dict[str, str]) -> Screen:
    """Return the screen; a part that cannot be had is named in `missing`, and the others stand."""
    fleet, made = declared.fleet, Screen(worker.me.actor, worker.me.instance, unavailable=missing)
    holders = _board(made, worker, declared)
    made.messages = _part(missing, "messages", lambda: _unread(worker)) or []
    until: Until[Move] = Until(made.now)
    made.mirror = _part(missing, "mirror", lambda: _mirror(worker, fleet, until))
    made.put_downs = _part(missing, "put_downs", lambda: _put_down(worker, fleet, made.now)) or []
    rows = None
    if holders is not None:
        rows = _part(missing, "lanes", lambda: habits.surveyed(worker.here, fleet, holders, until))
    habits.warn_of_ahead(fleet.moves, until)
    made.suggestion = suggestion.suggest(
        rows or [], made.mirror, made.instance or made.actor, made.now
    )
    return made


def _board(made: Screen, worker: Worker, declared: Config) -> Mapping[str, Place] | None:
    """Fill in who is here and what is taken; return who holds which lane, None when unknown."""
    missing, roll = made.unavailable, Roll(worker.store, worker.here, declared.expires)
    tops = _part(missing, "claims", lambda: list(claims.tops(worker.store)))
    rows = [view.row(event.scope, event.state, roll) for event in tops or ()]
    made.rows = sorted(rows, key=lambda row: row.scope)
    made.members = _part(missing, "actors", lambda: roll.members(view.owners(rows))) or []
    if tops is None:
        missing["lanes"] = "the board does not say who has claimed them"
        return None
    return lanes.holders(tops)


def _unread(worker: Worker) -> list[Message]:
    """Return the unread messages, and mark none: they are read by ``git coord inbox``.

    Raises:
        Refused: nobody acts here for certain, and an empty inbox would be a lie.
    """
    if worker.me.instance is None:
        whoami.require_certain(worker.me, worker.here, "inbox")
    return inbox.unread(worker.store, worker.me)


def _mirror(worker: Worker, fleet: Fleet, until: Until[Move]) -> Mirror:
    newest = habits.moves(worktree_of(worker.here), fleet, until)
    return mirror.reflect(newest, fleet.kinds, mirror.WINDOW)


def _put_down(worker: Worker, fleet: Fleet, now: float) -> list[PutDown]:
    until: Until[PutDown] = Until(now)
    newest = Ledger(worktree_of(worker.here), fleet.put_down, PutDown).newest(until=until)
    found = list(itertools.islice(newest, _PUT_DOWNS))[::-1]
    habits.warn_of_ahead(fleet.put_down, until)
    return found


def _part(missing: dict[str, str], name: str, build: Callable[[], T]) -> T | None:
    """Return a part of the screen; None for one that cannot be had, after noting why."""
    try:
        return build()
    except CoordError as error:
        missing[name] = f"{error.what}: {error.where}: {error.why}"
    except OSError as error:
        missing[name] = f"{error.strerror}: {error.filename}"
    return None


def _pause(most: float) -> None:
    """Wait a random part of `most` seconds: who wakes together must not decide together."""
    if most <= 0:
        return
    wait = random.SystemRandom().uniform(0, most)
    show.note(f"waiting {wait:.1f} s, at random up to {most:g} s (--no-stagger: not at all)")
    time.sleep(wait)


def _enrol(worker: Worker) -> None:
    """Put who wakes on the roll; a board that cannot be written is shown all the same."""
    if worker.me.instance is None:
        return
    try:
        enrolment.enrol(worker.here, worker.store, worker.me.actor, worker.me.instance)
    except StoreError:
        return
