r"""Text as a field of a ledger: one line, no tab, nothing that a terminal obeys; and back again.

``\t \n \r \\`` stand for themselves, ``\xHH``, ``\uHHHH`` and ``\UHHHHHHHH`` for what
:func:`coord.base.names.shown` escapes. So a ledger is UTF-8 that can be shown as it is, and each
text comes back unchanged.
"""

from __future__ import annotations

import re

from coord.base.names import shown

_SHORT = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_LONG = {escape: char for char, escape in _SHORT.items()}
_ESCAPE = re.compile(r"\\([\\tnr]|x[0-9a-f]{2}|u[0-9a-f]{4}|U00(?:0[0-9a-f]|10)[0-9a-f]{4})")


def escaped(text: str) -> str:
    """Return `text` as a field."""
    if shown(text) == text and "\\" not in text:
        return text
    return "".join(map(_escaped_char, text))


def unescaped(field: str) -> str:
    """Return the text of a field; a backslash that begins no escape stands for itself."""
    return _ESCAPE.sub(_meant, field) if "\\" in field else field


def _escaped_char(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    if "\ud800" <= char <= "\udfff":  # undecodable bytes of the command line
        return f"\\u{ord(char):04x}"
    return shown(char)


def _meant(found: re.Match[str]) -> str:
    return _LONG.get(found[0]) or chr(int(found[1][1:], 16))
