"""``show`` and ``list``: everything about one scope, branch or worker; and all announcements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from coord.board import abouttext
from coord.board.text import board_lines
from coord.cli import edge, words
from coord.cli import show as screen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.work.show import Shown


@click.command()
@click.argument("name", required=False, shell_complete=words.anything, metavar="[NAME]")
@screen.json_option
@click.pass_obj
def show(asked: str | None, *, name: str | None, as_json: bool) -> None:
    """Show all that is known of a worker, a scope or a branch; by default, of yourself.

    NAME is tried as a scope with its kind, a worker's name or instance, a branch, and a task.
    """
    from coord.work import show as showing  # noqa: PLC0415  # not for the other verb

    found = showing.show(edge.call(asked, "show"), name)
    if as_json:
        from coord.documents import shown  # noqa: PLC0415  # scripts pay for it

        screen.document(shown.shown(found))
        return
    subject, me = found.subject, found.worker.me.instance
    screen.line(f"{subject.kind} {subject.name}")
    screen.lines(board_lines(found.members, showing.aged(found), me, found.roll.now))
    screen.lines(_worktrees(found))
    for event in subject.events:
        past = showing.past(found, event)
        screen.lines(abouttext.detail_lines(event.scope, event.state, past, found.roll))


def _worktrees(found: Shown) -> Iterator[str]:
    for one in found.members:
        if one.actor.instance in found.subject.instances and one.worktree:
            where = f"{one.worktree}, as instance {one.actor.instance}"
            yield f"  {one.actor.actor} works in {where}"


@click.command("list")
@screen.json_option
@click.pass_obj
def announcements(asked: str | None, *, as_json: bool) -> None:
    """Show what living workers have announced: claims on branches, or with intent or paths."""
    from coord.work import list as listing  # noqa: PLC0415

    worker, roll, found = listing.announcements(edge.call(asked, "list"))
    if as_json:
        from coord.documents import shown  # noqa: PLC0415

        screen.document(shown.announcements(found, roll))
        return
    screen.lines(abouttext.announcement_lines(found, worker.me.instance))


list = announcements  # noqa: A001  # the table of verbs names it so
