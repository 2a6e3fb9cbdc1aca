"""The pieces of one place in three trees: which are the same, which are new, and in what order.

A piece is known by its name and its kind. A name that stands twice among siblings of any
of the three names nothing, nor does one without a letter or digit, as the `{` of a record of JSON:
such pieces are compared whole.
"""

from __future__ import annotations

from _bisect import bisect_left  # `bisect` is a file more to load

from coord.drivers.instant import instant
from coord.drivers.kinds import ITEM, SECTION, TEXT
from coord.drivers.rank import size, steps
from coord.drivers.records import count
from coord.drivers.tree import text

TYPE_CHECKING = False  # `typing` costs 9 ms, most of a driver's start
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from coord.drivers.passage import Passage
    from coord.drivers.rank import Size
    from coord.drivers.tree import Node

    Key = bytes  # a name, which stands once; or all lines, and which copy of them it is
    Table = dict[Key, Node]
    Keys = dict[tuple[bytes, int], dict[int, Key]]  # all lines, and kind → the key of each copy

_BLANK = b"\n\n"  # no piece is known with a blank line
_KINDS = (SECTION, ITEM, TEXT)
_COPY = tuple(_BLANK + bytes([kind]) for kind in _KINDS)
_MARKS = bytes(byte for byte in range(128) if not bytes([byte]).isalnum())


def tables(sides: list[list[Node]]) -> tuple[list[Node], list[Table]]:
    """Return the pieces that all begin with, read once, and of each side the others by their keys.

    They stand in their order.
    """
    once = {id(side): side for side in sides}  # of a commit that is judged, the base is a side
    size = _same(list(once.values()))
    head = sides[0][:size]
    rests = {known: side[size:] for known, side in once.items()}
    names = {node.name for rest in rests.values() for node in rest}
    above = [node for node in head if node.name in names]
    nothing = _nothing(above, list(rests.values()))
    passed = _passed(above, nothing)
    keys: Keys = {}
    made = {known: _table(rest, nothing, dict(passed), keys) for known, rest in rests.items()}
    return head, [made[id(side)] for side in sides]


def _same(sides: list[list[Node]]) -> int:
    """Return how many pieces all sides begin with that were read once."""
    for number, nodes in enumerate(zip(*sides, strict=False)):
        if any(node is not nodes[0] for node in nodes):
            return number
    return min(map(len, sides))


def _alike(left: list[Key], one: int, right: list[Key], two: int) -> int:
    """Return how many pieces from one place of a list are those from a place of another."""
    most = min(len(left) - one, len(right) - two)
    low, size = 0, 1
    while size and low < most:
        here, there = one + low, two + low
        if left[here : here + size] == right[there : there + size]:
            low, size = low + size, min(2 * size, most - low - size)
        elif size == 1:
            break
        else:
            size //= 2
    return low


def _nothing(above: list[Node], sides: list[list[Node]]) -> set[tuple[bytes, int]]:
    """Return the names that name nothing on one of the sides, which all have some pieces above."""
    names = {node.name for side in sides for node in side}
    nothing = {(name, kind) for name in names if not name.strip(_MARKS) for kind in _KINDS}
    copies = count((node.name, node.kind) for node in above)
    nothing.update(name for name, times in copies.items() if times > 1)
    for side in sides:
        if not copies and len({node.name for node in side}) == len(side):
            continue
        here = count((node.name, node.kind) for node in side)
        nothing.update(name for name, times in here.items() if times > 1 or name in copies)
    return nothing


def _passed(above: list[Node], nothing: set[tuple[bytes, int]]) -> dict[tuple[bytes, int], int]:
    """Return how many copies of a piece, by all its lines and its kind, stand above."""
    return count((_whole(node), node.kind) for node in above if (node.name, node.kind) in nothing)


def _whole(node: Node) -> bytes:
    if node.kids or node.glue or node.folded or node.kind == SECTION:
        return b"\n".join(text(node))
    return node.name


def _table(
    side: list[Node],
    nothing: set[tuple[bytes, int]],
    passed: dict[tuple[bytes, int], int],
    keys: Keys,
) -> Table:
    """Return the pieces of a side; `keys` of the copies are made once for all sides."""
    table: Table = {}
    last: tuple[bytes, int] | None = None
    copy, begin = 0, b""
    made: dict[int, Key] = {}
    for node in side:
        name, kind = node.name, node.kind
        if not nothing or (name, kind) not in nothing:
            table[name + b"\n" if kind == SECTION else name] = node
            continue
        whole = _whole(node), kind
        if whole != last:  # most copies follow another one
            if last is not None:
                passed[last] = copy
            last, copy, made = whole, passed.get(whole, 0), keys.setdefault(whole, {})
            begin = whole[0] + _COPY[kind]
        copy += 1
        key = made.get(copy)
        if key is None:
            key = made[copy] = begin + copy.to_bytes(4, "big")
        table[key] = node
    return table


def is_copy(key: Key) -> bool:
    """Tell whether a piece is known by all its lines."""
    return _BLANK in key


