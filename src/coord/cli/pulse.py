"""What every command does first: a sign of life, and the news of claims lost or won.

It never fails a command.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coord.base.errors import CoordError
from coord.cli import show
from coord.stores.waiting import Watch
from coord.work import news

if TYPE_CHECKING:
    from coord.work.news import Reader


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
    from coord.cli import headlines  # noqa: PLC0415  # only where there may be news

    for one in news.unread(reader):
        for lead, text in headlines.lines(one):
            (show.note if lead == headlines.OURS else show.quoted)(text)
        news.told(reader, one)
