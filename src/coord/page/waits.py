"""Who waits on whom, as a drawing: holders on the left, who waits on them to the right."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from coord.base.columns import cut
from coord.page.element import element

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from xml.etree.ElementTree import Element

    from coord.documents.board import ClaimantDocument, RowDocument

_WIDE, _HIGH, _GAP = 190, 34, 160
_LETTERS = 22
MOST = 120  # waits drawn: a picture of more says nothing, and the list above it says it all


class Wait(NamedTuple):
    """One worker waits on another for a scope; workers by instance, else by name."""

    waiter: str
    holder: str
    scope: str


class Graph(NamedTuple):
    """The waits that are drawn, how many there are, the workers' names, and their columns."""

    waits: Sequence[Wait]
    total: int
    names: dict[str, str]
    columns: dict[str, int]


def graph(rows: Iterable[RowDocument]) -> Graph:
    """Return the waits of a board; a waiter stands to the right of all it waits on.

    Where workers wait on each other in a circle no such order is: the circle is cut where it was
    entered.
    """
    waits: list[Wait] = []
    names: dict[str, str] = {}
    for row in rows:
        first = row["claimants"][:1]
        behind = [one for one in row["claimants"][1:] if one["state"] == "waiting"]
        for holder, waiter in product(first, behind):
            names.update({_key(one): one["actor"] for one in (holder, waiter)})
            waits.append(Wait(_key(waiter), _key(holder), row["scope"]))
    shown = waits[:MOST]
    return Graph(shown, len(waits), names, _columns(shown))


def drawn(found: Graph) -> Element:
    """Return the drawing."""
    seats = _seats(found.columns)
    wide = max(x for x, _ in seats.values()) + _WIDE + 2
    high = max(y for _, y in seats.values()) + _HIGH + 12
    edges = [part for one in found.waits for part in _edge(one, found, seats)]
    nodes = [_node(found.names[who], *seat) for who, seat in seats.items()]
    return element(
        "svg",
        *edges,
        *nodes,
        viewBox=f"0 0 {wide} {high}",
        width=str(wide),
        role="img",
        aria_label=f"{len(found.waits)} waits; each is also listed with its claim",
    )


def _key(one: ClaimantDocument) -> str:
    return one["instance"] or one["actor"]


def _columns(waits: Sequence[Wait]) -> dict[str, int]:
    on: dict[str, list[str]] = {}
    for one in waits:
        on.setdefault(one.waiter, []).append(one.holder)
        on.setdefault(one.holder, [])
    columns: dict[str, int] = {}
    for who in on:
        _place(who, on, columns)
    return columns


def _place(start: str, on: dict[str, list[str]], columns: dict[str, int]) -> None:
    """Place `start` and all that it waits on, without recursion: a line may be long."""
    path, entered = [start], {start}
    while path:
        who = path[-1]
        below = next((one for one in on[who] if one not in columns and one not in entered), None)
        if below is not None:
            path.append(below)
            entered.add(below)
            continue
        placed = [columns[one] for one in on[who] if one in columns]
        columns.setdefault(who, 1 + max(placed) if placed else 0)
        path.pop()


def _seats(columns: dict[str, int]) -> dict[str, tuple[int, int]]:
    filled: dict[int, int] = {}
    seats = {}
    for who, column in columns.items():
        row = filled[column] = filled.get(column, -1) + 1
        seats[who] = (column * (_WIDE + _GAP) + 1, row * (_HIGH + 26) + 6)
    return seats


def _edge(one: Wait, found: Graph, seats: dict[str, tuple[int, int]]) -> tuple[Element, Element]:
    (x1, y1), (x2, y2) = seats[one.waiter], seats[one.holder]
    middle = _HIGH // 2
    start, end = (x1, y1 + middle), (x2 + _WIDE, y2 + middle)
    bend = (start[0] + end[0]) // 2
    back = found.columns[one.holder] >= found.columns[one.waiter]
    path = f"M{start[0]} {start[1]} C{bend} {start[1]} {bend} {end[1]} {end[0]} {end[1]}"
    title = f"{found.names[one.waiter]} waits on {found.names[one.holder]} for {one.scope}"
    line = element("path", element("title", title), d=path, class_="circle" if back else "wait")
    at = {"x": str(bend), "y": str((start[1] + end[1]) // 2 - 4), "text_anchor": "middle"}
    return line, element("text", cut(one.scope, _LETTERS), class_="label", **at)


def _node(name: str, x: int, y: int) -> Element:
    box = {"x": str(x), "y": str(y), "width": str(_WIDE), "height": str(_HIGH), "rx": "7"}
    label = element("text", cut(name, _LETTERS), x=str(x + 12), y=str(y + 22))
    return element("g", element("title", name), element("rect", **box), label)
