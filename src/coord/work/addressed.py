"""Whom a verb speaks to: the living instances of a name, or the one instance that was named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.errors import Refused
from coord.board import text
from coord.board.recipients import meant, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.board.actors import Actor
    from coord.board.roll import Roll
    from coord.work.arrive import Worker
    from coord.work.call import Call


def find(call: Call, worker: Worker, roll: Roll, word: str) -> list[Actor]:
    """Return the instances that `word` means, and say so where it is not plain.

    A name means its living instances, without the one that speaks; where none lives, those that
    have ended, for their worktree is still there.

    Raises:
        Refused: nobody is known by that name, or all who were are gone.
    """
    everyone = roll.everyone()
    named = meant(everyone, word)
    if len(named.actors) > 1 and not named.by_name:
        raise _ambiguous(named.actors, word)
    others = [one for one in named.actors if one.instance != worker.instance]
    there = [one for one in others if not roll.of(one.instance).gone]
    if not there:
        raise _nobody(everyone, named.actors, others, word)
    alive = [one for one in there if is_alive(roll, one)] if named.by_name else []
    _say(call, roll, alive or there, word)
    return alive or there


def is_alive(roll: Roll, one: Actor) -> bool:
    """Tell whether an instance is not proved to have ended, or to be gone."""
    status = roll.of(one.instance)
    return not (status.dead or status.gone)


def present(worker: Worker, roll: Roll) -> list[Actor]:
    """Return the peers who are here now."""
    everyone = roll.everyone()
    return [one for one in everyone if one.instance != worker.instance and roll.is_here(one)]


def _say(call: Call, roll: Roll, found: Sequence[Actor], word: str) -> None:
    if len(found) > 1:
        call.note(f"{len(found)} live instances answer to {word}, and all of them are meant")
    for one in found:
        status = roll.of(one.instance)
        if status.dead:
            call.note(f"{one.actor} has ended: the next one there will read it")
        elif not status.present:
            why = f": {status.why}" if status.why else ""
            call.note(f"{one.actor} is {text.silence(status, roll.now)}{why}")
        elif away := roll.away(one):
            call.note(f"{one.actor} is {away}")


def _nobody(
    everyone: Sequence[Actor], known: Sequence[Actor], others: Sequence[Actor], word: str
) -> Refused:
    if others:
        why = "git has forgotten the worktree, so nobody will ever read it"
    elif known:
        why = "that is you, and nobody else goes by it"
    else:
        near = nearest((one.actor for one in everyone), word)
        why = f"the nearest: {', '.join(near)}" if near else "no name is like it"
    return Refused(
        "recipient-unknown",
        "nobody to send to, nothing was sent",
        where=word or "(empty)",
        why=why,
        run="git coord board",
    )


def _ambiguous(found: Sequence[Actor], word: str) -> Refused:
    named = ", ".join(f"{one.instance} ({one.actor})" for one in found[:3])
    return Refused(
        "recipient-unknown",
        "several instances begin like this, nothing was sent",
        where=word,
        why=f"{named}; more characters tell them apart",
        run="git coord board --json",
    )
