"""``board`` and ``log``: who is here, who works on what, and what happened to a scope."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import click

from coord.board import view
from coord.board.text import board_lines, log_lines
from coord.cli import edge, show, words
from coord.work import board as boards

if TYPE_CHECKING:
    from coord.board.roll import Member
    from coord.board.view import Row
    from coord.cli.watching import Frame
    from coord.work.board import Board
    from coord.work.call import Call

_REFRESH = 5  # seconds after which a browser reads the page again


@click.command()
@click.option("--html", "page", metavar="FILE", help="Write one self-contained page to FILE.")
@click.option("--watch", is_flag=True, help="Show it again when it changes, until Ctrl-C.")
@show.json_option
@click.pass_obj
def board(asked: str | None, *, page: str | None, watch: bool, as_json: bool) -> None:
    """Show who is here, and who works on what and waits for what."""
    if as_json and (page is not None or watch):
        raise click.UsageError("--json goes with neither --html nor --watch")
    call = edge.call(asked, "board", options={"--html": page, "--watch": watch})
    if page is not None:
        _write(call, page, watch=watch)
    elif watch:
        from coord.cli import watching  # noqa: PLC0415  # shutil, which no other board pays for

        watching.screen(lambda: _frame(boards.board(call, everything=False)))
    else:
        _show(call, as_json=as_json)


def _show(call: Call, *, as_json: bool) -> None:
    # All that is read here is kept to the end: looking for garbage in it took a tenth.
    gc.disable()
    found = boards.board(call, everything=as_json)
    for pair in view.lookalikes(found.rows):
        show.note(f"{pair[0]} and {pair[1]} differ in case only")
    if not as_json:
        show.lines(_lines(found))
        return
    from coord.documents import board as documents  # noqa: PLC0415  # scripts pay for it

    show.document(documents.document(found))


def _lines(found: Board) -> list[str]:
    return list(board_lines(*_shown(found)))


def _shown(found: Board) -> tuple[list[Member], list[Row], str | None, float | None]:
    worker, roll, members, rows = found
    aged = boards.aged(worker.store, rows, roll.now)
    return members, aged, worker.me.instance, roll.now


def _frame(found: Board) -> Frame:
    from coord.board import narrow  # noqa: PLC0415  # for a screen only
    from coord.cli import terminal  # noqa: PLC0415  # as above
    from coord.cli.watching import Frame  # noqa: PLC0415  # as above

    whole, missed = _shown(found), found.unreached
    # Not why: of several members each has its own reason, in turn.
    away = [] if missed is None else [missed.where]

    def lines(cells: int | None) -> list[str]:
        board = narrow.board_lines(*whole, cells) if cells else list(board_lines(*whole))
        if missed is None:
            return board
        note = show.commentary(missed.told)  # on top: at the bottom a screen is cut
        return [*(terminal.folded(note, cells) if cells else [note]), *board]

    return Frame(lines, [*away, *board_lines(*whole[:3], None)])


def _write(call: Call, path: str, *, watch: bool) -> None:
    from coord.cli import outfile, pictured, watching  # noqa: PLC0415  # for the page only

    file = outfile.require(call.cwd, path, "git coord board", "--html board.html")
    if not watch:
        pictured.write(call, file)
        return
    show.note(f"{path} is written again as the board changes; Ctrl-C ends it")
    watching.again(lambda: pictured.write(call, file, _REFRESH))


@click.command()
@click.argument("name", shell_complete=words.scope, metavar="SCOPE")
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
    show.lines(log_lines(found.events, found.roll))
