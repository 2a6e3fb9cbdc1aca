"""News in words: what was lost, won or offered since the last command. Pure, and without click."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.names import quote, shown
from coord.stores import scopes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.work.news import News

OURS, THEIRS = "coord:", "|"
_LOST = "{scope} is no longer yours: {by} took it over at {at}"
_WITHDRAWN = "{by} offered you {scope} at {at}, but that offer stands no longer"
_HEADLINES = {
    "yours": "{scope} is yours now, generation {generation}; {by} left it to you",
    "adopted": "{scope}, which you held for {by}'s branch, is {by}'s own now",
    "offered": "{by} offers you {scope}, see git coord inbox; it carries no authority",
    "accepted": "{scope}, which you offered, is {by}'s now, generation {generation}",
    "landed": "{scope} is no longer yours: its branch has landed, and {by} settled the claim",
    "adopted-place": "your place in the line for {scope}, for {by}'s branch, is {by}'s own now",
    "landed-place": "your place in the line for {scope} is settled, says {by}: its branch landed",
    "circle": "you wait in a circle with {by}, for {scope} among others",
    "published": "of what this clone had not published, {by} has settled yours",
    "passed-over": "your place in the line for {scope} was passed over: you had ended",
}


def lines(one: News) -> Iterator[tuple[str, str]]:
    """Yield the lines that tell of a piece of news, each with the mark of whose words it is."""
    notice = one.notice
    said = _HEADLINES.get(notice.kind, _LOST) if one.stands else _WITHDRAWN
    scope, by = scopes.shown(notice.scope), shown(notice.by)
    yield OURS, said.format(scope=scope, by=by, at=notice.at, generation=notice.generation)
    for line in notice.reason.split("\n") if notice.reason else ():
        yield THEIRS, line
    for line in notice.shipped.split("\n") if notice.shipped else ():
        yield THEIRS, f"shipped {line}"


def kept(scope: str) -> str:
    """Return what a wait that somebody has interrupted leaves behind."""
    return (
        f"no longer waiting; your place in the line for {scopes.shown(scope)} stays: "
        f"git coord release {quote(scope)} gives it up"
    )
