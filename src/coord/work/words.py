"""What a shell offers where a word of the board is typed. It only reads, and pins nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.board import actors, claims
from coord.stores import chosen
from coord.work import where

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coord.board.events import Event
    from coord.stores.store import Store
    from coord.work.call import Call


def board(call: Call) -> Store:
    """Return the board of the shell's folder.

    Raises:
        Environment: there is no repository here.
    """
    return chosen.board_of(where.located(call).common_dir)


def scopes(store: Store) -> set[str]:
    """Return the scopes that somebody holds or waits for."""
    return {event.scope for event in _claimed(store)}


def branches(store: Store) -> set[str]:
    """Return the branches that scopes are claimed for."""
    places = (place for event in _claimed(store) for place in event.state.line)
    return {place.branch for place in places if place.branch is not None}


def workers(store: Store) -> set[str]:
    """Return the names of the workers that the board has a record of."""
    return {actor.actor for actor in actors.every(store)}


def _claimed(store: Store) -> Iterator[Event]:
    return (event for event in claims.taken(store) if event.state.line)
