"""``store migrate``: the board of a clone goes elsewhere, records, numbers and stamps as they are.

From a board without a clock no stamp goes along, since each is its writer's: all is new there, and
what a clone tells of its workers it tells anew.

First the new place says that a board comes, then the old one that it has moved, which every create
there meets; so what is copied after that is all there is. Killed at any point, the same command
goes on; the clone follows when everything stands there.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from coord.base import publish
from coord.base.errors import Refused
from coord.base.names import quote
from coord.board import claims
from coord.identity import whoami as identities
from coord.liveness import clone
from coord.stores import about, attendance, chosen, engine, moved
from coord.stores import choice as choices
from coord.stores.directory import Directory
from coord.stores.moved import LOCAL, Goal
from coord.work import settling, store, where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.repo.worktree import Worktree
    from coord.stores.choice import Choice
    from coord.stores.engine import Far
    from coord.stores.store import Rec
    from coord.work.call import Call
    from coord.work.store import Stands

    Side = Directory | Far

_COMING = "board.coming"


class _Move(NamedTuple):
    """What goes where: the board there is, the one to be, and what that calls itself."""

    here: Worktree
    old: Side
    new: Side
    goal: Goal


def migrate(call: Call, found: Choice, *, create: bool = False) -> Stands:
    """Move the board of the caller's clone elsewhere, or with the URL ``local`` to its git dir.

    Args:
        call: who calls.
        found: the board to be.
        create: make the repository of that board, where it is on a git remote.

    Raises:
        Usage: the URL names no board.
        Refused: a run is at work, something is unpublished or cannot be read; there is a board
            already; nothing is installed here.
        StoreError: one of both cannot be reached.
    """
    here = where.located(call)
    where.require_own(call, here)
    if found.url != LOCAL:
        store.require_home(here)
        found = store.named(call, found, create=create, verb="migrate")
    before = chosen.choice(here.common_dir)
    if (before.url if before else LOCAL) == found.url:
        return store.show(call)
    move = _planned(here, before, found)
    if not move.old.left_for():
        _require_settled(call, here)
        _require_idle(call, move)
    if not isinstance(move.new, Directory):
        with store.contact(call, found, "migrate"):
            move = _expected(move, move.new)
    _left(call, move)
    _copied(move)
    return _followed(call, move, found)


def _planned(here: Worktree, before: Choice | None, found: Choice) -> _Move:
    root = chosen.folder(here.common_dir)
    old = Directory(root) if before is None else _far(here, before)
    coming = os.path.join(os.path.dirname(root), _COMING)
    new = Directory(coming) if found.url == LOCAL else _far(here, found)
    epoch = about.made([]).epoch
    goal = Goal(found.url, epoch, clone.own(here.common_dir) or "")
    known = old.left_for()
    if known is None or known.to == goal.to:
        return _Move(here, old, new, known or goal)
    raise moved.Moved(known, root if before is None else before.url)


def _far(here: Worktree, found: Choice) -> Far:
    """Open a board without a copy, and without the rate of its every day."""
    kept = chosen.base(here.common_dir, found)
    return engine.opened(found._replace(rate=0.0), kept, here.common_dir)


def _require_settled(call: Call, here: Worktree) -> None:
    """Insist that nothing waits to be published on the board that is left.

    Raises:
        Refused: something does.
    """
    me = identities.resolve(here, call.actor, call.environ)
    settling.settle(call, here, chosen.board_of(here.common_dir), me)
    settling.require_none(here.common_dir)


def _require_idle(call: Call, move: _Move) -> None:
    """Insist that no run is at work, and that all that is held can be read.

    Raises:
        Refused: one is, which could not say any more that it has ended; or something cannot.
    """
    from coord.board.roll import Roll  # noqa: PLC0415  # git children, for this alone
    from coord.settings import config  # noqa: PLC0415

    del call
    roll = Roll(move.old, move.here, config.load(move.here.top).expires)
    for event in claims.tops(move.old):
        working = [one for one in event.state.at_work() if not roll.is_dead(one)]
        if working or event.kind == "unreadable":
            raise Refused(
                "store-in-use",
                "a board moves when no run is at work, and all that is held can be read",
                where=event.scope,
                why=f"{working[0].actor} runs something there"
                if working
                else "its newest record cannot be read",
                run=f"git coord show {quote(event.scope)}",
            )


def _expected(move: _Move, new: Far) -> _Move:
    """Say on the server that a board comes; return the move with the epoch that it has there.

    Raises:
        Refused: there is a board already, or another comes.
    """
    mine = about.encode(about.About(move.goal.epoch, (move.goal.clone,)))
    rec = new.append(about.COMING, mine, None, [])
    if rec is None:
        rec = new.read(about.COMING) or new.read(about.KEY)
    found = about.decode(rec.value) if rec else None
    done = rec is not None and rec.key == about.KEY
    ours = found is not None and (done or found.roots == (move.goal.clone,))
    if found is None or not ours or (done and found.epoch != move.goal.epoch):
        raise Refused(
            "store-foreign",
            "there is a board already, or another comes there",
            where=new.where,
            why="what it holds and what this one holds would become one board",
            run=f"git coord store use {quote(move.goal.to)}",
        )
    return move._replace(goal=move.goal._replace(epoch=found.epoch))


def _left(call: Call, move: _Move) -> None:
    """Say in the old board that it has moved, unless a run began meanwhile."""
    if move.old.left_for() is not None:
        return
    move.old.leave(moved.encode(move.goal))
    try:
        _require_idle(call, move)
    except Refused:
        move.old.stay()
        raise


def _copied(move: _Move) -> None:
    """Copy all records, and insist that they are there.

    Raises:
        Refused: one cannot be read, or another record stands in its place.
    """
    wanted = _records(move.old)
    if not move.old.caps.clock:
        wanted = _unstamped(wanted)
    for rec in wanted:
        if not rec.value:
            raise _unreadable(move, rec, "it cannot be read")
    there = {rec.key: rec.value for rec in _records(move.new)}
    move.new.adopt([rec for rec in wanted if rec.key not in there])
    there = {rec.key: rec.value for rec in _records(move.new)}
    for rec in wanted:
        if there.get(rec.key) != rec.value:
            raise _unreadable(move, rec, "another record stands there in its place")


def _records(side: Side) -> Sequence[Rec]:
    return [rec for rec in side.everything() if not rec.key.startswith("about/")]


def _unstamped(recs: Sequence[Rec]) -> Sequence[Rec]:
    told = f"{attendance.FOLDER}/"
    return [rec._replace(at=None) for rec in recs if not rec.key.startswith(told)]


def _unreadable(move: _Move, rec: Rec, why: str) -> Refused:
    return Refused(
        "record-unreadable",
        "a board moves whole, or not at all",
        where=rec.key,
        why=f"{why}; the old board takes no records until it has moved",
        run=f"git coord store migrate {quote(move.goal.to)}",
    )


def _followed(call: Call, move: _Move, found: Choice) -> Stands:
    """Have the clone follow its board."""
    here, root = move.here, chosen.folder(move.here.common_dir)
    if not isinstance(move.new, Directory):
        roots = tuple(store.roots(here))
        move.new.create(about.KEY, about.encode(about.About(move.goal.epoch, roots)))
        coming = move.new.read(about.COMING)
        if coming is not None:
            move.new.delete(about.COMING, coming.value)
        choices.write(here.common_dir, found._replace(epoch=move.goal.epoch))
    else:
        aside = f"{root}.left"
        publish.drop(aside)
        if os.path.lexists(root):
            os.rename(root, aside)
        os.rename(os.path.join(os.path.dirname(root), _COMING), root)
        publish.sync_folder(root)
        choices.drop(here.common_dir)
        publish.drop(aside)
    chosen.forget(here.common_dir)
    return store.show(call)
