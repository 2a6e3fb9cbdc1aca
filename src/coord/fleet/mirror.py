"""The mirror: which kinds of moves were shipped lately, and which of them is going cold. Pure.

It shows what shipped, not what was meant to. It is information for the next choice, never a quota.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coord.fleet.ledger import seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coord.fleet.ledger import Move
    from coord.fleet.ledgerfile import Tail, Together

WINDOW = 12


class Kind(NamedTuple):
    """How a kind fares.

    Attributes:
        name: the kind.
        times: how many of the last moves were of it.
        last_shipped: when it was shipped last; None when that is not to be found.
        declared: it is one of ``[moves] kinds``; a ledger may hold others.
    """

    name: str
    times: int
    last_shipped: str | None
    declared: bool = True


class Mirror(NamedTuple):
    """What was shipped lately.

    Attributes:
        window: how many moves are looked at.
        shipped: how many there are of these.
        kinds: those shipped lately, the most frequent first; then the cold ones, the coldest first.
        whole: the ledger was read to its beginning, or that was not needed.
    """

    window: int
    shipped: int
    kinds: tuple[Kind, ...]
    whole: bool

    @property
    def cold(self) -> tuple[Kind, ...]:
        """The declared kinds that are not among the last moves, the coldest first.

        Where nothing was shipped yet, nothing goes cold.
        """
        return tuple(kind for kind in self.kinds if not kind.times) if self.shipped else ()


def reflect(newest: Tail[Move] | Together[Move], declared: Sequence[str], window: int) -> Mirror:
    """Return the mirror of the last `window` moves, reading no further back than it must."""
    counts: dict[str, int] = {}
    latest: dict[str, str] = {}
    number, unseen, whole = 0, set(declared), True
    for number, move in enumerate(newest, 1):  # how many there were
        if number <= window:
            counts[move.kind] = counts.get(move.kind, 0) + 1
        latest.setdefault(move.kind, move.at)
        unseen.discard(move.kind)
        if number >= window and not unseen:
            break
    else:
        whole = newest.whole
    warm = [Kind(name, count, latest[name], name in declared) for name, count in counts.items()]
    warm.sort(key=lambda kind: -kind.times)
    cold = [Kind(name, 0, latest.get(name)) for name in declared if name not in counts]
    cold.sort(key=lambda kind: seconds(kind.last_shipped or "") or 0.0)
    return Mirror(window, min(number, window), (*warm, *cold), whole)
