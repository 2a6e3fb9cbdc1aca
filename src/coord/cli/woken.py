"""How a wait that was asleep ends: what the whole program would say, without click.

An answer is due within a tenth of a second; the rest of the program takes that to be loaded.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from coord.base.names import shown
from coord.board import claims, view
from coord.cli import headlines
from coord.documents import wait as documents
from coord.stores import chosen
from coord.work import cutoff
from coord.work import news as unread

if TYPE_CHECKING:
    from typing import TextIO

    from coord.base.errors import CoordError
    from coord.cli.slumber import Asleep

AWAKE = -1
"""Only the whole program can tell."""


def opened(wait: Asleep) -> int:
    """Say that the scope could be held now."""
    state = claims.state(chosen.board_of(wait.common_dir), wait.scope)
    mine = view.is_held_by(state, wait.instance or None) and not state.at_work()
    if not mine and (state.holder is not None or wait.answer == "claim"):
        return AWAKE
    if wait.news:
        _tell_news(wait)
    if wait.answer == "json":
        answer = json.dumps({"schema": 1, **documents.standing(wait.scope, state)})
    else:
        answer = shown(f"{wait.scope} is {'yours' if state.holder else 'free'}")
    _print(sys.stdout, answer)
    return 0


def news(wait: Asleep) -> int | None:
    """Tell of a circle at once, and end for an offer, whose holder waits for the ack."""
    store = chosen.board_of(wait.common_dir)
    state = claims.state(store, wait.scope)
    found = cutoff.offered(state, wait.scope, wait.instance) or (
        cutoff.offered_anew(unread.Reader(store, wait.instance), wait.scope) if wait.news else None
    )
    if found is not None:
        return _refused(wait, found)
    _tell_news(wait, {"circle"})
    return None


def orphaned(wait: Asleep) -> int:
    """Say that it has ended with a process above it."""
    return _refused(wait, cutoff.orphaned(wait.ended, wait.scope))


def interrupted(wait: Asleep) -> None:
    """Say what a wait leaves behind: who presses Ctrl-C may think that all is undone."""
    state = claims.state(chosen.board_of(wait.common_dir), wait.scope)
    if state.places_of(wait.instance):
        _print(sys.stderr, f"{headlines.OURS} {shown(headlines.kept(wait.scope))}")


def _tell_news(wait: Asleep, kinds: set[str] | None = None) -> None:
    reader = unread.Reader(chosen.board_of(wait.common_dir), wait.instance)
    for one in unread.unread(reader):
        if kinds is None or one.notice.kind in kinds:
            for lead, text in headlines.lines(one):
                _print(sys.stderr, f"{lead} {shown(text)}")
            unread.told(reader, one)


def _refused(wait: Asleep, error: CoordError) -> int:
    from coord.repo import caller  # noqa: PLC0415  # only with a refusal

    error.run = caller.placed(error.run)
    if wait.answer == "json":
        _print(sys.stdout, json.dumps({"schema": 1, "error": error.document()["error"]}))
    _print(sys.stderr, error.lines().rstrip("\n"))
    return error.exit_code


def _print(stream: TextIO | None, text: str) -> None:
    """Print a line; that nobody can read it changes nothing of what has happened."""
    if stream is None:
        return
    try:
        stream.write(f"{text}\n")
        stream.flush()
    except (OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
