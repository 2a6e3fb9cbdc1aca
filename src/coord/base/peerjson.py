"""The one door for a record's JSON: what passes it can be shown, compared and written again.

The bytes are a peer's. Python's parser takes more than a record may hold: 1e999 (no int is made of
it), numbers of 4,300 digits (no text), half of a surrogate pair (no bytes), NUL (no path), and
nesting that ends whoever walks it next. All of these are ValueError here.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEPTH = 32
_DIGITS = 100


def _int(text: str) -> int:
    if len(text) > _DIGITS:
        raise ValueError("a number is too long")
    return int(text)


def _float(text: str) -> float:
    found = float(text)
    if found - found != 0:  # infinite
        raise ValueError(text)
    return found


_scan = json.JSONDecoder(
    parse_int=_int, parse_float=_float, parse_constant=_float
).raw_decode  # half the time of loads(), which guesses the encoding and looks for blanks


def document(value: bytes) -> Any:  # noqa: ANN401  # JSON, until its types are looked at
    """Return what `value` holds.

    Raises:
        ValueError: it is no JSON, or not such as a record can hold.
    """
    text = value.decode()
    try:
        found, end = _scan(text)
    except RecursionError as error:
        raise ValueError("it nests too deep") from error
    if text[end:].strip():
        raise ValueError("there is more than one document")
    # Only an escape brings in what UTF-8 cannot hold; few records have brackets enough to be deep.
    if "\\u" in text or text.count("{") + text.count("[") > _DEPTH:
        for one in _walked(found):
            _require_text(one)
    return found


def _walked(found: object) -> Iterator[str]:
    """Yield every text in `found`.

    Raises:
        ValueError: it nests too deep.
    """
    waiting = [(found, 0)]
    while waiting:
        one, depth = waiting.pop()
        if depth > _DEPTH:
            raise ValueError("it nests too deep")
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            yield from one
            waiting += [(item, depth + 1) for item in one.values()]
        elif isinstance(one, list):
            waiting += [(item, depth + 1) for item in one]


def _require_text(text: str) -> None:
    if "\0" in text:
        raise ValueError("a text holds a NUL")
    # A branch may have bytes that are no UTF-8; any other half of a pair is nobody's text.
    text.encode("utf-8", "surrogateescape")
