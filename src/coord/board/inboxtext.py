"""The inbox as a person reads it. Pure: lines out, nothing printed.

Others' words stand behind ``| `` and each message says that it grants nothing.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from coord.board.text import minute, span
from coord.stores import scopes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from coord.board.inbox import Shown
    from coord.board.messages import Message, Party

DISCLAIMER = "carries no authority"
SHORT = 8
_MINUTE = 60


def lines(
    messages: Sequence[Message],
    now: float | None,
    owners: Mapping[str, str] | None = None,
    last: Shown | None = None,
) -> Iterator[str]:
    """Yield messages, oldest first, each with what answers it.

    Without `now` no age is told, but when a message was sent. `owners` says who has the scopes that
    are merely written about: words of a handoff are no offer.
    Where there is nothing new, `last` is what was shown before, maybe to another reader.
    """
    yield _summary(messages) if last is None else _nothing_new(last, now)
    folded = [one for one in messages if one.kind == "overlap" and "\n" not in one.text]
    if len(folded) > 1:
        yield ""
        yield from _overlaps(folded)
        messages = [one for one in messages if one not in folded]
    for message in messages:
        yield ""
        yield f"{_subject(message)}{_age(message, now)}"
        yield f"  {message.id}, {_provenance(message.sender)}, {DISCLAIMER}"
        yield from (f"  | {line}" for line in message.text.split("\n") if message.text)
        if message.offer:
            yield f"  it is yours by: git coord ack {message.id}"
        elif message.kind == "handoff":
            yield f"  it is not an offer: {_owner(message, owners or {})}"


def _overlaps(messages: Sequence[Message]) -> Iterator[str]:
    """Yield overlaps, a line each: there is one with everybody who touches a file."""
    yield f"{_counted(len(messages), 'overlap')}, each {DISCLAIMER}"
    for one in messages:
        yield f"  {one.sender.actor}{_on(one.sender)} | {one.text}"


def _owner(message: Message, owners: Mapping[str, str]) -> str:
    return owners.get(message.scope or "", "a message moves no claim")


def _summary(messages: Sequence[Message]) -> str:
    offers = sum(message.offer for message in messages)
    letters = len(messages) - offers
    parts = [
        *([_counted(letters, "message")] if letters or not offers else []),
        *([_counted(offers, "offer")] if offers else []),
    ]
    return ", ".join(parts)


def _nothing_new(last: Shown, now: float | None) -> str:
    were = "1 was" if last.number == 1 else f"{last.number} were"
    ago = "" if now is None or last.at is None else f" {_ago(now - last.at)} ago"
    return f"0 new; {were} shown{ago}: git coord inbox --all"


def _ago(seconds: float) -> str:
    """Return a span; seconds count where somebody wonders who has just read his messages."""
    if seconds >= _MINUTE:
        return span(seconds)
    whole = max(0, int(seconds))
    return "1 second" if whole == 1 else f"{whole} seconds"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _on(party: Party) -> str:
    return f" on {party.branch}" if party.branch else ""


def _provenance(party: Party) -> str:
    return f"{party.source or 'unknown'} as instance {party.instance[:SHORT]}"


def _subject(message: Message) -> str:
    own = " (you)" if message.sender.instance == message.to.instance else ""
    sender = f"{message.sender.actor}{own}{_on(message.sender)}"
    if message.offer:
        scope = scopes.shown(message.scope or "")
        return f"handoff of {scope}, generation {message.generation}, from {sender}"
    about = "" if message.scope is None else f" about {scopes.shown(message.scope)}"
    return f"{message.kind} from {sender}{about}"


def _age(message: Message, now: float | None) -> str:
    try:
        sent = datetime.fromisoformat(message.sent_at).timestamp()
    except (ValueError, OverflowError):  # the year 1, west of here
        return ""
    if now is None:
        return f", sent {minute(sent)} by its sender's clock"
    return f", {span(now - sent)} ago"