def added(side: Table, base: Table, kept: Table) -> list[list[Key]]:
    """Return what is new on a side before each kept piece, and behind the last."""
    places: list[list[Key]] = [[]]
    for key in side:
        if key in kept:
            places.append([])
        elif key not in base:
            places[-1].append(key)
    return places


def removed(side: Table, base: Table, kept: Table) -> list[int]:
    """Return how many pieces of the base are gone from each of these places."""
    holes = [0]
    for key in base:
        if key in kept:
            holes.append(0)
        else:
            holes[-1] += key not in side
    return holes


def descending(base: list[Node], runs: Iterable[Passage] = ()) -> bool | None:
    """Tell whether most stamped pieces and sections stand above a smaller one; None of too few.

    `runs` are sections of this place or another one that nobody read, in their order.
    """
    counts: list[tuple[int, int]] = []
    order: list[tuple[Size, bytes]] = []
    begin = 0
    for run in runs:
        at = bisect_left(base, run.line, key=_at)
        if at == 0 or base[at - 1].at != run.anchor:
            continue  # it stands elsewhere
        first, last = ((size(name, SECTION), name) for name in run.names)
        counts += [steps([*order, *_orders(base[begin:at]), first]), run.steps()]
        order, begin = [last], bisect_left(base, run.line + run.kept.count(b"\n"), key=_at)
    order += _orders(base[begin:])
    if not counts and len(order) < 2:  # noqa: PLR2004 - a direction needs two
        return None
    down, up = map(sum, zip(*counts, steps(order), strict=True))
    return down > up


def _at(node: Node) -> int:
    return node.at


def _orders(nodes: list[Node]) -> list[tuple[Size, bytes]]:
    return [(size(node.name, node.kind), node.name) for node in nodes if is_dated(node)]


def is_dated(node: Node) -> bool:
    """Tell whether a piece has an order of its own: by version or by time."""
    return node.kind == SECTION or instant(node.name.lstrip(b"#")) is not None


class Weaver:
    """Weaves what two sides put into one place. `nodes`: every piece of either side.

    `descends`: says which way the base goes, where that is asked.
    """

    def __init__(self, nodes: Table, descends: Callable[[], bool | None]) -> None:
        self._nodes = nodes
        self._descends = descends
        self._down: list[bool | None] = []
        self._ranks: dict[tuple[bytes, int], tuple[Size, bytes]] = {}
        self._texts: dict[Key, tuple[bytes, ...]] = {}

    def weave(self, left: list[Key], right: list[Key], *, top: bool) -> list[Key]:
        """Return the pieces of both, the shared ones once, each side in its order.

        The smaller head goes first; at the `top` of a list it is woven from the bottom up, so that
        what two sides put there goes in the same order whoever comes third. Where all have an order
        of their own, that of the base's siblings decides, if it tells.
        """
        if not left or not right:
            return left or right
        turned = all(is_dated(self._nodes[key]) for key in (*left, *right))
        if turned:
            self._down = self._down or [self._descends()]
            turned = self._down[0] not in (top, None)
        if not top:
            return self._merged(left, right, turned=turned)
        begin = _alike(left, 0, right, 0)  # from the bottom up, that is the end of both
        mine, others = left[begin:][::-1], right[begin:][::-1]
        return left[:begin] + self._merged(mine, others, turned=turned)[::-1]

    def _merged(self, left: list[Key], right: list[Key], *, turned: bool) -> list[Key]:
        one = two = max(_alike(left, 0, right, 0) - 1, 0)
        out = dict.fromkeys(left[:one])
        ahead = set(left[one:]), set(right[two:])  # not yet taken
        while one < len(left) and two < len(right):
            if left[one] == right[two]:
                # of the last that are the same, the next ones tell which is taken
                same = left[one : one + _alike(left, one, right, two) - 1]
                one, two = one + len(same), two + len(same)
                out.update(dict.fromkeys(same))
                for side in ahead:
                    side.difference_update(same)
            if self._first(left[one], right[two], ahead, turned=turned):
                key, one = left[one], one + 1
                ahead[0].discard(key)
            else:
                key, two = right[two], two + 1
                ahead[1].discard(key)
            out[key] = None
        out.update(dict.fromkeys(left[one:] or right[two:]))
        return list(out)

    def _first(self, one: Key, two: Key, ahead: tuple[set[Key], set[Key]], *, turned: bool) -> bool:
        """Tell whether the left one goes first: not before what the other side has before it."""
        waits = one in ahead[1], two in ahead[0]
        if one != two and waits[0] != waits[1]:
            return waits[1]
        mine, others = self._rank(one), self._rank(two)
        is_less = mine < others if mine != others else self._text(one) < self._text(two)
        return is_less != turned

    def _text(self, key: Key) -> tuple[bytes, ...]:
        if key not in self._texts:
            self._texts[key] = text(self._nodes[key])
        return self._texts[key]

    def _rank(self, key: Key) -> tuple[Size, bytes]:
        node = self._nodes[key]
        known = self._ranks.get((node.name, node.kind))
        if known is None:
            known = self._ranks[node.name, node.kind] = size(node.name, node.kind), node.name
        return known
