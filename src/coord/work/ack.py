"""``ack``: take up what was offered, or tell a sender that its message was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.base.errors import Refused
from coord.base.names import quote
from coord.board import claims, events, handover, inbox, letters, view
from coord.board.actors import Actor
from coord.stores import keys, scopes
from coord.work import arrive, mail
from coord.work.claim import Claim, Claims
from coord.work.handoff import ID_LENGTH

if TYPE_CHECKING:
    from coord.board.events import Change, State
    from coord.board.inbox import Offered
    from coord.board.messages import Message
    from coord.work.arrive import Worker
    from coord.work.call import Call


class Read(NamedTuple):
    """A message whose sender knows that it was read; `new` unless it had been told before."""

    message: Message
    new: bool


def ack(call: Call, name: str) -> Claims | Read:
    """Take up the offer, the scope kept for this branch, or the message that `name` means.

    Raises:
        Usage: it is a scope of no kind.
        Refused: it means none or several, or the offer stands no longer.
    """
    worker, _ = mail.talking(call)
    offered = _offered(worker, name)
    if offered is not None:
        return _taken_up(worker, offered)
    if ":" in name:
        return _adopted(worker, scopes.parse(name, worker.here.top))
    message = _message(worker, name)
    new = _acknowledge(worker, message)
    inbox.mark_read(worker.store, worker.instance, [message])
    return Read(message._replace(read=True), new)


def _offered(worker: Worker, name: str) -> Offered | None:
    """Return the offer to `worker` that `name` means; None where no or no single one does."""
    standing = list(inbox.offers(claims.tops(worker.store), worker.instance))
    exact = [one for one in standing if one.offer.id == name]
    found = exact or [one for one in standing if inbox.is_short_for(name, one.offer.id)]
    return found[0] if len(found) == 1 else None


def _taken_up(worker: Worker, offered: Offered) -> Claims:
    """Take up an offer at its generation, unless another was first or the holder has changed."""
    scope, offer = offered.scope, offered.offer
    mine = arrive.place(worker, worker.branch)

    def decide(state: State) -> Change:
        change = handover.accepted(state, offer.id, mine)
        if change is None:
            raise _stale(worker, scope, state, offer.id)
        return change

    state = claims.change(worker.store, scope, worker.me, decide).state
    return Claims(worker, worker.roll(), (Claim(scope, state, state.line[0]),))


def _adopted(worker: Worker, scope: str) -> Claims:
    """Take up what a coordinator has claimed for this branch, as claiming it does."""
    mine, roll = arrive.place(worker, worker.branch), worker.roll()

    def decide(state: State) -> Change | None:
        if not any(place.on_behalf and place.branch == mine.branch for place in state.line):
            raise _not_kept(worker, scope, state)
        return events.joined(state, mine, roll.is_dead)

    state = claims.change(worker.store, scope, worker.me, decide).state
    own = state.places_of(worker.instance)[0]
    return Claims(worker, roll, (Claim(scope, state, own),))


def _message(worker: Worker, name: str) -> Message:
    """Return the one message that `name` means."""
    ids = inbox.named(worker.store, worker.instance, name)
    found = inbox.find(worker.store, worker.instance, ids[0]) if len(ids) == 1 else None
    if found is not None:
        return found
    _refuse_stale(worker, name)
    raise Refused(
        "message-unknown",
        "several messages have such an id" if ids else "no message to you has that id",
        where=name or "(empty)",
        why=", ".join(ids[:3]) if ids else "it may be another's; an id stands in your own inbox",
        run="git coord inbox --all",
    )


def _acknowledge(worker: Worker, message: Message) -> bool:
    """Tell the sender, once and for all; an ack itself is not answered, or it would never end."""
    if message.kind == "ack":
        return False
    text = f"{worker.me.actor} has read your {message.kind} {message.id}"
    to = Actor(message.sender.actor, message.sender.instance, "", "", "")
    new, _ = letters.once(
        worker.store,
        f"{keys.posted(worker.instance)}/ack-{message.id}",
        lambda: mail.written(worker, "ack", [to], text, message.scope),
    )
    return new


def _refuse_stale(worker: Worker, name: str) -> None:
    """Refuse an id that was an offer once, or is one to somebody else: name the present owner."""
    for event in claims.tops(worker.store):
        if handover.standing(event.state, name) is not None:
            raise _foreign(event.scope, event.state, name)
    scope = _once_offered(worker, name)
    if scope is not None:
        raise _stale(worker, scope, claims.state(worker.store, scope), name)


def _once_offered(worker: Worker, name: str) -> str | None:
    """Return the scope whose log knows the offer `name`; looked for only after a miss."""
    if len(name) != ID_LENGTH:
        return None
    for newest in list(claims.tops(worker.store)):
        for event in claims.history(worker.store, newest.scope):
            if event.kind == "offer" and event.nonce == name:
                return event.scope
    return None


def _stale(worker: Worker, scope: str, state: State, name: str) -> Refused:
    owner = view.owner(state, worker.instance)
    return Refused(
        "offer-stale",
        f"the offer {name} stands no longer",
        where=scope,
        why=f"{owner}; an offer ends when its scope changes hands",
        run=f"git coord log {quote(scope)}",
    )


def _foreign(scope: str, state: State, name: str) -> Refused:
    offer = handover.standing(state, name)
    to = offer.name if offer is not None else "another"
    return Refused(
        "not-holder",
        f"the offer {name} is not made to this instance",
        where=scope,
        why=f"it is held by {view.told(state.line[0])}, and offered to {to}; "
        "a name alone takes nothing up",
        run=f"git coord log {quote(scope)}",
    )


def _not_kept(worker: Worker, scope: str, state: State) -> Refused:
    owner = view.owner(state, worker.instance)
    return Refused(
        "not-holder",
        f"{scope} was not claimed for this branch",
        where=scope,
        why=f"{owner}; a handoff is taken up by its id, which the inbox shows",
        run="git coord inbox",
    )
