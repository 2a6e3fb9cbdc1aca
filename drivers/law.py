"""The one judgement of a log's or changelog's three texts: joined, or refused.

The driver, the commit gate, check, the repair and the filter ask it, so that none of them promises
what another one refuses. A new text of one parent is judged as ``joined(…, parent, new, parent)``.
"""

from __future__ import annotations

from coord.drivers import join
from coord.drivers.logfile import LFS_POINTER, NotText
from coord.drivers.records import count, split

#: The kinds of file that are joined.
KINDS = ("changelog", "log")


def is_document(kind: str, start: bytes | None) -> bool:
    """Tell whether a file is joined as a tree: a changelog, or a log of blocks."""
    return kind == "changelog" or bool(start)


def joined(kind: str, start: bytes | None, base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Return the join of three texts, byte for byte as the driver writes it.

    An empty base is none. Without a `start`, or with the empty one, the records of a log are lines
    or paragraphs.

    Raises:
        Refused: they cannot be joined; it is a `Clash` where they are documents.
    """
    if not is_document(kind, start):
        return join.merge(base, ours, theirs, start)
    from coord.drivers import document  # noqa: PLC0415 - `re`, which most logs do without

    return document.join(base, ours, theirs, start, edits=kind == "changelog")


def merged(kind: str, start: bytes | None, base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Return the join of three texts that somebody else read: what a filter does.

    Raises:
        Refused: they cannot be joined.
        NotText: there are no lines in one of them.
    """
    for text in (base, ours, theirs):
        if b"\0" in text:
            raise NotText("it holds a NUL byte")
        if text.startswith(LFS_POINTER):
            raise NotText("it is a pointer of git-lfs")
    return joined(kind, start, base, ours, theirs)


def lacking(
    kind: str, start: bytes | None, sides: tuple[bytes, bytes, bytes], result: bytes
) -> list[bytes]:
    """Return what a merge `result` should hold and does not; `sides`: base and two parents.

    What their join holds has to stand where it has it; where it is refused, every line that a
    parent added has to stand somewhere.
    """
    try:
        whole = joined(kind, start, *sides)
        if whole == result:
            return []
        wanted = contents(kind, start, whole)
    except join.Refused:
        base, ours, theirs = map(_lines, sides)
        return sorted((ours | theirs) - base - _lines(result))
    held = count(contents(kind, start, result))
    out = []
    for content, copies in count(wanted).items():
        if held.get(content, 0) < copies:
            out.append(content[-1] or content[0][-1])
    return out


def contents(kind: str, start: bytes | None, text: bytes) -> list[tuple[tuple[bytes, ...], bytes]]:
    """Return what a text holds: each line with the titles it stands below, or each record."""
    if not is_document(kind, start):
        return [((b"",), key) for key in split(text, start).keys]
    from coord.drivers import tree  # noqa: PLC0415 - as above

    return tree.contents(text, start)


def _lines(text: bytes) -> set[bytes]:
    return {line.strip() for line in text.split(b"\n")} - {b""}
