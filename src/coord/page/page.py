"""The whole page: what a browser is told of it, its head line, and the sections."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from coord.page import sections, when
from coord.page.element import element, html

if TYPE_CHECKING:
    from collections.abc import Sequence
    from xml.etree.ElementTree import Element

    from coord.documents.board import BoardDocument
    from coord.documents.ledgers import MoveDocument
    from coord.documents.merge_order import MergeOrderDocument
    from coord.documents.overlaps import OverlapDocument
    from coord.page.sections import Section
    from coord.stores.unreached import Unreached

# A page that loads and runs nothing, whatever text gets into it.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


class Seen(NamedTuple):
    """What the page shows.

    Attributes:
        name: of the repository.
        now: seconds since the epoch.
        board: the answer of ``board``.
        order: that of ``merge-order``.
        overlap: that of ``overlap``.
        moves: what was shipped, newest first.
        unreached: since when the board's server cannot be reached; None where it can.
        dated: the board has a clock, by which ages are told.
    """

    name: str
    now: float
    board: BoardDocument
    order: MergeOrderDocument
    overlap: OverlapDocument
    moves: Sequence[MoveDocument]
    unreached: Unreached | None
    dated: bool = True


def page(seen: Seen, refresh: int | None = None) -> str:
    """Return the page as text.

    Args:
        seen: what it shows.
        refresh: after how many seconds a browser reads it again; None for never.
    """
    parts = _parts(seen)
    style = resources.files("coord.page").joinpath("page.css").read_text()
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        *([element("meta", http_equiv="refresh", content=str(refresh))] if refresh else []),
        element("title", f"{seen.name}: the board"),
        _style(style),
    )
    body = element("body", _header(seen, parts), element("main", *map(_section, parts)))
    return html(element("html", head, body, lang="en"))


def _parts(seen: Seen) -> list[Section]:
    rows = seen.board["claims"]
    return [
        sections.people(seen.board["actors"], seen.now, "seen" if seen.dated else "news"),
        sections.claims(rows, seen.now if seen.dated else None),
        sections.lines(rows),
        sections.order(seen.order),
        sections.meetings(seen.overlap),
        sections.shipped(seen.moves, seen.now),
    ]


def _header(seen: Seen, parts: Sequence[Section]) -> Element:
    links = [
        element("a", f"{one.title} ", element("b", str(one.number)), href=f"#{one.anchor}")
        for one in parts
    ]
    return element(
        "header",
        element("h1", seen.name),
        *_age(seen),
        element("nav", *links, aria_label="Sections"),
    )


def _age(seen: Seen) -> list[Element]:
    """Return of when the page is; and that it is old, where it is."""
    missed = seen.unreached
    moment = when.told(seen.now if missed is None else missed.at)
    note = element("p", f"as of {moment}", class_="note")
    if missed is None:
        return [note]
    return [note, element("p", f"since {moment} {missed.told}", class_="alarm")]


def _section(one: Section) -> Element:
    body = one.body if one.number else [element("p", one.empty, class_="note")]
    return element("section", element("h2", one.title), *body, id=one.anchor)


def _style(text: str) -> Element:
    """Return the style sheet: ours, so it is not escaped as the text of a worker is."""
    made = element("style")
    made.text = text
    return made
