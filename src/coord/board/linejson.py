"""A line as JSON, in records that stay short however long it is: each names what others hold.

    "line": [<place> | <seq> | [<seq>, <start>, <stop>], …], "drawn": <a sum of their nonces>

A number stands for all places that an earlier record of the scope holds itself, three for some of
them; compaction keeps what the top names. Neighbours that are few are written together again, so
that a line is not read from as many records as it has places. One that fits a page stands whole in
its record, as earlier versions read it.
"""

from __future__ import annotations

import json
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from coord.base.frozen import NamedTuple
from coord.board.line import UNKNOWN, Part, Place
from coord.liveness.process import Process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from coord.board.line import Event

_PAGE = 2048  # bytes of places
_TEXT = {str}
_MAYBE_TEXT = {str, type(None)}
_ISSUE = {str, int, type(None)}


class Page(NamedTuple):
    """What a record holds of a line itself, and its nonce."""

    nonce: str
    places: tuple[Place, ...]


class _Run(NamedTuple):
    """Neighbours in a line: such as a record holds from `start` on, or new ones."""

    places: list[Place]
    part: Part | None = None
    start: int = 0

    def is_cut(self) -> bool:
        """Tell whether it is not just what stood there before."""
        part = self.part
        return part is None or (self.start, len(self.places)) != (part.start, part.size)

    def documents(self) -> Iterable[object]:
        """Return what stands for it in a record."""
        if self.part is None:
            return map(place, self.places)
        stop = self.start + len(self.places)
        whole = len(self.places) == self.part.held
        return [self.part.seq if whole else [self.part.seq, self.start, stop]]


def document(line: Iterable[Place], before: Event | None) -> dict[str, object]:
    """Return `line` as a record holds it that was decided on the event `before`."""
    runs = _joined(_runs(line, {} if before is None else _spots(before)))
    found: dict[str, object] = {"line": [item for run in runs for item in run.documents()]}
    named = [run.part for run in runs if run.part]
    return found | {"drawn": _drawn(named)} if named else found


def _spots(before: Event) -> dict[int, tuple[Part, int]]:
    """Return which record holds each place of an event, by the object it is, and as what number."""
    found: dict[int, tuple[Part, int]] = {}
    places = iter(before.state.line)
    size = len(before.state.line)
    for part in before.parts or (Part(before.seq, 0, size, size, before.nonce),):
        for at in range(part.start, part.stop):
            found[id(next(places))] = part, at
    # What an unreadable record says is another's, and kept by nobody; 0 is no record.
    return {} if before.kind == "unreadable" else {key: s for key, s in found.items() if s[0].seq}


def _runs(line: Iterable[Place], spots: dict[int, tuple[Part, int]]) -> list[_Run]:
    runs: list[_Run] = []
    for one in line:
        part, at = spots.pop(id(one), (None, 0))
        last = runs[-1] if runs else None
        if last and last.part is part and (not part or at == last.start + len(last.places)):
            last.places.append(one)
        else:
            runs.append(_Run([one], part, at))
    return runs


def _joined(runs: Iterable[_Run]) -> list[_Run]:
    """Write neighbours together where something is new about one and both fit a page."""
    found: list[_Run] = []
    for run in runs:
        if found and (found[-1].is_cut() or run.is_cut()):
            both = [*found[-1].places, *run.places]
            if _fits(both):
                found[-1] = _Run(both)
                continue
        found.append(run)
    return [_Run(found[0].places)] if len(found) == 1 and _fits(found[0].places) else found


def _fits(places: Iterable[Place]) -> bool:
    left = _PAGE
    for one in places:
        left -= len(json.dumps(place(one), separators=(",", ":"))) + 1
        if left < 0:
            return False
    return True


def _drawn(parts: Iterable[Part]) -> int:
    """Return a sum of the records' nonces: a number that was created again is another record."""
    import zlib  # noqa: PLC0415  # for long lines only

    return zlib.crc32("".join(part.nonce for part in parts).encode("utf-8", "surrogatepass"))


def places(items: Iterable[Any]) -> tuple[Place, ...]:
    """Return the places that a line's document holds itself.

    Raises:
        LookupError, TypeError, AttributeError: one is none.
    """
    return tuple(_place(item) for item in items if type(item) is dict)


