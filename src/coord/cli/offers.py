"""``handoff``, and the ``ack`` of an offer: the one way in which a claim is given to another."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from coord.base.errors import Refused
from coord.base.names import quote
from coord.board import claims, events, handover, inbox, letters, scopes, view
from coord.board.offer import Offer
from coord.cli import addressed, show
from coord.cli import seat as seats
from coord.cli.claims import answer
from coord.identity.pin import now

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.board.actors import Actor
    from coord.board.events import Change, State
    from coord.board.inbox import Offered
    from coord.cli.seat import Seat


_ID_LENGTH = 16


@click.command()
@click.argument("to", metavar="TO")
@click.option("--scope", "names", multiple=True, metavar="S", help="What; default: all you hold.")
@click.option("--note", metavar="TEXT", help="What the other should know.")
@show.json_option
@click.pass_obj
def handoff(
    asked: str | None, *, to: str, names: tuple[str, ...], note: str | None, as_json: bool
) -> None:
    """Offer what you hold to an actor or an instance; it stays yours until the other's ack.

    An offer ends when the scope changes its holder in any way. The first ack of several has it.
    """
    seats.bounded(note, "--note")
    for name in names:
        scopes.parse(name)
    options = {"--scope": names, "--note": note}
    seat = seats.acting(asked, "handoff", [], options, tail=[to], guarded=True)
    letters.settle(seat.store, seat.instance)
    wanted = sorted({scopes.parse(name, seat.here.top) for name in names}) or held(seat)
    if not wanted:
        raise _nothing_held(seat)
    for scope in wanted:
        _require_mine(seat, scope, claims.state(seat.store, scope))
    targets = addressed.find(seat, seat.roll(), to)
    made = [(scope, *_offer(seat, scope, targets, note or "")) for scope in wanted]
    if as_json:
        show.document({"offers": [_document(*one) for one in made]})
        return
    for scope, state, offer in made:
        show.line(
            f"{scope} is offered to {offer.name} at generation {state.generation}: {offer.id}"
        )
        show.note(f"{scope} stays yours until {offer.name} runs git coord ack {offer.id}")


def held(seat: Seat) -> list[str]:
    """Return the scopes that `seat` holds."""
    return sorted(event.scope for event in claims.tops(seat.store) if _is_mine(event.state, seat))


def find(seat: Seat, name: str) -> Offered | None:
    """Return the offer to `seat` that `name` means; None where no or no single one does."""
    standing = list(inbox.offers(seat.store, seat.instance))
    exact = [one for one in standing if one.offer.id == name]
    found = exact or [one for one in standing if inbox.is_short_for(name, one.offer.id)]
    return found[0] if len(found) == 1 else None


def take_up(seat: Seat, offered: Offered, *, as_json: bool) -> None:
    """Take up an offer at its generation, and say how the claim stands.

    Raises:
        Refused: it stands no longer: another was first, or the holder has changed.
    """
    scope, offer = offered.scope, offered.offer
    mine = seats.claim(seat, seat.branch)

    def decide(state: State) -> Change:
        change = handover.accepted(state, offer.id, mine)
        if change is None:
            raise _stale(seat, scope, state, offer.id)
        return change

    state = claims.change(seat.store, scope, seat.me, decide).state
    answer(seat, seat.roll(), [(scope, state, state.line[0])], as_json=as_json)


def adopt(seat: Seat, scope: str, *, as_json: bool) -> None:
    """Take up what a coordinator has claimed for this branch, as claiming it does.

    Raises:
        Refused: nobody has.
    """
    mine, roll = seats.claim(seat, seat.branch), seat.roll()

    def decide(state: State) -> Change | None:
        if not any(place.on_behalf and place.branch == mine.branch for place in state.line):
            raise _not_kept(seat, scope, state)
        return events.joined(state, mine, roll.is_dead)

    state = claims.change(seat.store, scope, seat.me, decide).state
    answer(seat, roll, [(scope, state, state.places_of(seat.instance)[0])], as_json=as_json)


def refuse_stale(seat: Seat, name: str) -> None:
    """Refuse an id that was an offer once, or is one to somebody else.

    Raises:
        Refused: it is; the present owner is named.
    """
    for event in claims.tops(seat.store):
        if handover.standing(event.state, name) is not None:
            raise _foreign(event.scope, event.state, name)
    scope = _once_offered(seat, name)
    if scope is not None:
        raise _stale(seat, scope, claims.state(seat.store, scope), name)


def _once_offered(seat: Seat, name: str) -> str | None:
    """Return the scope whose log knows the offer `name`; looked for only after a miss."""
    if len(name) != _ID_LENGTH:
        return None
    for newest in list(claims.tops(seat.store)):
        for event in claims.history(seat.store, newest.scope):
            if event.kind == "offer" and event.nonce == name:
                return event.scope
    return None


def _offer(seat: Seat, scope: str, to: Sequence[Actor], note: str) -> tuple[State, Offer]:
    instances = tuple(sorted(one.instance for one in to))
    name = ", ".join(sorted({one.actor for one in to}))

    def decide(state: State) -> Change | None:
        _require_mine(seat, scope, state)
        made = os.urandom(_ID_LENGTH // 2).hex()
        offer = Offer(made, instances, name, note, now(), seat.me.source)
        return handover.offered(state, offer)

    state = claims.change(seat.store, scope, seat.me, decide).state
    return state, next(one for one in state.offers if one.to == instances)


def _is_mine(state: State, seat: Seat) -> bool:
    return state.holder is not None and state.holder.instance == seat.instance


def _document(scope: str, state: State, offer: Offer) -> dict[str, object]:
    return {
        "id": offer.id,
        "scope": scope,
        "generation": state.generation,
        "to": {"actor": offer.name, "instances": list(offer.to)},
        "note": offer.note,
        "at": offer.at,
    }


def owner(state: State, seat: Seat, what: str = "it") -> str:
    """Return who has a scope, as a clause about `what`."""
    if state.holder is None:
        return f"{what} is held by nobody now"
    if _is_mine(state, seat):
        return f"{what} is yours, at generation {state.generation}"
    return f"{what} is held by {view.told(state.holder)}, at generation {state.generation}"


def _stale(seat: Seat, scope: str, state: State, name: str) -> Refused:
    return Refused(
        "offer-stale",
        f"the offer {name} stands no longer",
        where=scope,
        why=f"{owner(state, seat)}; an offer ends when its scope changes hands",
        run=f"git coord log {quote(scope)}",
    )


def _foreign(scope: str, state: State, name: str) -> Refused:
    offer = handover.standing(state, name)
    to = offer.name if offer is not None else "another"
    owner = view.told(state.line[0])
    return Refused(
        "not-holder",
        f"the offer {name} is not made to this instance",
        where=scope,
        why=f"it is held by {owner}, and offered to {to}; a name alone takes nothing up",
        run=f"git coord log {quote(scope)}",
    )


def _not_kept(seat: Seat, scope: str, state: State) -> Refused:
    return Refused(
        "not-holder",
        f"{scope} was not claimed for this branch",
        where=scope,
        why=f"{owner(state, seat)}; a handoff is taken up by its id, which the inbox shows",
        run="git coord inbox",
    )


def _require_mine(seat: Seat, scope: str, state: State) -> None:
    if _is_mine(state, seat):
        return
    raise Refused(
        "not-holder",
        f"{scope} is not {seat.me.actor}'s to offer",
        where=scope,
        why=f"{owner(state, seat)}; only its holder offers a scope",
        run=f"git coord log {quote(scope)}",
    )


def _nothing_held(seat: Seat) -> Refused:
    return Refused(
        "not-holder",
        f"{seat.me.actor} holds nothing to offer",
        where=seat.here.cwd,
        why="only a holder offers a scope",
        run="git coord board",
    )
