"""Text in columns, as wide as a terminal shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def width(text: str) -> int:
    """Return how many cells a terminal gives `text`: two to a wide character, none to a mark."""
    if text.isascii():
        return len(text)
    import unicodedata  # noqa: PLC0415  # most names are ASCII

    return sum(
        0
        if unicodedata.category(char) in {"Mn", "Me", "Cf"}
        else 2
        if unicodedata.east_asian_width(char) in {"W", "F"}
        else 1
        for char in text
    )


def padded(text: str, cells: int) -> str:
    """Return `text` with blanks up to a width of `cells`."""
    return text + " " * (cells - width(text))


def aligned(table: Sequence[Sequence[str]], widest: int | None = None) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a table with every cell as wide as its column, or as `widest`."""
    widths = [max(map(width, column)) for column in zip(*table, strict=True)]
    if widest is not None:
        widths = [min(widest, cells) for cells in widths]
    for row in table:
        yield tuple(map(padded, row, widths))


def cut(text: str, cells: int) -> str:
    """Return `text` in at most `cells` cells; what is left out is marked."""
    if width(text) <= cells:
        return text
    kept = text[:cells]
    while kept and width(kept) > cells - 1:
        kept = kept[:-1]
    return f"{kept}…"
