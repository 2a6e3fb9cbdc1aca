"""``merge-order``: in which order branches are merged, and what would come of it."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import click

from coord.base.errors import Usage
from coord.cli import edge, progress, show
from coord.work import merge_order as orders
from coord.work.call import typed

if TYPE_CHECKING:
    from coord.rehearse.report import Rehearsal
    from coord.work.merge_order import Order


@click.command()
@click.option("--onto", metavar="B", help="What the branches are merged into; default: HEAD.")
@click.option("--rehearse", is_flag=True, help="Merge the finished ones, touching nothing.")
@click.option("--exec", "command", metavar="CMD", help="Rehearse, and test each step with CMD.")
@show.json_option
@click.pass_obj
def merge_order(
    asked: str | None, *, onto: str | None, rehearse: bool, command: str | None, as_json: bool
) -> int:
    """Show in which order the branches of the board are to be merged.

    Finished branches come first, the widest footprint first, none before a branch it waits on. A
    rehearsal tells what would conflict or be refused, and which commands that needs; exit 1 unless
    all are clean.
    """
    gc.disable()  # as for the board: all that is read here is kept to the end
    _require_command(command, onto)
    with progress.going("putting branches in order"):
        made = orders.merge_order(edge.call(asked, "merge-order"), onto)
    found = _rehearsed(made, command) if rehearse or command else None
    if as_json:
        from coord.documents import merge_order as documents  # noqa: PLC0415  # scripts pay for it

        show.document(documents.document(made.plan, found))
    else:
        _show(made, found)
    return int(found is not None and not found.ok)


def _show(made: Order, found: Rehearsal | None) -> None:
    from coord.order import text  # noqa: PLC0415  # people pay for it

    show.lines(text.lines(made.plan))
    if text.names_left_out(made.plan):
        show.note("git coord merge-order --json names every branch that each waits on")
    if made.has_landed:
        show.note("git coord release --landed settles the claims of what has landed")
    if found is not None:
        show.lines(["", *found.lines()])


def _require_command(command: str | None, onto: str | None) -> None:
    """Refuse an empty test, such as an unset variable's: sh runs it, and every branch passes.

    Raises:
        Usage: it is empty.
    """
    if command is None or command.strip():
        return
    raise Usage(
        "usage",
        "a test without a command",
        where="--exec",
        why="sh takes an empty command for a success: every branch would pass",
        run=f"git coord {typed('merge-order', (), {'--onto': onto, '--rehearse': True})}",
    )


def _rehearsed(made: Order, command: str | None) -> Rehearsal:
    from coord.cli import rehearsal  # noqa: PLC0415  # 10 ms, when it is asked for

    onto = made.plan.onto
    found = rehearsal.rehearsed(
        made.here, onto.name, made.finished, command, base=onto.commit, tips=made.tips
    )
    return found.knowing(made.deleted)
