"""``.coord.toml`` as text: one section put in, changed or taken out, every other byte kept.

The text is cut into TOML statements; after each edit the whole is parsed again, and what changed
has to be the one section: a layout that these edits do not understand is left to the user.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

import tomli_w

from coord.base.errors import Refused
from coord.drivers import bounded
from coord.installer import appended
from coord.settings import config
from coord.settings.config import FILE
from coord.settings.sections import ConfigInvalid

if TYPE_CHECKING:
    from collections.abc import Mapping

    Value = str | list[str]


def declared(
    text: bytes | None, kind: str, pattern: str, values: Mapping[str, Value]
) -> bytes | None:
    """Return the text with ``[kind."pattern"]`` holding exactly `values`; none at all: no section.

    Raises:
        Refused: the section is written in a way that cannot be edited as text.
    """
    tables = _tables(text)
    known = tables.get(kind, {}).get(pattern)
    if known == values or (known is None and not values):
        return text
    if not values:
        return undeclared(text or b"", kind, pattern)
    body = "".join(f"{key} = {_value(value)}\n" for key, value in values.items()).encode()
    if text is not None and known is not None:
        new = _changed(text, kind, pattern, body)
    else:
        new = appended.added(text, (b"\n" if text else b"") + _header(kind, pattern) + body)
    wanted = {**tables, kind: {**tables.get(kind, {}), pattern: dict(values)}}
    return _insisted(new, wanted, pattern)


def undeclared(text: bytes, kind: str, pattern: str) -> bytes | None:
    """Return the text without ``[kind."pattern"]``; None when nothing is left of the file.

    Raises:
        Refused: the section is written in a way that cannot be edited as text.
    """
    tables = _tables(text)
    if pattern not in tables.get(kind, {}):
        return text
    gone = _lines_of_section(appended.split(text), kind, pattern)
    return _insisted(appended.without(text, gone), _less(tables, kind, pattern), pattern)


def _changed(text: bytes, kind: str, pattern: str, body: bytes) -> bytes:
    """Return the text with other statements in the section; its comments stay."""
    texts = appended.split(text.removesuffix(b"\n") + b"\n")
    header, statements = _section(texts, kind, pattern)
    kept = [b"" if number in statements else line for number, line in enumerate(texts)]
    new = b"".join([*kept[: header + 1], body, *kept[header + 1 :]])
    return new if text.endswith(b"\n") else new.removesuffix(b"\n")


def _header(kind: str, pattern: str) -> bytes:
    return tomli_w.dumps({kind: {pattern: {"x": 0}}}).partition("\n")[0].encode() + b"\n"


def _value(value: Value) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return tomli_w.dumps({"x": value}).removeprefix("x = ").rstrip("\n")


def _lines_of_section(texts: list[bytes], kind: str, pattern: str) -> set[int]:
    """Return the indexes of the whole section's lines, with the blank line before it.

    Comments and blank lines after its last statement belong to what follows.
    """
    header, statements = _section(texts, kind, pattern)
    if header < 0:
        return set()
    blank = header > 0 and not texts[header - 1].strip()
    return set(range(header - blank, max({header, *statements}) + 1))


def _section(texts: list[bytes], kind: str, pattern: str) -> tuple[int, set[int]]:
    """Return the section's header line (-1: there is none) and the lines of its statements."""
    header, statements = -1, set[int]()
    for first, end in _statements(texts):
        statement = b"".join(texts[first:end]).decode("utf-8-sig")
        if statement.lstrip().startswith("["):
            if header >= 0:
                break
            if tomllib.loads(statement) == {kind: {pattern: {}}}:
                header = end - 1
        elif header >= 0 and tomllib.loads(statement):
            statements |= set(range(first, end))
    return header, statements


def _statements(texts: list[bytes]) -> list[tuple[int, int]]:
    """Return the (first, end) line ranges of the statements of what is TOML as a whole.

    A range ends where no bracket and no text is open: one look at each byte, for a list of 2,700
    lines took 25 s when each line more was parsed with all before it.
    """
    text = b"".join(texts).decode("utf-8-sig")
    bare = re.sub(bounded.TEXTS, _hollow, text, flags=re.DOTALL).split("\n")
    found, first, depth = [], 0, 0
    for end, line in enumerate(bare[: len(texts)], 1):
        depth += sum(line.count(one) for one in "[{") - sum(line.count(one) for one in "]}")
        if not depth:
            found.append((first, end))
            first = end
    return found


def _hollow(found: re.Match[str]) -> str:
    """Return as many lines as a text has, open in between."""
    return "[" + "\n" * found[0].count("\n") + "]"


def _tables(text: bytes | None) -> dict[str, dict[str, object]]:
    return config.tables(text or b"", FILE)  # type: ignore[return-value]  # a section is a table


def _less(
    tables: dict[str, dict[str, object]], kind: str, pattern: str
) -> dict[str, dict[str, object]]:
    section = {key: table for key, table in tables[kind].items() if key != pattern}
    rest = {key: table for key, table in tables.items() if key != kind}
    return {**rest, kind: section} if section else rest


def _insisted(
    new: bytes | None, wanted: dict[str, dict[str, object]], pattern: str
) -> bytes | None:
    """Return `new` if it says `wanted`.

    Raises:
        Refused: it does not, or it is no TOML any more.
    """
    try:
        found = _tables(new)
    except ConfigInvalid:
        found = {"": {"broken": True}}
    if _full(found) != _full(wanted):
        raise Refused(
            "config-by-hand",
            "its section cannot be edited as text",
            where=f"{FILE}: {pattern}",
            why="it is not written as a section of its own; change it in an editor, then repeat",
            run=f"${{EDITOR:-vi}} {FILE}",
        )
    return new


def _full(tables: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    """Return the tables without the empty ones, which say nothing."""
    return {key: table for key, table in tables.items() if table}
