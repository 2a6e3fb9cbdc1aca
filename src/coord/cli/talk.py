"""``send``, ``inbox`` and ``ack``: words between workers. None of them grants anything."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import click

from coord.base.errors import Refused
from coord.board import claims, inboxtext, keys, letters, messages, scopes
from coord.board import inbox as inboxes
from coord.board.actors import Actor
from coord.board.messages import KINDS, Message, Party
from coord.board.store import StoreError
from coord.cli import addressed, offers, show
from coord.cli import seat as seats

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coord.cli.seat import Seat


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
    seats.bounded(text, "TEXT")
    seat, half = talking(asked, "send", {"--scope": scope}, [kind, to, text])
    about = None if scope is None else scopes.parse(scope, seat.here.top)
    made = written(seat, kind, addressed.find(seat, seat.roll(), to), text, about)
    if kind == "handoff":
        show.note("a message moves no claim: git coord handoff does, with the other's ack")
    sent = _begun(half, made) or made
    if sent is made:
        letters.send(seat.store, seat.instance, made)
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
    seat = seats.looking(asked)
    broken: list[str] = []
    look = inboxes.every if everything else inboxes.unread
    found = look(seat.store, seat.me.instance, broken)
    if as_json:
        show.document({"messages": [inboxes.document(message) for message in found]})
    else:
        show.lines(inboxtext.lines(found, seat.store.now(), _owners(seat, found)))
    if broken:
        what = "1 message" if len(broken) == 1 else f"{len(broken)} messages"
        show.note(f"{what} to you could not be read: {broken[0]}")
    _mark_read(seat, found)


@click.command()
@click.argument("name", metavar="ID")
@show.json_option
@click.pass_obj
def ack(asked: str | None, *, name: str, as_json: bool) -> None:
    """Take up an offered scope, which is yours from then on, or tell a sender that you read.

    ID is of your inbox; or it is a scope with its kind, which somebody claimed for your branch.
    """
    seat, _ = talking(asked, "ack", {}, [name])
    offer = offers.find(seat, name)
    if offer is not None:
        offers.take_up(seat, offer, as_json=as_json)
        return
    if ":" in name:
        offers.adopt(seat, scopes.parse(name, seat.here.top), as_json=as_json)
        return
    message = _message(seat, name)
    new = _acknowledge(seat, message)
    inboxes.mark_read(seat.store, seat.instance, [message])
    if as_json:
        show.document({"message": inboxes.document(message._replace(read=True)), "new": new})
        return
    if message.kind == "ack":
        show.line(f"read: an ack from {message.sender.actor}, which is not answered")
        return
    again = "" if new else " before; nothing was sent again"
    show.line(f"acknowledged {message.kind} from {message.sender.actor}{again}")


def _owners(seat: Seat, found: Sequence[Message]) -> dict[str, str]:
    """Return who has the scopes that somebody merely wrote about as handed off."""
    named = {one.scope for one in found if one.kind == "handoff" and not one.offer and one.scope}
    return {scope: offers.owner(claims.state(seat.store, scope), seat, scope) for scope in named}


def _mark_read(seat: Seat, found: Sequence[Message]) -> None:
    """Mark what was shown to the very worker it was sent to."""
    if seat.me.instance is None:
        show.note("nobody is pinned here, so nothing can be sent here: git coord pin")
        return
    if seat.me.conflict is not None:
        show.note(f"they stay unread: they are {seat.me.actor}'s")
        return
    if found and not show.reaches_anybody():
        show.note("they stay unread: the output goes nowhere")
        return
    try:
        inboxes.mark_read(seat.store, seat.instance, found)
    except StoreError as error:
        show.note(f"they stay unread: {error.why}")


def talking(
    asked: str | None, verb: str, options: Mapping[str, object], words: Sequence[str]
) -> tuple[Seat, list[tuple[Message, ...]]]:
    """Take the seat of a verb that speaks; return what a killed command had left half sent too.

    By then it has been delivered.
    """
    seat = seats.acting(asked, verb, [], options, tail=words, guarded=True)
    half = letters.settle(seat.store, seat.instance)
    for made in half:
        show.note(f"{made[0].id}, which an interrupted command had begun to send, is sent now")
    return seat, half


def written(
    seat: Seat, kind: str, to: Sequence[Actor], text: str, scope: str | None
) -> tuple[Message, ...]:
    """Return a message to each of `to`, not yet sent."""
    made, at = messages.stamped(seat.store)
    sender = messages.party(seat.me, seat.branch)
    generation = None if scope is None else claims.state(seat.store, scope).generation
    return tuple(
        Message(made, kind, sender, Party(one.actor, one.instance), scope, generation, text, at)
        for one in to
    )


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


def _message(seat: Seat, name: str) -> Message:
    """Return the one message that `name` means.

    Raises:
        Refused: none, or several.
    """
    ids = inboxes.named(seat.store, seat.instance, name)
    found = inboxes.find(seat.store, seat.instance, ids[0]) if len(ids) == 1 else None
    if found is not None:
        return found
    offers.refuse_stale(seat, name)
    raise Refused(
        "message-unknown",
        "several messages have such an id" if ids else "no message to you has that id",
        where=name or "(empty)",
        why=", ".join(ids[:3]) if ids else "it may be another's; an id stands in your own inbox",
        run="git coord inbox --all",
    )


def _acknowledge(seat: Seat, message: Message) -> bool:
    """Tell the sender, once and for all; an ack itself is not answered, or it would never end."""
    if message.kind == "ack":
        return False
    text = f"{seat.me.actor} has read your {message.kind} {message.id}"
    to = Actor(message.sender.actor, message.sender.instance, "", "", "")
    new, _ = letters.once(
        seat.store,
        f"{keys.posted(seat.instance)}/ack-{message.id}",
        lambda: written(seat, "ack", [to], text, message.scope),
    )
    return new
