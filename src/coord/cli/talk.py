"""``send`` and ``inbox``: words between workers. None of them grants anything."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import click

from coord.board import claims, inboxtext, letters, scopes, view
from coord.board import inbox as inboxes
from coord.board.messages import KINDS
from coord.board.store import StoreError
from coord.cli import edge, show
from coord.work import addressed, arrive, mail
from coord.work.call import bounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.board.messages import Message
    from coord.work.arrive import Worker


@click.command()
@click.argument("kind", type=click.Choice(KINDS), metavar="KIND")
@click.argument("to", metavar="TO")
@click.argument("text", metavar="TEXT")
@click.option("--scope", metavar="S", help="The scope this is about.")
@show.json_option
@click.pass_obj
def send(
    asked: str | None, *, kind: str, to: str, text: str, scope: str | None, as_json: bool
) -> None:
    """Send a message to an actor, which is all its live instances, or to one instance.

    KIND is one of intent, overlap, help, handoff, ack, dependency. None of them grants anything,
    and none moves a claim: that takes git coord handoff, and the other's ack.
    """
    if not text.strip():
        raise click.UsageError("TEXT is empty")
    bounded(text, "TEXT")
    call = edge.call(asked, "send", options={"--scope": scope}, tail=[kind, to, text])
    worker, half = mail.talking(call)
    about = None if scope is None else scopes.parse(scope, worker.here.top)
    meant = addressed.find(call, worker, worker.roll(), to)
    made = mail.written(worker, kind, meant, text, about)
    if kind == "handoff":
        show.note("a message moves no claim: git coord handoff does, with the other's ack")
    sent = _begun(half, made) or made
    if sent is made:
        letters.send(worker.store, worker.instance, made)
    if as_json:
        show.document(sent_document(sent))
        return
    for message in sent:
        show.line(f"sent {kind} to {message.to.actor} ({message.to.instance}): {message.id}")


@click.command()
@click.option("--all", "everything", is_flag=True, help="Show what was read before, too.")
@show.json_option
@click.pass_obj
def inbox(asked: str | None, *, everything: bool, as_json: bool) -> None:
    """Show what others have sent you since you last looked, and which scopes they offer you."""
    # Ten thousand messages are kept to the end: looking for garbage in them took a tenth.
    gc.disable()
    worker = arrive.looking(edge.call(asked, "inbox"))
    broken: list[str] = []
    look = inboxes.every if everything else inboxes.unread
    found = look(worker.store, worker.me.instance, broken)
    if as_json:
        show.document({"messages": [inboxes.document(message) for message in found]})
    else:
        show.lines(inboxtext.lines(found, worker.store.now(), _owners(worker, found)))
    if broken:
        what = "1 message" if len(broken) == 1 else f"{len(broken)} messages"
        show.note(f"{what} to you could not be read: {broken[0]}")
    _mark_read(worker, found)


def _owners(worker: Worker, found: Sequence[Message]) -> dict[str, str]:
    """Return who has the scopes that somebody merely wrote about as handed off."""
    named = {one.scope for one in found if one.kind == "handoff" and not one.offer and one.scope}
    return {
        scope: view.owner(claims.state(worker.store, scope), worker.me.instance, scope)
        for scope in named
    }


def _mark_read(worker: Worker, found: Sequence[Message]) -> None:
    """Mark what was shown to the very worker it was sent to."""
    if worker.me.instance is None:
        show.note("nobody is pinned here, so nothing can be sent here: git coord pin")
        return
    if worker.me.conflict is not None:
        show.note(f"they stay unread: they are {worker.me.actor}'s")
        return
    if found and not show.reaches_anybody():
        show.note("they stay unread: the output goes nowhere")
        return
    try:
        inboxes.mark_read(worker.store, worker.instance, found)
    except StoreError as error:
        show.note(f"they stay unread: {error.why}")


def sent_document(sent: Sequence[Message]) -> dict[str, object]:
    """Return one sending as JSON answers tell it."""
    first = sent[0]
    return {
        "id": first.id,
        "kind": first.kind,
        "scope": first.scope,
        "generation": first.generation,
        "text": first.text,
        "sent_at": first.sent_at,
        "to": [{"actor": one.to.actor, "instance": one.to.instance} for one in sent],
    }


def _begun(half: Sequence[tuple[Message, ...]], wanted: Sequence[Message]) -> tuple[Message, ...]:
    """Return the interrupted sending that `wanted` repeats; nothing when it repeats none."""
    return next((made for made in half if _meaning(made) == _meaning(wanted)), ())


def _meaning(made: Sequence[Message]) -> tuple[object, ...]:
    first = made[0]
    return first.kind, first.scope, first.text, {message.to.instance for message in made}
