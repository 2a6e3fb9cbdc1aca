"""What a shell offers where a word of the board is typed. It only reads, and pins nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.board import actors, chosen, claims
from coord.work import where

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.board.events import Event
    from coord.board.store import Store
    from coord.work.call import Call


def scopes(call: Call) -> set[str]:
    """Return the scopes that somebody holds or waits for."""
    return {event.scope for event in _claimed(call)}


def branches(call: Call) -> set[str]:
    """Return the branches that scopes are claimed for."""
    places = (place for event in _claimed(call) for place in event.state.line)
    return {place.branch for place in places if place.branch is not None}


def workers(call: Call) -> set[str]:
    """Return the names of the workers that the board has a record of."""
    return {actor.actor for actor in actors.every(_board(call))}


def _claimed(call: Call) -> Iterator[Event]:
    return (event for event in claims.tops(_board(call)) if event.state.line)


def _board(call: Call) -> Store:
    return chosen.board_of(where.located(call).common_dir)
