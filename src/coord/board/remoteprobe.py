"""A git remote tried as a board: what it lets us do, who wins a race, and how long that takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.board.probe import Probe

if TYPE_CHECKING:
    from coord.board.store import Store
    from coord.remote.tips import Place


def probe(store: Store, place: Place) -> Probe:
    """Try a repository as a board."""
    store.read("about/board")
    return Probe(place.where.text)
