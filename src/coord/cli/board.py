"""``board`` and ``log``: who is here, who works on what, and what happened to a scope."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import click

from coord.board import claims, eventjson, view
from coord.board.text import board_lines, log_lines, seconds
from coord.cli import seat as seats
from coord.cli import show

if TYPE_CHECKING:
    from coord.board.store import Store

_LONG = 86400


@click.command()
@show.json_option
@click.pass_obj
def board(asked: str | None, *, as_json: bool) -> None:
    """Show who is here, and who works on what and waits for what."""
    # All that is read here is kept to the end: looking for garbage in it took a tenth.
    gc.disable()
    seat = seats.looking(asked)
    roll = seat.roll()
    rows = [view.row(event.scope, event.state, roll) for event in claims.tops(seat.store)]
    rows.sort(key=lambda row: row.scope)
    members = roll.members(view.owners(rows))
    for pair in view.lookalikes(rows):
        show.note(f"{pair[0]} and {pair[1]} differ in case only")
    if as_json:
        show.document(
            {
                "actors": [view.member_document(member) for member in members],
                "claims": [view.row_document(row) for row in rows],
            }
        )
        return
    rows = [_bounded(seat.store, row, roll.now) for row in rows]
    show.lines(board_lines(members, rows, seat.me.instance, roll.now))


def _bounded(store: Store, row: view.Row, now: float | None) -> view.Row:
    """Look up when a scope began, where its claims say that they are more than a day old."""
    since = (seconds(one.place.since) for one in row.claimants)
    if now is None or all(at is None or now - at < _LONG for at in since):
        return row
    return row._replace(began=claims.began(store, row.scope))


@click.command()
@click.argument("name", metavar="SCOPE")
@show.json_option
@click.pass_obj
def log(asked: str | None, *, name: str, as_json: bool) -> None:
    """Show what happened to SCOPE, oldest first."""
    seat = seats.looking(asked, [name])
    scope = seat.scopes[0]
    events = claims.history(seat.store, scope)
    if as_json:
        show.document({"scope": scope, "events": [eventjson.document(event) for event in events]})
        return
    if not events:
        show.note(f"{scope} was never claimed")
    show.lines(log_lines(events))
