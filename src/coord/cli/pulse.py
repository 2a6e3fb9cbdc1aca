"""What every command does first: a sign of life, and the news of claims lost or won.

It never fails a command.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base.errors import CoordError
from coord.base.names import shown
from coord.board.waiting import Watch
from coord.cli import show
from coord.work import news

if TYPE_CHECKING:
    from coord.work.news import News, Reader

_LOST = "{scope} is no longer yours: {by} took it over at {at}"
_WITHDRAWN = "{by} offered you {scope} at {at}, but that offer stands no longer"
_HEADLINES = {
    "yours": "{scope} is yours now, generation {generation}; {by} left it to you",
    "adopted": "{scope}, which you held for {by}'s branch, is {by}'s own now",
    "offered": "{by} offers you {scope}, see git coord inbox; it carries no authority",
    "accepted": "{scope}, which you offered, is {by}'s now, generation {generation}",
    "landed": "{scope} is no longer yours: its branch has landed, and {by} settled the claim",
    "passed-over": "your place in the line for {scope} was passed over: you had ended",
}


def beat(asked: str | None) -> None:
    """Renew the presence of whoever acts here, and tell the news; `asked` is ``--as``."""
    try:
        tell(news.beat(os.getcwd(), asked or os.environ.get("COORD_ACTOR"), _watch))
    except (OSError, UnicodeDecodeError, CoordError):
        return


def _watch() -> Watch:
    return Watch(os.environ.get("COORD_SESSION", ""))


def tell(reader: Reader | None) -> None:
    """Print to stderr what `reader` has not been told yet."""
    if reader is None:
        return
    for one in news.unread(reader):
        notice = one.notice
        show.note(_headline(one))
        for line in notice.reason.split("\n") if notice.reason else ():
            show.quoted(line)
        for line in notice.shipped.split("\n") if notice.shipped else ():
            show.quoted(f"shipped {line}")
        news.told(reader, one)


def _headline(one: News) -> str:
    from coord.board import scopes  # noqa: PLC0415  # only with news

    notice = one.notice
    said = _HEADLINES.get(notice.kind, _LOST) if one.stands else _WITHDRAWN
    scope, by = scopes.shown(notice.scope), shown(notice.by)
    return said.format(scope=scope, by=by, at=notice.at, generation=notice.generation)
