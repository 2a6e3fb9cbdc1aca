"""Two sequences of records woven into one: pure, and the same whoever is the backbone's side."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    Strand = tuple[list[bytes], list[bytes], list[bytes]]

_CONTINUES = (b" ", b"\t", b"}", b"]", b")")  # how a line begins that is no record of its own


def weave(backbone: list[bytes], other: list[bytes]) -> list[Strand]:
    """Return the shared records in the order of `backbone`, each with what follows it.

    A strand is: the shared record (none at the beginning), then the run of records that only
    `backbone` has there, then the run that only `other` has after that record.
    """
    places: dict[bytes, list[int]] = {}
    for place in range(len(backbone) - 1, -1, -1):
        places.setdefault(backbone[place], []).append(place)
    run: list[bytes] = []
    runs = {-1: run}
    for key in other:
        if places.get(key):
            runs[places[key].pop()] = run = []
        else:
            run.append(key)
    strands: list[Strand] = [([], [], runs[-1])]
    for place, key in enumerate(backbone):
        if place in runs:
            strands.append(([key], [], runs[place]))
        else:
            strands[-1][1].append(key)
    return strands


def is_torn(strands: list[Strand]) -> bool:
    """Tell whether both sides go on, differently, inside what looks like one record of many lines.

    Two pretty-printed objects share their first lines and their brackets; lines cannot tell that.
    """
    for place, (shared, own, others) in enumerate(strands):
        if own and others:
            behind = strands[place + 1][0] if place + 1 < len(strands) else []
            heads = [own[0], others[0]] if shared else []
            if any(line[:1] in _CONTINUES and line for line in (*heads, *behind)):
                return True
    return False
