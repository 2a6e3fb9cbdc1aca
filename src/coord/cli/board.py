"""``board`` and ``log``: who is here, who works on what, and what happened to a scope."""

from __future__ import annotations

import gc

import click

from coord.board import view
from coord.board.text import board_lines, log_lines
from coord.cli import edge, show
from coord.work import board as boards


@click.command()
@show.json_option
@click.pass_obj
def board(asked: str | None, *, as_json: bool) -> None:
    """Show who is here, and who works on what and waits for what."""
    # All that is read here is kept to the end: looking for garbage in it took a tenth.
    gc.disable()
    found = boards.board(edge.call(asked, "board"))
    worker, roll, members, rows = found
    for pair in view.lookalikes(rows):
        show.note(f"{pair[0]} and {pair[1]} differ in case only")
    if as_json:
        from coord.documents import board as documents  # noqa: PLC0415  # scripts pay for it

        show.document(documents.document(found))
        return
    aged = boards.aged(worker.store, rows, roll.now)
    show.lines(board_lines(members, aged, worker.me.instance, roll.now))


@click.command()
@click.argument("name", metavar="SCOPE")
@show.json_option
@click.pass_obj
def log(asked: str | None, *, name: str, as_json: bool) -> None:
    """Show what happened to SCOPE, oldest first."""
    from coord.work import log as logs  # noqa: PLC0415  # not for board

    found = logs.log(edge.call(asked, "log", [name]), name)
    if as_json:
        from coord.documents import log as documents  # noqa: PLC0415

        show.document(documents.document(found))
        return
    if not found.events:
        show.note(f"{found.scope} was never claimed")
    show.lines(log_lines(found.events))
