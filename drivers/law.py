"""The one judgement of a log's or changelog's three texts: joined, or refused.

The driver, the commit gate, check, the repair and the filter ask it, so that none of them promises
what another one refuses. A new text of one parent is judged as ``joined(…, parent, new, parent)``.
"""

from __future__ import annotations

from coord.drivers import join

#: The kinds of file that are joined.
KINDS = ("changelog", "log")


def joined(kind: str, start: bytes | None, base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Return the join of three texts, byte for byte as the driver writes it; no base is an empty one.

    A changelog, and a log with a `start` that is not empty, is a document; else its records are
    lines or paragraphs.

    Raises:
        Refused: they cannot be joined; a `Clash` where they are documents.
    """
    if not is_document(kind, start):
        return join.merge(base, ours, theirs, start)
    from coord.drivers import document  # noqa: PLC0415 - `re`, which most logs do without

    return document.join(base, ours, theirs, start, edits=kind == "changelog")


def is_document(kind: str, start: bytes | None) -> bool:
    """Tell whether a file is joined as a tree."""
    return kind == "changelog" or bool(start)
