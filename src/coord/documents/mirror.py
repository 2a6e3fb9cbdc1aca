"""What ``mirror`` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from coord.fleet.mirror import Mirror


class ColdDocument(TypedDict):
    """A declared kind that is not among the last moves.

    Attributes:
        last_shipped: when it was; null when that is not to be found.
    """

    kind: str
    last_shipped: str | None


class MirrorDocument(TypedDict):
    """What was shipped lately.

    Attributes:
        window: how many moves are looked at.
        shipped: how many there are of these.
        kinds: how many of them were of each kind, the most frequent first.
        cold: the coldest kind, null where none is.
        all_cold: every cold kind, the coldest first.
    """

    window: int
    shipped: int
    kinds: dict[str, int]
    cold: ColdDocument | None
    all_cold: list[ColdDocument]


def document(mirror: Mirror) -> MirrorDocument:
    """Return what was shipped lately."""
    cold: list[ColdDocument] = [
        {"kind": kind.name, "last_shipped": kind.last_shipped} for kind in mirror.cold
    ]
    return {
        "window": mirror.window,
        "shipped": mirror.shipped,
        "kinds": {kind.name: kind.times for kind in mirror.kinds if kind.times},
        "cold": cold[0] if cold else None,
        "all_cold": cold,
    }
