"""``sign-off``: the clean end of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from coord.base.names import quote
from coord.cli import answer, edge, show
from coord.work import sign_off as leaving
from coord.work import uncommitted

if TYPE_CHECKING:
    from coord.work.leaving import Given
    from coord.work.sign_off import SignedOff


@click.command()
@show.json_option
@click.pass_obj
def sign_off(asked: str | None, *, as_json: bool) -> None:
    """End your session here: check that it is yours, and say what is left behind."""
    done = leaving.sign_off(edge.call(asked, "sign-off"))
    if as_json:
        from coord.documents import sign_off as documents  # noqa: PLC0415  # scripts pay for it

        show.document(documents.document(done))
    else:
        _tell(done)


def _tell(done: SignedOff) -> None:
    show.line(f"{done.worker.me.actor} signed off from {done.worker.here.cwd}")
    for one in done.released:
        show.line(_released(one))
        answer.ended_offers(one)
    for scope in done.kept:
        show.line(_why_kept(done, scope))
    for path in done.pending:
        show.line(f"still refused: {path}")
    if done.changed:
        count = f"{len(done.changed)} path{'s' if len(done.changed) > 1 else ''}"
        show.line(f"not committed: {count}: {uncommitted.told(done.changed)}")


def _released(one: Given) -> str:
    heir = None if one.run else one.state.holder
    if heir is None:
        return f"released: {one.scope}"
    if one.state.generation == one.before:
        return f"left the line: {one.scope}, still held by {heir.actor}"
    return f"released: {one.scope}, now held by {heir.actor}"


def _why_kept(done: SignedOff, scope: str) -> str:
    run, offers = done.running.get(scope), done.offered.get(scope)
    if run is not None:
        return f"kept: {scope} is held by {run} until it ends"
    if scope in done.theirs:
        return f"kept: {scope} was claimed by another session here, of {done.theirs[scope]}"
    if not offers:
        return f"kept until its branch lands: {scope}"
    names = " and ".join(offer.name for offer in offers)
    return f"kept: {scope} is offered to {names}; git coord release {quote(scope)} gives it up"
