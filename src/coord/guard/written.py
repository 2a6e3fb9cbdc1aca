"""How a file is written, looked at to tell how it can be guarded: lines, blocks, or a changelog.

From 467 real merges of changelogs: declared as logs of lines, 85 come out with an entry under the
wrong heading and nobody is told. So a file is looked at before it is called a log.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from coord.drivers.instant import instant
from coord.drivers.kinds import SECTION
from coord.drivers.logfile import LFS_POINTER
from coord.drivers.records import count
from coord.drivers.tree import Parser

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coord.drivers.tree import Node

VERSIONS = "its headings are versions"  # why a file is surely no log
LOOKED_AT = 1 << 18  # bytes of a file, from its beginning
_VERSION = re.compile(rb"(?i)\bv?\d+\.\d+|\bunreleased\b|\bupcoming\b")
_DIRECTIVE = re.compile(rb"(?m)^\.\. (?:change|changelog|version)[a-z]*::")
_PROMISE = "a plain commit may edit and delete in it, and is not refused"


class Written(NamedTuple):
    """What a file looks like.

    Attributes:
        kind: ``log`` or ``changelog``; empty where git's own merge is the best there is.
        start: what begins a record of a log of blocks, None for lines.
        why: what was seen.
        unpromised: what such a declaration does not promise; empty: nothing is left open.
    """

    kind: str
    start: str | None
    why: str
    unpromised: str = ""


def how(text: bytes) -> Written:
    """Return how the text of a file is written."""
    lines = [line.rstrip(b"\r") for line in text[:LOOKED_AT].split(b"\n") if line.strip()]
    if not lines:
        return Written("log", None, "it is empty, so each line is going to be a record")
    if not is_text(text):
        return Written("", None, "it is no text", "nothing: git merges it as a whole")
    if _are_records(lines):
        return Written("log", None, f"each line is a record{_direction(lines)}")
    titles = [node for node in _sections(text[:LOOKED_AT]) if node.head]
    if titles:
        return _by_titles(titles)
    if _DIRECTIVE.search(text) or _is_prose(text):
        why = "it is prose, or told apart by indentation alone, so no line is a record"
        return Written("", None, why, "nothing: git merges it as text, and stops where both edit")
    what = "their order where both sides add, for they bear no time"
    return Written("log", None, "each line is a record, and none bears its time", what)


def is_text(text: bytes) -> bool:
    """Tell whether it is text that a driver joins: no NUL byte, and no pointer to other bytes."""
    return b"\0" not in text and not text.startswith(LFS_POINTER)


def _are_records(lines: Sequence[bytes]) -> bool:
    """Tell whether each line but a header is stamped, or has as many fields as the others."""
    rest = lines[1:] if lines[1:] and instant(lines[0]) is None else lines
    if all(instant(line) for line in rest):
        return True
    tabs = {line.count(b"\t") for line in lines if not line.startswith(b"#")}
    objects = all(line[:1] == b"{" and line[-1:] == b"}" for line in lines)
    return objects or (len(tabs) == 1 and tabs != {0})


def _direction(lines: Sequence[bytes]) -> str:
    times = [at for line in lines if (at := instant(line))]
    if len(times) < 2:  # noqa: PLR2004 - one has no direction
        return ""
    pairs = list(pairwise(times))
    down = sum(a > b for a, b in pairs) > sum(a < b for a, b in pairs)
    return ", the newest first" if down else ", the newest last"


def _sections(text: bytes) -> Iterator[Node]:
    """Yield the sections of a text, each before those in it."""
    lines = text.replace(b"\r\n", b"\n").split(b"\n")
    parser = Parser(None)
    parser.feed(lines, 0, len(lines))
    pending = [parser.stack[0]]
    while pending:
        node = pending.pop()
        if node.kind == SECTION:
            yield node
        pending += reversed(node.kids)


def _by_titles(titles: Sequence[Node]) -> Written:
    names = [node.name.strip() for node in titles]
    level = [name for name, node in zip(names, titles, strict=True) if node.head[0][:1] == b"#"]
    prefix, rows = _rows(titles)
    if any(map(_VERSION.search, names)):
        return Written("changelog", None, VERSIONS, _PROMISE)
    stamped = bool(rows) and all(instant(row, prefix) for row in rows)
    if level and stamped and len(set(rows)) == len(rows):
        why = "each heading is another date and time"
        return Written("log", prefix.decode(), why)
    if level and any(copies > 1 for copies in count(rows).values()):
        why = "its headings repeat, so each block is compared whole"
        return Written("log", prefix.decode(), why, "that two equal blocks stay two")
    return Written("changelog", None, "it is a document of sections", _PROMISE)


def _rows(titles: Sequence[Node]) -> tuple[bytes, list[bytes]]:
    """Return what begins the headings of the commonest depth, and these."""
    heads = [node.head[0] for node in titles]
    prefixes = [head[: len(head) - len(head.lstrip(b"#"))] + b" " for head in heads]
    often = count(prefixes)
    prefix = max(often, key=lambda one: (often[one], -len(one)))
    return prefix, [head.rstrip() for head in heads if head.startswith(prefix)]


def _is_prose(text: bytes) -> bool:
    """Tell whether lines go on in others: by indentation, or in paragraphs of several lines."""
    lines = text[:LOOKED_AT].split(b"\n")
    return any(line[:1] in (b" ", b"\t") and line.strip() for line in lines) or (
        b"\n\n" in text.strip().replace(b"\r\n", b"\n")
    )
