"""One scope, claimed and released in process by workers that are but numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.board import claims, events
from coord.board.events import Place
from coord.identity.whoami import Identity

if TYPE_CHECKING:
    from collections.abc import Callable

    from coord.board.claims import Outcome
    from coord.stores.store import Rec, Store

SCOPE = "task:x"


def me(number: int) -> Identity:
    """Return a worker; all have one name, one machine and one branch, as agents may."""
    return Identity("claude", f"instance-{number}", "pinned", 2)


def place(number: int, at: str = "2026-01-01T00:00:00.000000Z") -> Place:
    """Return the place worker `number` would take."""
    return Place("claude", f"instance-{number}", "main", at)


def alive(_: Place) -> bool:
    """Nobody is dead."""
    return False


def claim(store: Store, number: int, scope: str = SCOPE) -> Outcome:
    """Claim as worker `number`."""
    mine = place(number)
    return claims.change(store, scope, me(number), lambda at: events.joined(at, mine, alive))


def release(store: Store, number: int, scope: str = SCOPE) -> Outcome:
    """Release as worker `number`."""
    instance = me(number).instance
    return claims.change(
        store,
        scope,
        me(number),
        lambda at: events.left(at, lambda p: p.instance == instance, alive),
    )


def take(store: Store, number: int, holder: str) -> bool:
    """Take over from `holder` as worker `number`, once; tell whether it was ours to take."""

    def decide(state: events.State) -> events.Change | None:
        if state.holder is None or state.holder.instance != holder:
            return None
        return events.taken(state, place(number), "because")

    return claims.change(store, SCOPE, me(number), decide).event is not None


class Stalled:
    """A client that stops between its decision and its append, until `go_on` has run."""

    def __init__(self, store: Store, meanwhile: Callable[[], None]) -> None:
        self._store, self._meanwhile = store, meanwhile

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def append(self, key: str, *rest: object) -> Rec | None:
        """Append, after what happened meanwhile, once."""
        if self._meanwhile is not None:
            meanwhile, self._meanwhile = self._meanwhile, None  # type: ignore[assignment]
            meanwhile()
        return self._store.append(key, *rest)  # type: ignore[arg-type]
