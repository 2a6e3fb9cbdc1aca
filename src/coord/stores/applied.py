"""News of a board, written into the copy of it, unless they say that the board was set back."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from coord.stores import copyfile, setback

if TYPE_CHECKING:
    from coord.stores.news import Delta
    from coord.stores.opencopy import OpenCopy


def applied(known: OpenCopy, url: str, base: int, news: Delta) -> bool:
    """Write the news after revision `base`; False where the copy is still not up to date.

    Args:
        known: the copy.
        url: what names the board, for a command that is printed.
        base: up to where the copy has it.
        news: what has come since.

    Raises:
        Misconfigured: the board was set back.
    """
    try:
        return _applied(known, url, base, news)
    except sqlite3.Error as error:
        known.give_up(error)
        return False


def _applied(known: OpenCopy, url: str, base: int, news: Delta) -> bool:
    board, copy = known.board, known.connection()
    (cluster,) = copy.execute("SELECT cluster FROM upto").fetchone()
    if base and (news.rev < base or news.cluster != cluster):
        # The cluster was set back, or restored: its revisions mean other writes.
        _require_kept(known, url, _standing(known), base)
        copy.execute("UPDATE upto SET rev = 0")
        return False
    there = {} if news.stands else board.revisions()
    if not news.stands:  # it was deleted; or this is another history, that has caught up
        _require_kept(known, url, there, base)
    if known.seen is not None:
        news = news._replace(recs=known.seen.stamped(news.recs))
    if base and (news.whole or any(map(setback.matters, news.gone))):
        _require_kept(known, url, _after(copy, news), base)
    if not copyfile.written(copy, base, news):
        return False
    if news.total is None:
        return True
    (count,) = copy.execute("SELECT count(*) FROM rec").fetchone()
    if count == news.total and news.stands:
        return True
    there = there or board.revisions()
    _require_kept(known, url, there, base)
    return copyfile.kept(copy, there)


def _standing(copy: OpenCopy) -> dict[str, int]:
    """Return what there is in another history, key → revision, 0 where the copy has another."""
    sql = "SELECT key, value FROM rec WHERE ours"
    known = dict(copy.connection().execute(sql).fetchall())
    recs = copy.board.everything()
    return {
        rec.key: rec.rev or 0 if known.get(rec.key, rec.value) == rec.value else 0 for rec in recs
    }


def _after(copy: sqlite3.Connection, news: Delta) -> dict[str, int]:
    """Return what there is by the news, key → the revision that wrote it."""
    there: dict[str, int] = {}
    if not news.whole:
        there = dict(copy.execute("SELECT key, rev FROM rec").fetchall())
    for key in news.gone:
        there.pop(key, None)
    return there | {rec.key: rec.rev or 0 for rec in news.recs}


def _require_kept(copy: OpenCopy, url: str, there: dict[str, int], base: int) -> None:
    """Insist that what the copy had of scopes and series is `there`, or was followed by more.

    Only of what it had at `base`: another command may have written what came after `there`.

    Raises:
        Misconfigured: the board was set back.
    """
    sql = "SELECT key, rev FROM rec WHERE ours AND rev <= ?"
    known = dict(copy.connection().execute(sql, (base,)).fetchall())
    gone = setback.lost(known, there, base)
    if gone:
        raise setback.error(gone, copy.board.where, url)
