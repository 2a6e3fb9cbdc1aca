"""What ``wake`` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from coord.documents import board, ledgers, messages, mirror

if TYPE_CHECKING:
    from coord.fleet.screen import Screen
    from coord.fleet.suggestion import Suggestion


class SuggestionDocument(TypedDict):
    """One suggestion; whoever reads it decides.

    Attributes:
        kind: ``lane`` or ``move``.
        name: the lane, or the kind of move.
        reason: why now.
        run: the command that takes it, null where there is nothing to claim.
    """

    kind: str
    name: str
    reason: str
    run: str | None


class WakeDocument(board.AgeDocument):
    """What a worker sees when it wakes.

    Attributes:
        actor: who wakes.
        instance: null where the name is only inferred.
        contested: the scopes with more than one live claimant.
        messages: unread ones.
        put_downs: what was put down last, oldest first.
        suggestion: the one thing to look at.
        unavailable: part → why it is missing; such a part is empty.
    """

    actor: str
    instance: str | None
    actors: list[board.MemberDocument]
    claims: list[board.RowDocument]
    contested: list[str]
    messages: list[messages.MessageDocument]
    mirror: mirror.MirrorDocument | None
    put_downs: list[ledgers.PutDownDocument]
    suggestion: SuggestionDocument | None
    unavailable: dict[str, str]


def document(screen: Screen) -> WakeDocument:
    """Return what a worker sees when it wakes."""
    return {
        "actor": screen.actor,
        "instance": screen.instance,
        "actors": [board.member(one) for one in screen.members],
        "claims": [board.row(one) for one in screen.rows],
        "contested": screen.contested,
        "messages": [messages.message(one) for one in screen.messages],
        "mirror": None if screen.mirror is None else mirror.document(screen.mirror),
        "put_downs": [ledgers.put_down(one) for one in screen.put_downs],
        "suggestion": None if screen.suggestion is None else _suggestion(screen.suggestion),
        "unavailable": dict(screen.unavailable),
        **board.age(screen.unreached),
    }


def _suggestion(one: Suggestion) -> SuggestionDocument:
    return {"kind": one.kind, "name": one.name, "reason": one.reason, "run": one.run}
