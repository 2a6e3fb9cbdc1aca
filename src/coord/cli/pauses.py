"""``pause`` and ``resume``: a mark on what you hold, and a word to those who are here."""

from __future__ import annotations

import click

from coord.cli import edge, show
from coord.work import pause as pausing


@click.command()
@click.option("--reason", metavar="TEXT", help="Why, and what would help.")
@show.json_option
@click.pass_obj
def pause(asked: str | None, *, reason: str | None, as_json: bool) -> None:
    """Mark what you hold as paused and ask the workers who are here for help."""
    done = pausing.pause(edge.call(asked, "pause", options={"--reason": reason}), reason)
    if as_json:
        from coord.documents import pauses  # noqa: PLC0415  # scripts pay for it

        show.document(pauses.paused(done))
        return
    for scope, _ in done.marked:
        show.line(f"{scope} is paused, and still yours")
    names = ", ".join(sorted({one.to.actor for one in done.told}))
    if not names:
        show.line("nobody is here to be told")
    else:
        show.line(f"{'told' if done.new else 'nothing new was sent; told before'}: {names}")


@click.command()
@show.json_option
@click.pass_obj
def resume(asked: str | None, *, as_json: bool) -> None:
    """Take the mark of the pause away from what you hold."""
    from coord.work import resume as resuming  # noqa: PLC0415  # not for pause

    actor, done = resuming.resume(edge.call(asked, "resume"))
    if as_json:
        from coord.documents import pauses  # noqa: PLC0415

        show.document(pauses.resumed(done))
        return
    for scope, _ in done:
        show.line(f"{scope} is at work again")
    if not done:
        show.line(f"{actor} holds nothing that is paused")
