"""``sign-off``: the clean end of a session, refused where it could end somebody else's."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from coord import git, identity, refusal, worktree
from coord.board import beats, done
from coord.board import claims as board
from coord.board.waiting import Watch
from coord.cli import claims, roster, show, who
from coord.cli import seat as seats

if TYPE_CHECKING:
    from coord.board.events import State
    from coord.identity import Identity
    from coord.worktree import Place


@click.command()
@show.json_option
@click.pass_obj
def sign_off(asked: str | None, *, as_json: bool) -> None:
    """End your session here: check that it is yours, and say what is left behind."""
    place = who.here()
    worktree.refuse_leaked(place, os.getcwd(), "sign-off", os.environ)
    me = identity.resolve(place, asked)
    identity.require_certain(me, place, "sign-off")
    who.warn_of_author(place)
    live = refusal.live(place, git.elsewhere())
    pending = sorted(
        {record.path for record, facts in live if not refusal.is_settled(record, facts)}
    )
    dirty = changed(place)
    released, kept = _left(place, me)
    if as_json:
        show.document(
            {
                "actor": me.actor,
                "instance": me.instance,
                "pending": pending,
                "changed": dirty,
                "released": [claims.released_document(*one) for one in released],
                "kept": kept,
            }
        )
        return
    show.line(f"{me.actor} signed off from {place.cwd}")
    for scope, state in released:
        heir = state.holder
        show.line(f"released: {scope}{f', now held by {heir.actor}' if heir else ''}")
    for scope in kept:
        show.line(f"kept until its branch lands: {scope}")
    for path in pending:
        show.line(f"still refused: {path}")
    if dirty:
        show.line(f"not committed: {len(dirty)} path{'s' if len(dirty) > 1 else ''}")


def _left(place: Place, me: Identity) -> tuple[list[tuple[str, State]], list[str]]:
    """Release what the worker holds and waits for, then take back its signs of life.

    What it claimed for a branch that it has finished stays until that lands.

    Returns:
        (scope, state after it) of what was released, and the scopes kept.
    """
    seat = seats.Seat(place, me, roster.board_of(place), Watch(), [])
    tops = list(board.tops(seat.store)) if me.instance else []
    finished = done.finished_by(tops, seat.instance)
    mine = {event.scope: event.state.places_of(seat.instance) for event in tops}
    kept = {
        scope: [one for one in places if done.is_of(finished, scope, one)]
        for scope, places in mine.items()
    }
    roll, released = seat.roll(), []
    for scope in sorted(mine):
        if len(kept[scope]) < len(mine[scope]):
            stay = frozenset(kept[scope])
            released.append((scope, claims.give_up(seat, roll, scope, stay)))
    beats.drop(place.git_dir, me.instance)
    return released, sorted(scope for scope, places in kept.items() if places)


def changed(place: Place) -> list[str]:
    """Return the paths with uncommitted changes, untracked ones included."""
    if place.top is None:
        return []
    listing = git.tell("status", "--porcelain", "-z", "--no-renames", cwd=place.top)
    return [field[3:] for field in listing.fields]
