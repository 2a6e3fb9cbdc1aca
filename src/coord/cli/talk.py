"""``send`` and ``inbox``: words between workers. None of them grants anything."""

from __future__ import annotations

import gc

import click

from coord.board import inboxtext
from coord.board.messages import KINDS
from coord.cli import edge, show, words


@click.command()
@click.argument("kind", required=False, metavar="KIND")
@click.argument("to", required=False, shell_complete=words.worker, metavar="TO")
@click.argument("text", required=False, metavar="TEXT")
@click.option("--scope", shell_complete=words.scope, metavar="S", help="The scope this is about.")
@show.json_option
@click.pass_obj
def send(
    asked: str | None,
    *,
    kind: str | None,
    to: str | None,
    text: str | None,
    scope: str | None,
    as_json: bool,
) -> None:
    """Send a message to an actor, which is all its live instances, or to one instance.

    KIND is intent, overlap, help, dependency, handoff or ack: words all, and none moves a claim, as
    git coord handoff and git coord ack do. TO may stand before KIND.
    """
    from coord.work import send as sending  # noqa: PLC0415  # not for the other verb

    if kind is None or to is None or text is None:
        raise click.UsageError(f"It needs KIND, TO and TEXT; the kinds are {', '.join(KINDS)}")
    if not text.strip():
        raise click.UsageError("TEXT is empty")
    call = edge.call(asked, "send", options={"--scope": scope}, tail=[kind, to, text])
    kind, to = sending.ordered(call, kind, to)
    sent = sending.send(call, kind, to, text, scope)
    if as_json:
        from coord.documents import messages  # noqa: PLC0415  # scripts pay for it

        show.document(messages.sent(sent))
        return
    for message in sent:
        show.line(f"sent {kind} to {message.to.actor} ({message.to.instance}): {message.id}")


@click.command()
@click.option("--all", "everything", is_flag=True, help="Show what was read before, too.")
@show.json_option
@click.pass_obj
def inbox(asked: str | None, *, everything: bool, as_json: bool) -> None:
    """Show what others have sent you since you last looked, and which scopes they offer you."""
    from coord.work import inbox as inboxes  # noqa: PLC0415

    # Ten thousand messages are kept to the end: looking for garbage in them took a tenth.
    gc.disable()
    call = edge.call(asked, "inbox")
    found = inboxes.inbox(call, everything=everything)
    if as_json:
        from coord.documents import messages  # noqa: PLC0415

        show.document(messages.inbox(found))
    else:
        store = found.worker.store
        now = store.now() if store.caps.clock else None
        show.lines(inboxtext.lines(found.messages, now, inboxes.owners(found), found.last))
    if found.broken:
        count = len(found.broken)
        what = "1 message" if count == 1 else f"{count} messages"
        show.note(f"{what} to you could not be read: {found.broken[0]}")
    inboxes.mark_read(call, found, show.reaches_anybody)
