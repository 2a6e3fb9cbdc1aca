"""The board as it is shown: pure, from what was read of claims and workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coord.base.frozen import NamedTuple
from coord.board import renamed
from coord.board.events import UNKNOWN
from coord.liveness import machine
from coord.stores import scopes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from coord.board.events import Place, State
    from coord.board.roll import Roll
    from coord.liveness.presence import Status


class Claimant(NamedTuple):
    """A place in a line as it is shown.

    Attributes:
        place: the place.
        number: its number among those that count, None for a dead one that waits.
        state: ``held``, ``waiting`` or ``dead``.
        gone: its worktree was removed.
        liveness: what is known of its worker, one of the six words.
        branch: what its branch is called now.
        dated: how long ago it was taken can be told (:meth:`coord.board.roll.Roll.dates`).
        afar: it is another clone's, on a board that both have come to.
    """

    place: Place
    number: int | None
    state: str
    gone: bool = False
    liveness: str | None = None
    branch: str | None = None
    dated: bool = True
    afar: bool = False

    @property
    def was(self) -> str | None:
        """What the branch was called when the place was taken, if otherwise."""
        return None if self.branch == self.place.branch else self.place.branch


class Row(NamedTuple):
    """One scope of the board.

    Attributes:
        scope: canonical scope.
        state: ``held``, ``contested`` or ``free``.
        stale: the holder is silent, dead or gone.
        dead: the holder is proved to have ended, or to be gone.
        gone: the holder's worktree was removed.
        generation: the fencing token.
        paused_at: when the holder paused.
        paused_why: why, in its words.
        finished_at: when the holder finished its branch (``branch:`` scopes).
        done: the holder finished the branch that it is claimed for: nobody has to come back.
        claimants: the line, the holder first.
        began: when the store got the scope's first record, where that was looked up.
        status: what is known of the holder, None where nobody holds it.
        renamed: what the branch of a ``branch:`` scope is called now, if otherwise.
    """

    scope: str
    state: str
    generation: int
    stale: bool = False
    dead: bool = False
    gone: bool = False
    paused_at: str | None = None
    finished_at: str | None = None
    done: bool = False
    claimants: tuple[Claimant, ...] = ()
    paused_why: str | None = None
    began: float | None = None
    status: Status | None = None
    renamed: str | None = None


def row(scope: str, state: State, roll: Roll) -> Row:
    """Return how a scope stands."""
    holder = state.holder
    if holder is None:
        return Row(scope, "free", generation=state.generation)
    line = tuple(claimants(state, roll))
    live = len({claimant.number for claimant in line} - {None})
    known = None if holder.instance is None else roll.of(holder.instance)
    dead = roll.is_dead(holder)
    return Row(
        scope=scope,
        state="contested" if live > 1 else "held",
        stale=dead or known is None or not known.present,
        dead=dead,
        gone=known is not None and known.gone,
        generation=state.generation,
        paused_at=state.paused_at,
        finished_at=state.finished_at,
        done=state.finished_at is not None or roll.is_finished(holder),
        claimants=line,
        paused_why=state.paused_why,
        status=known,
        renamed=_renamed(scope, state, roll),
    )


def _renamed(scope: str, state: State, roll: Roll) -> str | None:
    kind, _, name = scope.partition(":")
    if kind != "branch":
        return None
    now = renamed.plain(roll.branch_of(name, state))
    return None if now == name else now


def claimants(state: State, roll: Roll) -> Iterable[Claimant]:
    """Yield the line with its numbers; waits of the dead have none, a run at work its claim's."""
    number = 0
    for index, place in enumerate(state.line):
        known, branch, afar = _liveness(place, roll), _branch(place, roll), roll.is_afar(place)
        if index and roll.is_dead(place):
            gone = roll.is_gone(place)
            yield Claimant(place, None, "dead", gone, known, branch, roll.dates(place), afar)
            continue
        number += not (index and place.run and state.has_turn(index))
        state_of = "waiting" if number > 1 else "held"
        yield Claimant(place, number, state_of, False, known, branch, roll.dates(place), afar)


def _branch(place: Place, roll: Roll) -> str | None:
    now = roll.branch(place)
    return None if now is None else renamed.plain(now)


def _liveness(place: Place, roll: Roll) -> str | None:
    return None if place.instance is None else roll.of(place.instance).liveness


def claimant(state: State, mine: Place, roll: Roll) -> Claimant:
    """Return how the place `mine` of a line is shown."""
    return next(one for one in claimants(state, roll) if one.place == mine)


def owners(rows: Iterable[Row]) -> set[str]:
    """Return the instances that have a place anywhere."""
    places = (claimant.place for row in rows for claimant in row.claimants)
    return {place.instance for place in places if place.instance is not None}


def lookalikes(rows: Iterable[Row]) -> list[tuple[str, str]]:
    """Return pairs of live scopes that only case tells apart."""
    folded: dict[str, str] = {}
    found = []
    for one in (row for row in rows if row.claimants):
        other = folded.setdefault(one.scope.casefold(), one.scope)
        if other != one.scope:
            found.append((other, one.scope))
    return found


def is_unknown(place: Place) -> bool:
    """Tell whether a place stands for a record that could not be read."""
    return place.instance is None and place.actor == UNKNOWN


def orders_merges(scope: str, line: Sequence[Place]) -> bool:
    """Tell whether who waits in a line may work meanwhile: their branch is only merged later."""
    return scopes.orders_merges(scope) and not any(place.run for place in line[:1])


def is_held_by(state: State, instance: str | None) -> bool:
    """Tell whether `instance` holds a scope."""
    return state.holder is not None and state.holder.instance == instance


def running(state: State, instance: str, roll: Roll) -> list[Place]:
    """Return the runs of `instance` that are at work in a scope, or would be but for its claim."""
    working = state.at_work()
    return [one for one in working if one.instance == instance and not roll.is_dead(one)]


def run(place: Place) -> str:
    """Return what a place of ``run`` runs, in a few words."""
    name = place.words or (place.command.name if place.command else "")
    return f"the run of {name}" if name else "a run"


def owner(state: State, instance: str | None, what: str = "it") -> str:
    """Return who has a scope, as a clause about `what` that `instance` reads."""
    if state.holder is None:
        return f"{what} is held by nobody now"
    if is_held_by(state, instance):
        return f"{what} is yours, at generation {state.generation}"
    return f"{what} is held by {told(state.holder)}, at generation {state.generation}"


def on_host(place: Place, *, afar: bool) -> str:
    """Return on which machine a place was taken, as what follows a name; empty for this one.

    Of one that is `afar`, in another clone, at least that: names may be equal everywhere.
    """
    host = place.process.host if place.process else ""
    if host not in {"", machine.host()}:
        return f" at {host}"
    return " in another clone" if afar else ""


def told(place: Place, roll: Roll | None = None) -> str:
    """Return a holder in a few words: name and branch, and the machine where that is another.

    Whoever has the `roll` at hand learns of another clone as well.
    """
    if is_unknown(place):
        return "unknown (its record cannot be read)"
    held_for = "for " if place.on_behalf else ""
    who = f"{place.actor} ({held_for}{place.branch})" if place.branch else place.actor
    who += on_host(place, afar=roll is not None and roll.is_afar(place))
    return f"{who}, by {run(place)}" if place.run else who
