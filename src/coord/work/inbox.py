"""``inbox``: what others have sent a worker; read is what was shown to that very worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.board import claims, view
from coord.board import inbox as kept
from coord.identity import pin
from coord.repo import worktree
from coord.stores.store import StoreError
from coord.work import arrive

if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.board.inbox import Shown
    from coord.board.messages import Message
    from coord.work.arrive import Worker
    from coord.work.call import Call


class Inbox(NamedTuple):
    """What was sent to a worker.

    Attributes:
        worker: to whom.
        messages: the messages and standing offers, oldest first.
        broken: the names of records that are no message.
        last: what was shown last, where there is nothing new: maybe to another reader.
    """

    worker: Worker
    messages: list[Message]
    broken: list[str]
    last: Shown | None = None


def inbox(call: Call, *, everything: bool = False) -> Inbox:
    """Return what the worker has not read yet, or `everything`; nothing becomes read by it."""
    worker = arrive.looking(call)
    broken: list[str] = []
    look = kept.every if everything else kept.unread
    found = look(worker.store, worker.me.instance, broken)
    last = None if found else kept.shown_last(worker.store, worker.me.instance)
    return Inbox(worker, found, broken, last)


def owners(found: Inbox) -> dict[str, str]:
    """Return who has the scopes that somebody merely wrote about as handed off; for text only."""
    worker = found.worker
    named = {
        one.scope for one in found.messages if one.kind == "handoff" and not one.offer and one.scope
    }
    return {
        scope: view.owner(claims.state(worker.store, scope), worker.me.instance, scope)
        for scope in named
    }


def mark_read(call: Call, found: Inbox, reached: Callable[[], bool]) -> None:
    """Mark what was shown to the very worker it was sent to; where it was not, say why.

    It comes after the answer. `reached` tells whether that went to anybody; it is asked only where
    that decides.
    """
    worker, messages = found.worker, found.messages
    if worker.me.instance is None:
        run = pin.command(worker.here.git_dir)
        call.note(f"nobody is pinned here, so nothing can be sent here: {run}")
        return
    if worker.me.conflict is not None:
        call.note(f"they stay unread: they are {worker.me.actor}'s")
        return
    original = worktree.copied_from(worker.here)
    if original is not None:
        call.note(f"they stay unread: they are {worker.me.actor}'s, in {original}")
        return
    if messages and not reached():
        call.note("they stay unread: the output goes nowhere")
        return
    try:
        kept.mark_read(worker.store, worker.instance, messages)
    except StoreError as error:
        call.note(f"they stay unread: {error.why}")
