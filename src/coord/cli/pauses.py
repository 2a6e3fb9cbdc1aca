"""``pause`` and ``resume``: a mark on what you hold, and a word to those who are here.

Neither releases, deletes or touches a file: a paused claim stands like any other.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import click

from coord.board import claims, handover, keys, letters, messages
from coord.cli import edge, show
from coord.identity.pin import now
from coord.work import addressed, mail
from coord.work.call import bounded
from coord.work.handoff import held

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from coord.board.events import Change, State
    from coord.board.messages import Message
    from coord.work.arrive import Worker

_NAMED = 10


@click.command()
@click.option("--reason", metavar="TEXT", help="Why, and what would help.")
@show.json_option
@click.pass_obj
def pause(asked: str | None, *, reason: str | None, as_json: bool) -> None:
    """Mark what you hold as paused and ask the workers who are here for help."""
    bounded(reason, "--reason")
    worker, _ = mail.talking(edge.call(asked, "pause", options={"--reason": reason}))
    at, words = now(), reason or ""
    marked = _marked(worker, lambda state: handover.paused(state, worker.instance, at, words))
    new, told = _tell(worker, marked, words)
    if as_json:
        to = [{"actor": one.to.actor, "instance": one.to.instance} for one in told]
        show.document({"paused": [_document(*one) for one in marked], "told": to, "new": new})
        return
    for scope, _ in marked:
        show.line(f"{scope} is paused, and still yours")
    names = sorted({one.to.actor for one in told})
    if not names:
        show.line("nobody is here to be told")
    else:
        show.line(f"{'told' if new else 'nothing new was sent; told before'}: {', '.join(names)}")


@click.command()
@show.json_option
@click.pass_obj
def resume(asked: str | None, *, as_json: bool) -> None:
    """Take the mark of the pause away from what you hold."""
    worker, _ = mail.talking(edge.call(asked, "resume"))
    scopes = [scope for scope in held(worker) if claims.state(worker.store, scope).paused_at]
    done = _marked(worker, lambda state: handover.resumed(state, worker.instance), scopes)
    if as_json:
        show.document({"resumed": [_document(*one) for one in done]})
        return
    for scope, _ in done:
        show.line(f"{scope} is at work again")
    if not done:
        show.line(f"{worker.me.actor} holds nothing that is paused")


def _marked(
    worker: Worker, decide: Callable[[State], Change | None], scopes: Sequence[str] | None = None
) -> list[tuple[str, State]]:
    """Change what `worker` holds, and return each scope as it stands, while it is still held."""
    wanted = held(worker) if scopes is None else scopes
    made = [
        (scope, claims.change(worker.store, scope, worker.me, decide).state) for scope in wanted
    ]
    return [(scope, state) for scope, state in made if state.holder and _is(state, worker.instance)]


def _is(state: State, instance: str) -> bool:
    return state.holder is not None and state.holder.instance == instance


def _tell(
    worker: Worker, marked: Sequence[tuple[str, State]], reason: str
) -> tuple[bool, Sequence[Message]]:
    """Ask those who are here for help, once for each pause and each new reason for it.

    Return whether that was new, and what was sent, now or before.
    """
    peers = addressed.present(worker, worker.roll())
    made = mail.written(worker, "help", peers, _text(worker, marked, reason), _about(marked))
    if not (made and marked):
        if made:
            letters.send(worker.store, worker.instance, made)
        return bool(made), made
    marks = "\n".join(f"{scope} {_pause(worker, scope)}" for scope, _ in marked)
    name = hashlib.sha256(marks.encode("utf-8", "surrogatepass")).hexdigest()[:40]
    key = f"{keys.posted(worker.instance)}/pause-{name}"
    return letters.once(worker.store, key, lambda: made)


def _pause(worker: Worker, scope: str) -> str:
    """Return the nonce of the event that paused `scope`; where it was compacted, since when."""
    for event in reversed(claims.history(worker.store, scope)):
        if event.kind == "pause":
            return event.nonce
    return claims.state(worker.store, scope).paused_at or ""


def _about(marked: Sequence[tuple[str, State]]) -> str | None:
    return marked[0][0] if len(marked) == 1 else None


def _text(worker: Worker, marked: Sequence[tuple[str, State]], reason: str) -> str:
    named = ", ".join(scope for scope, _ in marked[:_NAMED])
    more = f" and {len(marked) - _NAMED} more" if len(marked) > _NAMED else ""
    stands = f"; still held: {named}{more}" if marked else ""
    head = f"{worker.me.actor} has paused{stands}"
    return "\n".join([head, *([reason] if reason else [])])[: messages.TEXT_LIMIT]


def _document(scope: str, state: State) -> dict[str, object]:
    return {
        "scope": scope,
        "generation": state.generation,
        "paused_at": state.paused_at,
        "paused_why": state.paused_why,
    }