def decoded(
    found: Any,  # noqa: ANN401
    own: Part,
    at: str,
    page: Callable[[int], Page | None],
) -> tuple[tuple[Place, ...], tuple[Part, ...]]:
    """Return a line, and where its places stand; no parts where all stand in this record.

    Args:
        found: the state's document.
        own: the record it is in, by number and nonce.
        at: when that was written.
        page: what an earlier record holds; None for one that is away or cannot be read, for whose
            places one of nobody's stands then, in a part that is no record's.

    Raises:
        LookupError, TypeError, AttributeError: it is none.
    """
    items = found["line"]
    _require(type(items) is list)
    held = places(items)
    if len(held) == len(items):
        return held, ()
    pages: dict[int, Page | None] = {own.seq: Page(own.nonce, held)}
    parts = [_part(pages, page, *named) for named in _named(items, own.seq)]
    there = sorted(part for part in parts if part.seq)
    _require(all(one.seq < two.seq or one.stop <= two.start for one, two in pairwise(there)))
    named = [part for part in parts if part.seq != own.seq]
    _require(not all(part.seq for part in named) or found["drawn"] == _drawn(named))
    nobody = (Place(UNKNOWN, None, None, at),)
    line = (one for part in parts for one in _of(pages, part) or nobody)
    return tuple(line), tuple(parts)


def _named(items: Iterable[Any], own: int) -> Iterator[tuple[int, int, int | None]]:
    """Yield a record's number, and from where to where what it holds is in the line."""
    inline = 0
    for is_here, some in groupby(items, key=lambda item: type(item) is dict):
        if is_here:
            start, inline = inline, inline + len(list(some))
            yield own, start, inline
            continue
        for item in some:
            seq, start, stop = (item, 0, None) if type(item) is int else item
            _require(0 < seq < own and {type(seq), type(start), type(stop or 1)} == {int})
            yield seq, start, stop


def _part(
    pages: dict[int, Page | None],
    page: Callable[[int], Page | None],
    seq: int,
    start: int,
    stop: int | None,
) -> Part:
    known = pages[seq] if seq in pages else pages.setdefault(seq, page(seq))
    if known is None:
        return Part()
    held = len(known.places)
    stop = held if stop is None else stop
    _require(0 <= start < stop <= held)
    return Part(seq, start, stop, held, known.nonce)


def _of(pages: dict[int, Page | None], part: Part) -> Sequence[Place]:
    known = pages.get(part.seq)
    return known.places[part.start : part.stop] if known else ()


def place(one: Place) -> dict[str, object]:
    """Return a place with what is known of it; what is not said takes no room."""
    found = one._asdict()
    if one.process is not None:
        found["process"] = one.process._asdict()
    if one.command is not None:
        found["command"] = one.command._asdict()
    always = ("actor", "instance", "branch", "since")
    return {name: item for name, item in found.items() if item or name in always}


def _place(found: Any) -> Place:  # noqa: ANN401
    get, process = found.get, found.get("process")
    place = Place(
        found["actor"],
        found["instance"],
        found["branch"],
        found["since"],
        get("issue"),
        get("session"),
        get("intent"),
        tuple(get("paths", ())),
        None if process is None else _process(process),
        get("run") is True,
        get("on_behalf") is True,
        get("tip"),
        get("renewed"),
        None if get("command") is None else _process(found["command"]),
        get("nonce"),
        tuple(get("within", ())),
        get("words"),
        get("clone"),
        get("by"),
    )
    actor, instance, branch, since, issue, session, intent, paths, *_ = place
    more = (place.tip, place.renewed, place.nonce, place.words, place.clone, place.by)
    _require(type(actor) is str and type(since) is str and type(issue) in _ISSUE)
    _require(set(map(type, (instance, branch, session, intent, *more))) <= _MAYBE_TEXT)
    _require(not paths or set(map(type, paths)) == _TEXT)
    _require(not place.within or set(map(type, place.within)) == _TEXT)
    return place


def _process(found: Any) -> Process:  # noqa: ANN401
    process = Process(found["host"], found["boot"], found["pid"], found["start"], found["name"])
    host, boot, pid, start, name = process
    _require({type(host), type(boot), type(start), type(name)} == _TEXT)
    _require(type(pid) is int and pid >= 0)
    return process


def _require(truth: object) -> None:
    if not truth:
        raise TypeError
